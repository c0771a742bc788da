package io.indexview.cli.api;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** A path of the server's API, with parameters; whatever they hold. */
public final class ApiPath {
  private final StringBuilder text = new StringBuilder();
  private boolean parameters;

  private ApiPath() {}

  /** A path of the given parts. */
  public static ApiPath of(String... parts) {
    ApiPath path = new ApiPath();
    for (String part : parts) {
      path.text.append('/').append(encode(part));
    }
    return path;
  }

  /** Adds a parameter, unless its value is null. */
  public ApiPath with(String name, Object value) {
    if (value != null) {
      text.append(parameters ? '&' : '?')
          .append(encode(name))
          .append('=')
          .append(encode(value.toString()));
      parameters = true;
    }
    return this;
  }

  /** Adds a parameter that is on. */
  public ApiPath with(String name, boolean on) {
    return on ? with(name, "true") : this;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  URI on(URI server) {
    String base = server.toString();
    return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + text);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
