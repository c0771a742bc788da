package io.indexview.schemas.registry;

import io.indexview.schemas.registry.RegistryHttp.RetryPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;

/** How to reach a schema registry; the keys are the same for apps, clients and converters. */
public final class RegistryConfig extends AbstractConfig {
  public static final String URL_CONFIG = "schema.registry.url";
  static final String URL_DOC =
      """
      Addresses of the schema registry, tried in turn when one does not answer. \
      Include the path if the registry's Confluent API is below one. \
      mock://NAME is a registry inside this JVM, for tests.\
      """;

  public static final String USER_INFO_CONFIG = "schema.registry.basic.auth.user.info";
  static final String USER_INFO_DOC =
      """
      User and password for basic authentication, as user:password. \
      Prefer this to credentials inside the address, which other tools may print.\
      """;

  public static final String BEARER_TOKEN_CONFIG = "schema.registry.bearer.token";
  static final String BEARER_TOKEN_DOC = "Token sent as bearer authorization.";

  public static final String TRUSTSTORE_LOCATION_CONFIG = "schema.registry.ssl.truststore.location";
  static final String TRUSTSTORE_LOCATION_DOC =
      "File with the certificates to trust for https. Without it those of the JVM count.";

  public static final String TRUSTSTORE_PASSWORD_CONFIG = "schema.registry.ssl.truststore.password";
  static final String TRUSTSTORE_PASSWORD_DOC = "Password of the trust store. PEM files have none.";

  public static final String TRUSTSTORE_TYPE_CONFIG = "schema.registry.ssl.truststore.type";
  static final String TRUSTSTORE_TYPE_DEFAULT = "JKS";
  static final String TRUSTSTORE_TYPE_DOC = "Format of the trust store: JKS, PKCS12 or PEM.";

  public static final String CONNECT_TIMEOUT_CONFIG = "schema.registry.connect.timeout.ms";
  static final int CONNECT_TIMEOUT_DEFAULT = 5_000;
  static final String CONNECT_TIMEOUT_DOC = "How long one connection may take to open.";

  public static final String REQUEST_TIMEOUT_CONFIG = "schema.registry.request.timeout.ms";
  static final int REQUEST_TIMEOUT_DEFAULT = 10_000;
  static final String REQUEST_TIMEOUT_DOC = "How long one request may take, answer included.";

  public static final String RETRIES_CONFIG = "schema.registry.retries";
  static final int RETRIES_DEFAULT = 3;
  static final String RETRIES_DOC =
      """
      How often all addresses are tried again when none answers. \
      More retries ride out longer outages and hold the caller longer.\
      """;

  public static final String RETRY_BACKOFF_CONFIG = "schema.registry.retry.backoff.ms";
  static final int RETRY_BACKOFF_DEFAULT = 100;
  static final String RETRY_BACKOFF_DOC =
      "Pause before the first retry. It doubles with each further one, up to five seconds.";

  public static final String UNKNOWN_ID_TIMEOUT_CONFIG = "schema.registry.unknown.id.timeout.ms";
  private static final int UNKNOWN_ID_TIMEOUT_DEFAULT = 60_000;
  static final String UNKNOWN_ID_TIMEOUT_DOC =
      """
      How long a schema id that the registry does not have is asked for again, before its record \
      is taken for wrong. Long enough for a registry that is being restored, or a replica that \
      lags behind; records behind it wait. At most 16 such ids in ten minutes.\
      """;

  private static final String CONNECTION = "Schema registry";
  private static final String SECURITY = "Schema registry security";

  RegistryConfig(Map<String, ?> config) {
    super(configDef(), config, false);
    if (getPassword(USER_INFO_CONFIG) != null && getPassword(BEARER_TOKEN_CONFIG) != null) {
      throw new ConfigException(
          "%s and %s are both set: keep one".formatted(USER_INFO_CONFIG, BEARER_TOKEN_CONFIG));
    }
  }

  /** A new definition of all keys; callers may add theirs to it. */
  public static ConfigDef configDef() {
    ConfigDef definition = new ConfigDef();
    update(definition);
    return definition;
  }

  /**
   * Defines the same keys, with another default, in ms, and a greatest value of {@link
   * #UNKNOWN_ID_TIMEOUT_CONFIG}.
   */
  public static ConfigDef configDef(int unknownIdTimeout, int maxUnknownIdTimeout) {
    return security(
        timeout(
            connection(new ConfigDef()), unknownIdTimeout, Range.between(0, maxUnknownIdTimeout)));
  }

