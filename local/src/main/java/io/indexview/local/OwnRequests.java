package io.indexview.local;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Tells requests of programs from those of web pages that a browser on this machine may have open:
 * neither a name that was rebound to this address, nor a page of another origin, is answered.
 */
final class OwnRequests {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  /** What a browser says of a request that no page made. */
  private static final Set<String> OF_NO_PAGE = Set.of("none", "same-origin");

  private OwnRequests() {}

  /**
   * Why a request is refused; empty: it is answered.
   *
   * @param host the header; null: there is none
   * @param origin the header; null: there is none
   * @param fetchSite the header Sec-Fetch-Site; null: there is none
   */
  static Optional<String> refusal(String host, String origin, String fetchSite) {
    return refusal(Set.of(), host, origin, fetchSite);
  }

  /**
   * Why a request is refused; empty: it is answered.
   *
   * @param names others of the server, beside those of loopback
   */
  static Optional<String> refusal(Set<String> names, String host, String origin, String fetchSite) {
    if (host == null || !LOOPBACK.contains(name(host)) && !names.contains(name(host))) {
      return Optional.of("the header Host names a server that this is not; use 127.0.0.1");
    }
    boolean isOfAnotherPage =
        origin != null && !origin.equalsIgnoreCase("http://" + host)
            || fetchSite != null && !OF_NO_PAGE.contains(fetchSite);
    return isOfAnotherPage
        ? Optional.of("pages of other origins are not served")
        : Optional.empty();
  }

  private static String name(String host) {
    int port = host.lastIndexOf(':');
    String name = port > host.lastIndexOf(']') ? host.substring(0, port) : host;
    return name.toLowerCase(Locale.ROOT);
  }

  /** Lets only {@link OwnRequests} through to a server. */
  static final class RequestCheck extends Handler.Wrapper {
    private final String name;

    /**
     * @param name of the server, beside those of loopback
     */
    RequestCheck(String name, Handler server) {
      super(server);
      this.name = name;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
      HttpFields headers = request.getHeaders();
      // No page can have bound another name to what is an address already.
      Set<String> names = new HashSet<>(List.of(name, Request.getLocalAddr(request)));
      Optional<String> refusal =
          OwnRequests.refusal(
              names,
              headers.get(HttpHeader.HOST),
              headers.get(HttpHeader.ORIGIN),
              headers.get("Sec-Fetch-Site"));
      if (refusal.isEmpty()) {
        return super.handle(request, response, callback);
      }
      Response.writeError(request, response, callback, HttpStatus.FORBIDDEN_403, refusal.get());
      return true;
    }
  }
}
