package io.indexview.streams.config;

import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.schemas.config.ConfigKeys;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Type;

/** The keys {@code http.*}: where health and metrics are served. */
final class HttpKeys {
  static final String HTTP_HOST_CONFIG = "http.host";
  static final String HTTP_HOST_DEFAULT = "127.0.0.1";
  private static final String HTTP_HOST_DOC =
      "Address that health and metrics are served on. They are not authenticated: any but a"
          + " loopback address needs http.insecure.bind.";

  static final String HTTP_PORT_CONFIG = "http.port";
  static final int HTTP_PORT_DEFAULT = 8085;
  private static final String HTTP_PORT_DOC =
      "Port of health and metrics; several instances on one machine need one each. 0 takes a free"
          + " one and logs it.";

  static final String INSECURE_BIND_CONFIG = "http.insecure.bind";
  private static final String INSECURE_BIND_DOC =
      "Lets health and metrics be served beyond loopback, to everybody who reaches the address."
          + " Only where a network or something in front keeps others out, as in a container.";

  private HttpKeys() {}

  static void define(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "Health and metrics");
    keys.add(
        HTTP_HOST_CONFIG,
        Type.STRING,
        HTTP_HOST_DEFAULT,
        new NonEmptyString(),
        Importance.MEDIUM,
        HTTP_HOST_DOC);
    keys.add(
        HTTP_PORT_CONFIG,
        Type.INT,
        HTTP_PORT_DEFAULT,
        between(0, 65_535),
        Importance.MEDIUM,
        HTTP_PORT_DOC);
    keys.add(INSECURE_BIND_CONFIG, Type.BOOLEAN, false, null, Importance.LOW, INSECURE_BIND_DOC);
  }
}
