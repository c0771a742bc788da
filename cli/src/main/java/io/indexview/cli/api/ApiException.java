package io.indexview.cli.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** The server refused or could not do what was asked; as it says why. */
public final class ApiException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final String PREFIX = "urn:indexview:problem:";
  private static final int MAX_LINES = 15;

  private final int status;
  private final String type;
  private final transient List<String> lines;

  private ApiException(int status, String type, String detail, List<String> lines) {
    super(detail);
    this.status = status;
    this.type = type;
    this.lines = List.copyOf(lines);
  }

  /**
   * Makes an exception of an answer.
   *
   * @param body problem details
   */
  static ApiException of(int status, JsonNode body) {
    String title = body.path("title").asText("");
    String detail = body.path("detail").asText("");
    List<String> lines = new ArrayList<>();
    for (JsonNode item : body.path("problems")) {
      lines.add(line(item));
    }
    return new ApiException(
        status,
        body.path("type").asText("").replaceFirst("^" + PREFIX, ""),
        headline(status, title, lines.isEmpty() ? detail : ""),
        lines);
  }

  /** What is not there says so itself; what is wrong with something follows line by line. */
  private static String headline(int status, String title, String detail) {
    if (status == 401) {
      return title + "; give it one with --token-file or INDEXVIEW_TOKEN";
    }
    if (detail.isEmpty()) {
      return title;
    }
    return status == 404 ? detail : title + ": " + detail;
  }

  private static String line(JsonNode item) {
    String field = item.path("field").asText("");
    String value = item.path("value").asText("");
    String subject = value.isEmpty() ? field : "%s \"%s\"".formatted(field, value).strip();
    String message = item.path("message").asText("");
    return subject.isEmpty() ? message : subject + ": " + message;
  }

  public int status() {
    return status;
  }

  /** What is wrong, by which clients tell it apart; empty: the server does not say. */
  public String type() {
    return type;
  }

  /** The exit code of a command that ends with this. */
  public int exitCode() {
    return switch (type) {
      case "not-ready", "freshness-timeout" -> ExitCodes.NOT_READY;
      default ->
          switch (status) {
            case 400, 422 -> ExitCodes.USAGE;
            case 404 -> ExitCodes.NOT_FOUND;
            case 502, 503, 504 -> ExitCodes.UNAVAILABLE;
            default -> ExitCodes.FAILED;
          };
    };
  }

  /** What to print: the message, then each thing that is wrong; never more than a screen. */
  public List<String> screen() {
    List<String> screen = new ArrayList<>(List.of(getMessage()));
    lines.stream().limit(MAX_LINES).forEach(line -> screen.add("  " + line));
    if (lines.size() > MAX_LINES) {
      screen.add("  and %d more".formatted(lines.size() - MAX_LINES));
    }
    return screen;
  }
}
