package io.indexview.local;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Lets only {@link OwnRequests} through to a server. */
final class RequestCheck extends Handler.Wrapper {
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