  /** Adds all keys to a definition. */
  public static void update(ConfigDef definition) {
    security(timeout(connection(definition), UNKNOWN_ID_TIMEOUT_DEFAULT, Range.atLeast(0)));
  }

  private static ConfigDef connection(ConfigDef def) {
    return def.define(
        URL_CONFIG,
        Type.LIST,
        ConfigDef.NO_DEFAULT_VALUE,
        ConfigDef.LambdaValidator.with(
            (name, value) -> Endpoint.parseAll(urls(value)), () -> "http, https or mock URLs"),
        Importance.HIGH,
        URL_DOC,
        CONNECTION,
        1,
        Width.LONG,
        "Registry addresses");
  }

  private static ConfigDef timeout(ConfigDef def, int unknownIdTimeout, Range range) {
    return def.define(
            CONNECT_TIMEOUT_CONFIG,
            Type.INT,
            CONNECT_TIMEOUT_DEFAULT,
            Range.atLeast(1),
            Importance.LOW,
            CONNECT_TIMEOUT_DOC,
            CONNECTION,
            2,
            Width.SHORT,
            "Connect timeout")
        .define(
            REQUEST_TIMEOUT_CONFIG,
            Type.INT,
            REQUEST_TIMEOUT_DEFAULT,
            Range.atLeast(1),
            Importance.LOW,
            REQUEST_TIMEOUT_DOC,
            CONNECTION,
            3,
            Width.SHORT,
            "Request timeout")
        .define(
            RETRIES_CONFIG,
            Type.INT,
            RETRIES_DEFAULT,
            Range.between(0, 100),
            Importance.LOW,
            RETRIES_DOC,
            CONNECTION,
            4,
            Width.SHORT,
            "Retries")
        .define(
            RETRY_BACKOFF_CONFIG,
            Type.INT,
            RETRY_BACKOFF_DEFAULT,
            Range.atLeast(1),
            Importance.LOW,
            RETRY_BACKOFF_DOC,
            CONNECTION,
            5,
            Width.SHORT,
            "Retry backoff")
        .define(
            UNKNOWN_ID_TIMEOUT_CONFIG,
            Type.INT,
            unknownIdTimeout,
            range,
            Importance.LOW,
            UNKNOWN_ID_TIMEOUT_DOC,
            CONNECTION,
            6,
            Width.SHORT,
            "Unknown id timeout");
  }

  private static ConfigDef security(ConfigDef def) {
    return def.define(
            USER_INFO_CONFIG,
            Type.PASSWORD,
            null,
            ConfigDef.LambdaValidator.with(
                (name, value) -> checkUserInfo((Password) value), () -> "user:password"),
            Importance.MEDIUM,
            USER_INFO_DOC,
            SECURITY,
            1,
            Width.MEDIUM,
            "User and password")
        .define(
            BEARER_TOKEN_CONFIG,
            Type.PASSWORD,
            null,
            ConfigDef.LambdaValidator.with(
                (name, value) -> checkToken((Password) value), () -> "visible ASCII characters"),
            Importance.MEDIUM,
            BEARER_TOKEN_DOC,
            SECURITY,
            2,
            Width.MEDIUM,
            "Bearer token")
        .define(
            TRUSTSTORE_LOCATION_CONFIG,
            Type.STRING,
            null,
            Importance.MEDIUM,
            TRUSTSTORE_LOCATION_DOC,
            SECURITY,
            3,
            Width.LONG,
            "Trust store")
        .define(
            TRUSTSTORE_PASSWORD_CONFIG,
            Type.PASSWORD,
            null,
            Importance.MEDIUM,
            TRUSTSTORE_PASSWORD_DOC,
            SECURITY,
            4,
            Width.MEDIUM,
            "Trust store password")
        .define(
            TRUSTSTORE_TYPE_CONFIG,
            Type.STRING,
            TRUSTSTORE_TYPE_DEFAULT,
            ValidString.in(TRUSTSTORE_TYPE_DEFAULT, "PKCS12", TrustStore.PEM),
            Importance.LOW,
            TRUSTSTORE_TYPE_DOC,
            SECURITY,
            5,
            Width.SHORT,
            "Trust store format");
  }

