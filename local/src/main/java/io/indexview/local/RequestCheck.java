package io.indexview.local;

import io.indexview.schemas.http.OriginRule;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Lets only requests through to a server that {@link OriginRule} does. */
final class RequestCheck extends Handler.Wrapper {
  /** What to do about another name. */
  static final String REMEDY = "use 127.0.0.1";

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
    Set<String> names = new HashSet<>(OriginRule.LOOPBACK);
    names.add(name);
    // No page can have bound another name to what is an address already.
    names.add(Request.getLocalAddr(request));
    Optional<String> refusal =
        new OriginRule(names, REMEDY)
            .refusal(
                "http",
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
