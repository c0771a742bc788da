package io.indexview.connect.common.aws;

import java.net.URI;
import java.net.URISyntaxException;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** An http or https address of a server; null passes. */
public final class EndpointValidator implements Validator {

  @Override
  public void ensureValid(String name, Object value) {
    if (value == null) {
      return;
    }
    try {
      URI uri = new URI(value.toString());
      boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (http && uri.getHost() != null) {
        return;
      }
    } catch (URISyntaxException e) {
      throw new ConfigException(name, value, "Not an address: " + e.getReason());
    }
    throw new ConfigException(name, value, "Use http://host:port or https://host:port");
  }

  @Override
  public String toString() {
    return "http://host:port or https://host:port";
  }
}
