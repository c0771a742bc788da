package io.indexview.server.http;

import io.indexview.server.config.HttpSettings;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.HttpHeaders;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Keeps web pages of others out, which a browser on this machine may have open: neither a name that
 * was rebound to this address, nor a page of another origin, is answered.
 */
@PreMatching
@Priority(Priorities.AUTHENTICATION - 1)
final class OriginCheck implements ContainerRequestFilter {
  private static final String ORIGIN = "Origin";

  private final Set<String> names;

  /**
   * @param names that requests may be addressed to, in lower case; empty: any
   */
  OriginCheck(Set<String> names) {
    this.names = Set.copyOf(names);
  }

  static OriginCheck of(HttpSettings.Address address) {
    Set<String> names = new HashSet<>();
    address.names().forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
    if (isLoopback(address.host())) {
      names.addAll(Set.of("localhost", "127.0.0.1", "[::1]"));
    }
    if (!names.isEmpty()) {
      names.add(address.host().toLowerCase(Locale.ROOT));
    }
    return new OriginCheck(names);
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  @Override
  public void filter(ContainerRequestContext request) {
    String host = request.getHeaderString(HttpHeaders.HOST);
    if (!names.isEmpty() && (host == null || !names.contains(name(host)))) {
      throw ProblemException.of(
          ProblemType.FORBIDDEN,
          "the header Host names a server that this is not; http.names lists further names of it");
    }
    String origin = request.getHeaderString(ORIGIN);
    if (origin != null
        && !origin.equalsIgnoreCase(request.getUriInfo().getBaseUri().getScheme() + "://" + host)) {
      throw ProblemException.of(ProblemType.FORBIDDEN, "pages of other origins are not served");
    }
  }

  private static String name(String host) {
    int port = host.lastIndexOf(':');
    String name = port > host.lastIndexOf(']') ? host.substring(0, port) : host;
    return name.toLowerCase(Locale.ROOT);
  }
}
