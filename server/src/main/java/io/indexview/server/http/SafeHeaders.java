package io.indexview.server.http;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import java.util.Map;

/** Headers of every answer: browsers shall neither guess what it is, nor run or keep it. */
final class SafeHeaders implements ContainerResponseFilter {
  static final Map<String, String> HEADERS =
      Map.of(
          "X-Content-Type-Options", "nosniff",
          "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'",
          "Cache-Control", "no-store");

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    HEADERS.forEach((name, value) -> response.getHeaders().putSingle(name, value));
  }
}
