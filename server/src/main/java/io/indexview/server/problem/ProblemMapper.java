package io.indexview.server.problem;

import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.views.definition.InvalidViewException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.KafkaException;
import org.eclipse.jetty.http.HttpException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives every failure of a request its answer. Thread-safe. */
public final class ProblemMapper implements ExceptionMapper<Throwable> {
  private static final Logger LOGGER = LoggerFactory.getLogger(ProblemMapper.class);
  private static final Duration UNAVAILABLE_RETRY = Duration.ofSeconds(5);

  /** Headers of an answer of the framework that still hold. */
  private static final Set<String> KEPT = Set.of(HttpHeaders.ALLOW);

  @Override
  public Response toResponse(Throwable failure) {
    if (failure instanceof ProblemException problem) {
      return answer(problem);
    }
    if (failure instanceof WebApplicationException refusal) {
      return answer(refusal);
    }
    if (failure instanceof InvalidViewException invalid) {
      return answer(new ProblemException(invalidDefinition(invalid)));
    }
    if (isUnavailable(failure)) {
      LOGGER.warn("A request failed: {}", failure.getMessage());
      return answer(unavailable(failure));
    }
    if (sizeLimit(failure)) {
      return answer(
          ProblemException.of(ProblemType.TOO_LARGE, "the body is larger than the server takes"));
    }
    String id = UUID.randomUUID().toString();
    LOGGER.error("A request failed, incident {}", id, failure);
    return answer(
        ProblemException.of(ProblemType.INTERNAL, "incident " + id + "; the server's log says more"));
  }

  private static boolean isUnavailable(Throwable failure) {
    return failure instanceof KafkaException
        || failure instanceof RegistryException
        || failure instanceof KvStoreException
        || failure instanceof ItemStoreException;
  }

  private static boolean sizeLimit(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof HttpException http && http.getCode() == 413) {
        return true;
      }
    }
    return false;
  }

  private static ProblemException unavailable(Throwable failure) {
    return new ProblemException(
        ProblemDetails.of(ProblemType.UNAVAILABLE, String.valueOf(failure.getMessage())),
        UNAVAILABLE_RETRY,
        failure);
  }

  private static ProblemDetails invalidDefinition(InvalidViewException invalid) {
    return ProblemDetails.of(ProblemType.INVALID_DEFINITION, invalid.getMessage())
        .with(
            invalid.problems().stream()
                .map(p -> new ProblemDetails.Item(p.field(), p.value(), p.message()))
                .toList());
  }

  private static Response answer(ProblemException problem) {
    Response.ResponseBuilder answer = builder(problem.details());
    problem
        .retryAfter()
        .ifPresent(
            after -> answer.header(HttpHeaders.RETRY_AFTER, Math.max(1, after.toSeconds())));
    return answer.build();
  }

  private static Response answer(WebApplicationException refusal) {
    Response response = refusal.getResponse();
    Response.ResponseBuilder answer = builder(HttpProblems.of(response.getStatus()));
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
