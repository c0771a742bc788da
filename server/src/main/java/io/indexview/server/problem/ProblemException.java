package io.indexview.server.problem;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Ends a request with a problem. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ProblemDetails details;
  private final transient Duration retryAfter;

  public ProblemException(ProblemDetails details) {
    this(details, null, null);
  }

  /**
   * @param retryAfter null: nothing is said of it
   */
  public ProblemException(ProblemDetails details, Duration retryAfter, Throwable cause) {
    super(details.detail(), cause);
    this.details = Objects.requireNonNull(details, "details");
    this.retryAfter = retryAfter;
  }

  public static ProblemException of(ProblemType type, String detail) {
    return new ProblemException(ProblemDetails.of(type, detail));
  }

  /** A request with wrong parameters. */
  public static ProblemException badParameters(List<ProblemDetails.Item> items) {
    String names = String.join(", ", items.stream().map(ProblemDetails.Item::field).toList());
    return new ProblemException(
        ProblemDetails.of(ProblemType.BAD_REQUEST, "wrong: " + names).with(items));
  }

  public ProblemDetails details() {
    return details;
  }

  /** When another attempt makes sense. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
