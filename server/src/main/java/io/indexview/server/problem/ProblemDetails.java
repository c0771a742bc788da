package io.indexview.server.problem;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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

  /** With the things that are wrong. */
  public ProblemDetails with(List<Item> items) {
    return new ProblemDetails(type, title, status, detail, items, extensions);
  }

  /** With one more member. */
  public ProblemDetails with(String name, Object value) {
    Map<String, Object> more = new LinkedHashMap<>(extensions);
    more.put(name, value);
    return new ProblemDetails(type, title, status, detail, problems, more);
  }
}
