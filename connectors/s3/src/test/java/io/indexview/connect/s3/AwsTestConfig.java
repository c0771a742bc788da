package io.indexview.connect.s3;

import io.indexview.connect.common.aws.AwsFragment;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;

/** Credentials that the servers of tests take. */
public final class AwsTestConfig {
  public static final String ACCESS_KEY = "access";
  public static final String SECRET_KEY = "secret";

  private AwsTestConfig() {}

  public static AwsFragment aws() {
    ConfigDef definition = new ConfigDef();
    AwsFragment.update(definition);
    return new AwsFragment(
        new AbstractConfig(
            definition,
            Map.of(
                AwsFragment.REGION_CONFIG,
                "elasticmq",
                AwsFragment.ACCESS_KEY_ID_CONFIG,
                ACCESS_KEY,
                AwsFragment.SECRET_ACCESS_KEY_CONFIG,
                SECRET_KEY),
            false));
  }
}
