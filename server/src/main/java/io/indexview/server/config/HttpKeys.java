package io.indexview.server.config;

import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.schemas.config.ConfigKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidList;
import org.apache.kafka.common.config.ConfigDef.ValidString;

/** The keys {@code http.*}: where the server listens, and who may come in. */
public final class HttpKeys {
  public static final String HTTP_HOST_CONFIG = "http.host";
  public static final String HTTP_HOST_DEFAULT = "127.0.0.1";
  private static final String HTTP_HOST_DOC =
      "Address to listen on. Any but a loopback address needs http.tls.keystore.location and"
          + " http.token, or http.insecure.bind.";

  public static final String HTTP_PORT_CONFIG = "http.port";
  public static final int HTTP_PORT_DEFAULT = 8480;
  private static final String HTTP_PORT_DOC = "Port to listen on; 0 takes a free one.";

  public static final String HTTP_NAMES_CONFIG = "http.names";
  private static final String HTTP_NAMES_DOC =
      "Host names that requests may be addressed to, beside http.host, and beside localhost on a"
          + " loopback address; others are refused, but for requests for /health. On another address"
          + " without names, any is taken.";

  public static final String KEYSTORE_LOCATION_CONFIG = "http.tls.keystore.location";
  private static final String KEYSTORE_LOCATION_DOC =
      "Key store with the server's certificate and private key; makes it speak https only.";

  public static final String KEYSTORE_PASSWORD_CONFIG = "http.tls.keystore.password";
  private static final String KEYSTORE_PASSWORD_DOC = "Password of the key store and of its key.";

  public static final String KEYSTORE_TYPE_CONFIG = "http.tls.keystore.type";
  private static final String KEYSTORE_TYPE_DEFAULT = "PKCS12";
  private static final String KEYSTORE_TYPE_DOC = "Format of the key store: PKCS12 or JKS.";

  public static final String TOKEN_CONFIG = "http.token";
  private static final String TOKEN_DOC =
      "Token that every request but those for /health must carry as bearer authorization; at least 16"
          + " visible ASCII characters. Without it everybody who reaches the server may do all.";

  public static final String INSECURE_BIND_CONFIG = "http.insecure.bind";
  private static final String INSECURE_BIND_DOC =
      "Lets the server listen beyond loopback without TLS or token. Only where something in front"
          + " of it does both.";

  public static final String THREADS_CONFIG = "http.threads";
  public static final int THREADS_DEFAULT = 16;
  private static final String THREADS_DOC =
      "Threads that answer; half of them may wait for a view or a freshness token at a time.";

  public static final String IDLE_TIMEOUT_CONFIG = "http.idle.timeout.ms";
  public static final long IDLE_TIMEOUT_DEFAULT = 30_000;
  private static final String IDLE_TIMEOUT_DOC =
      "After how long a connection is closed on which nothing moves.";

  public static final String MAX_REQUEST_CONFIG = "http.request.max.bytes";
  public static final long MAX_REQUEST_DEFAULT = 1L << 20;
  private static final String MAX_REQUEST_DOC = "Largest body of a request.";

  private HttpKeys() {}

  static void define(ConfigDef definition) {
    defineAddress(definition);
    defineSecurity(definition);
  }

  private static void defineAddress(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "HTTP");
    keys.add(
        HTTP_HOST_CONFIG,
        Type.STRING,
        HTTP_HOST_DEFAULT,
        new NonEmptyString(),
        Importance.HIGH,
        HTTP_HOST_DOC);
    keys.add(
        HTTP_PORT_CONFIG,
        Type.INT,
        HTTP_PORT_DEFAULT,
        between(0, 65_535),
        Importance.HIGH,
        HTTP_PORT_DOC);
    keys.add(
        HTTP_NAMES_CONFIG,
        Type.LIST,
        List.of(),
        ValidList.anyNonDuplicateValues(true, false),
        Importance.MEDIUM,
        HTTP_NAMES_DOC);
    keys.add(
        THREADS_CONFIG, Type.INT, THREADS_DEFAULT, between(8, 1_000), Importance.LOW, THREADS_DOC);
    keys.add(
        IDLE_TIMEOUT_CONFIG,
        Type.LONG,
        IDLE_TIMEOUT_DEFAULT,
        between(100, 3_600_000),
        Importance.LOW,
        IDLE_TIMEOUT_DOC);
    keys.add(
        MAX_REQUEST_CONFIG,
        Type.LONG,
        MAX_REQUEST_DEFAULT,
        between(1_024, 64 << 20),
        Importance.LOW,
        MAX_REQUEST_DOC);
  }

  private static void defineSecurity(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "HTTP security");
    keys.add(
        KEYSTORE_LOCATION_CONFIG,
        Type.STRING,
        null,
        Checks.READABLE_FILE,
        Importance.HIGH,
        KEYSTORE_LOCATION_DOC);
    keys.add(
        KEYSTORE_PASSWORD_CONFIG,
        Type.PASSWORD,
        null,
        null,
        Importance.HIGH,
        KEYSTORE_PASSWORD_DOC);
    keys.add(
        KEYSTORE_TYPE_CONFIG,
        Type.STRING,
        KEYSTORE_TYPE_DEFAULT,
        ValidString.in(KEYSTORE_TYPE_DEFAULT, "JKS"),
        Importance.LOW,
        KEYSTORE_TYPE_DOC);
    keys.add(TOKEN_CONFIG, Type.PASSWORD, null, Checks.TOKEN, Importance.HIGH, TOKEN_DOC);
    keys.add(INSECURE_BIND_CONFIG, Type.BOOLEAN, false, null, Importance.LOW, INSECURE_BIND_DOC);
  }

  static HttpSettings settings(AbstractConfig config) {
    return new HttpSettings(
        new HttpSettings.Address(
            config.getString(HTTP_HOST_CONFIG),
            config.getInt(HTTP_PORT_CONFIG),
            Set.copyOf(config.getList(HTTP_NAMES_CONFIG))),
        Optional.ofNullable(config.getString(KEYSTORE_LOCATION_CONFIG))
            .map(
                location ->
                    new HttpSettings.Tls(
                        Path.of(location),
                        config.getPassword(KEYSTORE_PASSWORD_CONFIG),
                        config.getString(KEYSTORE_TYPE_CONFIG))),
        Optional.ofNullable(config.getPassword(TOKEN_CONFIG)),
        config.getInt(THREADS_CONFIG),
        Duration.ofMillis(config.getLong(IDLE_TIMEOUT_CONFIG)),
        config.getLong(MAX_REQUEST_CONFIG));
  }
}
