package io.indexview.connect.s3;

import io.indexview.aws.AwsAccess;
import java.net.URI;

/** Credentials that the servers of tests take. */
public final class AwsTestConfig {
  public static final String ACCESS_KEY = "access";
  public static final String SECRET_KEY = "secret";

  private AwsTestConfig() {}

  public static AwsAccess access(URI endpoint) {
    return new AwsAccess("elasticmq", endpoint, ACCESS_KEY, SECRET_KEY, null);
  }
}
