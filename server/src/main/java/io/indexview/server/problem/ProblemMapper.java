package io.indexview.server.problem;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Request;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EofException;
import org.glassfish.jersey.server.ParamException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives every failure of a request its answer. Thread-safe. */
public final class ProblemMapper implements ExceptionMapper<Throwable> {
  private static final Logger LOGGER = LoggerFactory.getLogger(ProblemMapper.class);

  /** Headers of an answer of the framework that still hold. */
  private static final Set<String> KEPT = Set.of(HttpHeaders.ALLOW);

  @Context private Request request;
  @Context private UriInfo uri;

  @Override
  public Response toResponse(Throwable failure) {
    if (failure instanceof ProblemException problem) {
      return answer(problem);
    }
    if (failure instanceof ParamException wrong) {
      return answer(ProblemException.badParameters(List.of(item(wrong))));
    }
    if (failure instanceof WebApplicationException refusal) {
      return answer(refusal);
    }
    Optional<ProblemException> known = ClientProblems.of(failure, request());
    if (known.isPresent()) {
      LOGGER.debug("A request is refused", failure);
      return answer(known.get());
    }
    Optional<Integer> status = ofConnection(failure);
    if (status.isPresent()) {
      LOGGER.debug("A body cannot be read", failure);
      return status.get() == HttpStatus.PAYLOAD_TOO_LARGE_413
          ? answer(
              ProblemException.of(
                  ProblemType.TOO_LARGE, "the body is larger than the server takes"))
          : builder(ProblemDetails.of(status.get())).build();
    }
    String id = UUID.randomUUID().toString();
    LOGGER.error(
        "{} failed, incident {}; mend its cause, or report it as a bug", request(), id, failure);
    return answer(
        ProblemException.of(
            ProblemType.INTERNAL, "incident " + id + "; the server's log says more"));
  }

  /** Method and path as they came: encoded, and without the query. */
  private String request() {
    return "%s /%s".formatted(request.getMethod(), uri.getPath(false));
  }

  private static ProblemDetails.Item item(ParamException wrong) {
    String message =
        wrong.getCause() instanceof IllegalArgumentException cause && cause.getMessage() != null
            ? cause.getMessage()
            : "cannot be read";
    return new ProblemDetails.Item(wrong.getParameterName(), "", message);
  }

  /** What the web server refuses while it reads a body; also of a client that hung up. */
  private static Optional<Integer> ofConnection(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof HttpException http && HttpStatus.isClientError(http.getCode())) {
        return Optional.of(http.getCode());
      }
      if (cause instanceof EofException) {
        return Optional.of(HttpStatus.BAD_REQUEST_400);
      }
      if (cause instanceof UnsupportedCharsetException
          || cause instanceof IllegalCharsetNameException) {
        return Optional.of(HttpStatus.UNSUPPORTED_MEDIA_TYPE_415);
      }
    }
    return Optional.empty();
  }

  private static Response answer(ProblemException problem) {
    Response.ResponseBuilder answer = builder(problem.details());
    problem
        .retryAfter()
        .ifPresent(after -> answer.header(HttpHeaders.RETRY_AFTER, Math.max(1, after.toSeconds())));
    return answer.build();
  }

  private static Response answer(WebApplicationException refusal) {
    Response response = refusal.getResponse();
    Response.ResponseBuilder answer = builder(ProblemDetails.of(response.getStatus()));
    response
        .getHeaders()
        .forEach(
            (name, values) -> {
              if (KEPT.contains(name)) {
                values.forEach(value -> answer.header(name, value));
              }
            });
    return answer.build();
  }

  private static Response.ResponseBuilder builder(ProblemDetails details) {
    return Response.status(details.status()).type(ProblemDetails.MEDIA_TYPE).entity(details);
  }
}
