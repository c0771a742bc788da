package io.indexview.schemas.registry;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.kafka.common.config.ConfigException;

/**
 * One address of a registry.
 *
 * @param base scheme, host, port and path, without user info and final slash: safe to print
 * @param authorization value of the header, a secret; null: none
 */
record Endpoint(String base, String authorization) {
  private static final String MOCK_SCHEME = "mock";

  /** Parses all addresses and reports everything wrong with them at once, never a user info. */
  static List<Endpoint> parseAll(List<String> urls) {
    List<Endpoint> endpoints = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < urls.size(); i++) {
      try {
        endpoints.add(parse(urls.get(i).trim()));
      } catch (ConfigException e) {
        problems.add("entry %d %s".formatted(i + 1, e.getMessage()));
      }
    }
    if (urls.isEmpty()) {
      problems.add("is empty: give the registry's address, like http://localhost:8081");
    }
    if (endpoints.size() > 1 && endpoints.stream().anyMatch(Endpoint::isMock)) {
      problems.add("has a mock:// address beside others: use it alone");
    }
    if (!problems.isEmpty()) {
      throw new ConfigException(RegistryConfig.URL_CONFIG + " " + String.join("; ", problems));
    }
    return endpoints;
  }

  private static Endpoint parse(String url) {
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      // Neither the text nor the cause, which quotes it: where a user info ends is not known.
      throw new ConfigException("is not a URL: use http://HOST:PORT or https://HOST:PORT");
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (scheme.equals(MOCK_SCHEME) && uri.getRawAuthority() != null) {
      return new Endpoint(MOCK_SCHEME + "://" + uri.getRawAuthority(), null);
    }
    if (!Set.of("http", "https").contains(scheme)) {
      throw new ConfigException("does not begin with http:// or https:// (or mock://NAME)");
    }
    if (uri.getHost() == null) {
      throw new ConfigException("has no valid host name: letters, digits, '-' and '.' only");
    }
    if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw new ConfigException("has a query or fragment: end the address after its path");
    }
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    String path = uri.getRawPath() == null ? "" : uri.getRawPath().replaceAll("/+$", "");
    String base = scheme + "://" + uri.getHost() + port + path;
    return new Endpoint(base, fromUserInfo(uri.getRawUserInfo()));
  }

  private static String fromUserInfo(String rawUserInfo) {
    // URLDecoder speaks the form encoding, where a plus sign is a space.
    return rawUserInfo == null
        ? null
        : basic(URLDecoder.decode(rawUserInfo.replace("+", "%2B"), StandardCharsets.UTF_8));
  }

  static String basic(String userInfo) {
    return "Basic " + Base64.getEncoder().encodeToString(userInfo.getBytes(StandardCharsets.UTF_8));
  }

  boolean isMock() {
    return base.startsWith(MOCK_SCHEME + "://");
  }

  /** The part after {@code mock://}. */
  String mockScope() {
    return base.substring(MOCK_SCHEME.length() + 3);
  }

  Endpoint withAuthorization(String value) {
    return new Endpoint(base, value);
  }

  @Override
  public String toString() {
    return base;
  }
}