  /** The addresses, each with the authorization to send there. */
  List<Endpoint> endpoints() {
    String authorization = authorization();
    List<Endpoint> endpoints = Endpoint.parseAll(getList(URL_CONFIG));
    if (authorization == null) {
      return endpoints;
    }
    if (endpoints.stream().anyMatch(endpoint -> endpoint.authorization() != null)) {
      throw new ConfigException(
          "%s has credentials inside an address beside %s: keep one"
              .formatted(
                  URL_CONFIG,
                  getPassword(USER_INFO_CONFIG) != null ? USER_INFO_CONFIG : BEARER_TOKEN_CONFIG));
    }
    return endpoints.stream().map(endpoint -> endpoint.withAuthorization(authorization)).toList();
  }

  TrustStore trustStore() {
    return new TrustStore(
        getString(TRUSTSTORE_LOCATION_CONFIG),
        getPassword(TRUSTSTORE_PASSWORD_CONFIG),
        getString(TRUSTSTORE_TYPE_CONFIG));
  }

  Duration connectTimeout() {
    return Duration.ofMillis(getInt(CONNECT_TIMEOUT_CONFIG));
  }

  Duration requestTimeout() {
    return Duration.ofMillis(getInt(REQUEST_TIMEOUT_CONFIG));
  }

  Duration unknownIdTimeout() {
    return Duration.ofMillis(getInt(UNKNOWN_ID_TIMEOUT_CONFIG));
  }

  RetryPolicy retryPolicy() {
    return new RetryPolicy(getInt(RETRIES_CONFIG), Duration.ofMillis(getInt(RETRY_BACKOFF_CONFIG)));
  }

  private String authorization() {
    Password userInfo = getPassword(USER_INFO_CONFIG);
    if (userInfo != null) {
      return Endpoint.basic(userInfo.value());
    }
    Password token = getPassword(BEARER_TOKEN_CONFIG);
    return token == null ? null : "Bearer " + token.value();
  }

  @SuppressWarnings("unchecked")
  private static List<String> urls(Object value) {
    return value == null ? List.of() : (List<String>) value;
  }

  // The exceptions of these checks must not carry the value, so they do not use the constructor
  // that takes it.
  private static void checkUserInfo(Password value) {
    if (value != null && value.value().indexOf(':') < 1) {
      throw new ConfigException(USER_INFO_CONFIG + " must have the form user:password");
    }
  }

  private static void checkToken(Password value) {
    if (value != null && !value.value().matches("[\\x21-\\x7e]+")) {
      throw new ConfigException(
          BEARER_TOKEN_CONFIG + " must be visible ASCII characters, without line breaks");
    }
  }

  /** The certificates to trust; a null location stands for those of the JVM. */
  record TrustStore(String location, Password password, String type) {
    static final String PEM = "PEM";

    SSLContext sslContext() {
      try {
        if (location == null) {
          return SSLContext.getDefault();
        }
        TrustManagerFactory trust =
            TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(load());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
      } catch (IOException | GeneralSecurityException e) {
        ConfigException problem =
            new ConfigException(
                "%s %s cannot be read as %s (%s): check the file, %s and %s"
                    .formatted(
                        RegistryConfig.TRUSTSTORE_LOCATION_CONFIG,
                        location,
                        type,
                        e.getMessage(),
                        RegistryConfig.TRUSTSTORE_TYPE_CONFIG,
                        RegistryConfig.TRUSTSTORE_PASSWORD_CONFIG));
        problem.initCause(e);
        throw problem;
      }
    }

    private KeyStore load() throws IOException, GeneralSecurityException {
      KeyStore store = KeyStore.getInstance(type.equals(PEM) ? KeyStore.getDefaultType() : type);
      try (InputStream in = Files.newInputStream(Path.of(location))) {
        if (!type.equals(PEM)) {
          store.load(in, password == null ? null : password.value().toCharArray());
          return store;
        }
        store.load(null, null);
        Collection<? extends Certificate> certificates =
            CertificateFactory.getInstance("X.509").generateCertificates(in);
        if (certificates.isEmpty()) {
          throw new IOException("no certificate in it");
        }
        int number = 0;
        for (Certificate certificate : certificates) {
          store.setCertificateEntry("certificate-" + number++, certificate);
        }
      }
      return store;
    }
  }
}
