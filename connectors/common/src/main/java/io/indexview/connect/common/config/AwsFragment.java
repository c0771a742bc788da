package io.indexview.connect.common.config;

import io.indexview.schemas.config.Validators.HttpAddress;
import io.indexview.schemas.config.Validators.MatchesPattern;
import java.net.URI;
import java.util.List;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.types.Password;

/** Region and credentials, and the addresses of servers that stand in for AWS. */
public final class AwsFragment extends ConfigFragment {
  public static final String CONNECTION_GROUP = "Connection";
  public static final String AUTHENTICATION_GROUP = "Authentication";

  public static final String REGION_CONFIG = "aws.region";
  private static final String REGION_DISPLAY = "Region";
  private static final String REGION_DOC =
      "Region of the service, for instance eu-central-1. Needed also where an endpoint is given.";

  public static final String ACCESS_KEY_ID_CONFIG = "aws.access.key.id";
  private static final String ACCESS_KEY_ID_DISPLAY = "Access key id";
  private static final String ACCESS_KEY_ID_DOC =
      """
      Access key to sign requests with. Without one the AWS SDK looks for credentials itself: \
      environment, profile, web identity, container, instance.\
      """;

  public static final String SECRET_ACCESS_KEY_CONFIG = "aws.secret.access.key";
  private static final String SECRET_ACCESS_KEY_DISPLAY = "Secret access key";
  private static final String SECRET_ACCESS_KEY_DOC = "The access key's secret.";

  public static final String SESSION_TOKEN_CONFIG = "aws.session.token";
  private static final String SESSION_TOKEN_DISPLAY = "Session token";
  private static final String SESSION_TOKEN_DOC =
      """
      What temporary keys come with, beside the two above. When they expire the connector needs \
      new ones: for anything that lasts, let the AWS SDK find credentials that it renews itself.\
      """;

  public AwsFragment(AbstractConfig config) {
    super(config);
  }

  public static void update(ConfigDef definition) {
    ConfigGroup.in(definition, CONNECTION_GROUP)
        .required(
            REGION_CONFIG, Type.STRING, MatchesPattern.AWS_REGION, REGION_DISPLAY, REGION_DOC);
    ConfigGroup.in(definition, AUTHENTICATION_GROUP)
        .optional(
            ACCESS_KEY_ID_CONFIG, Type.STRING, null, null, ACCESS_KEY_ID_DISPLAY, ACCESS_KEY_ID_DOC)
        .optional(
            SECRET_ACCESS_KEY_CONFIG,
            Type.PASSWORD,
            null,
            null,
            SECRET_ACCESS_KEY_DISPLAY,
            SECRET_ACCESS_KEY_DOC)
        .optional(
            SESSION_TOKEN_CONFIG,
            Type.PASSWORD,
            null,
            null,
            SESSION_TOKEN_DISPLAY,
            SESSION_TOKEN_DOC);
  }

  /**
   * Adds the key of a service's address.
   *
   * @param service as in the display name
   */
  public static void updateEndpoint(ConfigDef definition, String key, String service) {
    ConfigGroup.in(definition, CONNECTION_GROUP)
        .optional(
            key,
            Type.STRING,
            null,
            new HttpAddress(),
            service + " endpoint",
            "Address of a server that speaks the API of %s. Without one it is the region's own."
                .formatted(service));
  }

  @Override
  public void validate(ConfigProblems problems) {
    requireBeside(
        ACCESS_KEY_ID_CONFIG, List.of(SECRET_ACCESS_KEY_CONFIG, SESSION_TOKEN_CONFIG), problems);
    requireBeside(
        SECRET_ACCESS_KEY_CONFIG, List.of(ACCESS_KEY_ID_CONFIG, SESSION_TOKEN_CONFIG), problems);
  }

  private void requireBeside(String key, List<String> others, ConfigProblems problems) {
    List<String> given =
        others.stream().filter(other -> config().values().get(other) != null).toList();
    if (config().values().get(key) == null && !given.isEmpty()) {
      problems.add(
          key,
          "missing: %s is set; set access key and secret, or none for the default chain"
              .formatted(String.join(", ", given)));
    }
  }

  public String region() {
    return config().getString(REGION_CONFIG);
  }

  /** Null: the default chain. */
  public String accessKeyId() {
    return config().getString(ACCESS_KEY_ID_CONFIG);
  }

  /** Set exactly with the access key id. */
  public String secretAccessKey() {
    return secret(SECRET_ACCESS_KEY_CONFIG);
  }

  /** Null: the access key, if there is one, is no temporary one. */
  public String sessionToken() {
    return secret(SESSION_TOKEN_CONFIG);
  }

  private String secret(String key) {
    Password secret = config().getPassword(key);
    return secret == null ? null : secret.value();
  }

  /** Null: the region's own. */
  public URI endpoint(String key) {
    String endpoint = config().getString(key);
    return endpoint == null ? null : URI.create(endpoint);
  }
}
