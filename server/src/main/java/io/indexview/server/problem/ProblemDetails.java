package io.indexview.server.problem;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.jetty.http.HttpStatus;

/**
 * What went wrong, as an answer says it (RFC 9457).
 *
 * @param type a URI; {@code about:blank}: the status says all
 * @param detail for a person; never a stack trace or a secret
 * @param problems if there are several, or fields to name
 * @param extensions further members
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonPropertyOrder({"type", "title", "status", "detail", "problems"})
public record ProblemDetails(
    String type,
    String title,
    int status,
    String detail,
    List<Item> problems,
    @JsonAnyGetter Map<String, Object> extensions) {
  public static final String MEDIA_TYPE = "application/problem+json";

  public ProblemDetails {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(title, "title");
    Objects.requireNonNull(detail, "detail");
    problems = List.copyOf(problems);
    extensions = Map.copyOf(extensions);
  }

  /**
   * One of the things that are wrong.
   *
   * @param field parameter or property; empty: the whole
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Item(String field, String value, String message) {}

  public static ProblemDetails of(ProblemType type, String detail) {
    return new ProblemDetails(type.uri(), type.title(), type.status(), detail, List.of(), Map.of());
  }

  /** The problem that only an error status tells of: one of the protocol. */
  public static ProblemDetails of(int status) {
    return switch (status) {
      case 400 -> of(ProblemType.BAD_REQUEST, "the request cannot be read");
      case 404 -> of(ProblemType.PATH_NOT_FOUND, "GET /openapi.yaml lists what there is");
      case 405 -> of(ProblemType.METHOD_NOT_ALLOWED, "the header Allow lists those it knows");
      case 406 -> of(ProblemType.NOT_ACCEPTABLE, "ask for application/json");
      case 413 -> of(ProblemType.TOO_LARGE, "the body is larger than the server takes");
      case 415 ->
          of(
              ProblemType.UNSUPPORTED_MEDIA_TYPE,
              "send Content-Type: application/json; for the definition of a view application/yaml, too");
      case 500 -> of(ProblemType.INTERNAL, "the server's log says more");
      default -> {
        String title = HttpStatus.getMessage(status);
        yield new ProblemDetails("about:blank", title, status, title, List.of(), Map.of());
      }
    };
  }

  /** Returns a copy with the things that are wrong. */
  public ProblemDetails with(List<Item> items) {
    return new ProblemDetails(type, title, status, detail, items, extensions);
  }

  /** Returns a copy with one more member. */
  public ProblemDetails with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(extensions);
    more.put(name, value);
    return new ProblemDetails(type, title, status, detail, problems, more);
  }
}
