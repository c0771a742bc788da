package io.indexview.schemas.http;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Tells requests of programs from those of web pages that a browser near a server may have open:
 * neither a name that was rebound to its address, nor a page of another origin, is answered.
 *
 * @param names that requests may be addressed to, in lower case; empty: any
 * @param remedy what to do about another name, for the message
 */
public record OriginRule(Set<String> names, String remedy) {
  /** What this machine is called by itself. */
  public static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  /** What a browser says of an address that somebody typed. */
  private static final String BY_NO_PAGE = "none";

  public OriginRule {
    names = Set.copyOf(names);
  }

  /**
   * Why a request is refused; empty: it is answered.
   *
   * @param scheme of the server whose own pages may ask; null: it has none, and no page may
   * @param host the header; null: there is none
   * @param origin the header; null: there is none
   * @param fetchSite the header Sec-Fetch-Site; null: there is none
   */
  public Optional<String> refusal(String scheme, String host, String origin, String fetchSite) {
    if (!names.isEmpty() && (host == null || !names.contains(name(host)))) {
      return Optional.of("the header Host names a server that this is not; " + remedy);
    }
    if (scheme == null) {
      return origin == null && (fetchSite == null || fetchSite.equals(BY_NO_PAGE))
          ? Optional.empty()
          : Optional.of("web pages are not served");
    }
    boolean isAnswered =
        (origin == null || host != null && (scheme + "://" + host).equalsIgnoreCase(origin))
            && (fetchSite == null
                || fetchSite.equals(BY_NO_PAGE)
                || fetchSite.equals("same-origin"));
    return isAnswered
        ? Optional.empty()
        : Optional.of(
            "web pages of other origins are not served, nor their links; open the address itself");
  }

  private static String name(String host) {
    int port = host.lastIndexOf(':');
    String name = port > host.lastIndexOf(']') ? host.substring(0, port) : host;
    return name.toLowerCase(Locale.ROOT);
  }
}
