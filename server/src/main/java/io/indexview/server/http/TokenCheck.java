package io.indexview.server.http;

import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemType;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.apache.kafka.common.config.types.Password;

/** Lets only requests through that carry the token; and those that ask for health. */
@PreMatching
@Priority(Priorities.AUTHENTICATION)
final class TokenCheck implements ContainerRequestFilter {
  private static final String SCHEME = "Bearer ";
  private static final String HEALTH = "health";

  private final byte[] token;

  TokenCheck(Password token) {
    this.token = token.value().getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void filter(ContainerRequestContext request) {
    if (!request.getUriInfo().getPath().equals(HEALTH)
        && !isValid(request.getHeaderString(HttpHeaders.AUTHORIZATION))) {
      request.abortWith(
          Response.status(Response.Status.UNAUTHORIZED)
              .header(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"indexview\"")
              .type(ProblemDetails.MEDIA_TYPE)
              .entity(
                  ProblemDetails.of(
                      ProblemType.UNAUTHORIZED, "send the header Authorization: Bearer <token>"))
              .build());
    }
  }

  private boolean isValid(String authorization) {
    return authorization != null
        && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            token,
            authorization.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8));
  }
}
