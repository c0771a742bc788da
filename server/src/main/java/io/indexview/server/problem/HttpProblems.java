package io.indexview.server.problem;

import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpStatus;

/** Problems that only a status tells of: those of the protocol. */
public final class HttpProblems {
  private HttpProblems() {}

  /** The problem that an error status stands for. */
  public static ProblemDetails of(int status) {
    return switch (status) {
      case 400 -> of(ProblemType.BAD_REQUEST, "the request cannot be read");
      case 404 -> of(ProblemType.PATH_NOT_FOUND, "GET /openapi.yaml lists what there is");
      case 405 -> of(ProblemType.METHOD_NOT_ALLOWED, "the header Allow lists those it knows");
      case 406 -> of(ProblemType.NOT_ACCEPTABLE, "ask for application/json");
      case 413 -> of(ProblemType.TOO_LARGE, "the body is larger than the server takes");
      case 415 ->
          of(ProblemType.UNSUPPORTED_MEDIA_TYPE, "GET /openapi.yaml lists what a path reads");
      case 500 -> of(ProblemType.INTERNAL, "the server's log says more");
      default -> {
        String title = HttpStatus.getMessage(status);
        yield new ProblemDetails("about:blank", title, status, title, List.of(), Map.of());
      }
    };
  }

  private static ProblemDetails of(ProblemType type, String detail) {
    return ProblemDetails.of(type, detail);
  }
}
