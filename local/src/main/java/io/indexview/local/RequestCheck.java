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

  /** The last one only: a server may be reached at more addresses than are worth keeping. */
  private volatile AddressRule last = new AddressRule("", null);

  /**
   * @param address that requests came in at
   */
  private record AddressRule(String address, OriginRule rule) {}

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
    Optional<String> refusal =
        rule(Request.getLocalAddr(request))
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

  private OriginRule rule(String address) {
    AddressRule known = last;
    if (!known.address().equals(address)) {
      known = new AddressRule(address, newRule(address));
      last = known;
    }
    return known.rule();
  }

  private OriginRule newRule(String address) {
    Set<String> names = new HashSet<>(OriginRule.LOOPBACK);
    names.add(name);
    // No page can have bound another name to what is an address already.
    names.add(address);
    return new OriginRule(names, REMEDY);
  }
}
