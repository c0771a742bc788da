package io.indexview.server.problem;

import io.indexview.client.page.InvalidPageTokenException;
import io.indexview.client.read.GenerationGoneException;
import io.indexview.client.read.InvalidQueryException;
import io.indexview.client.read.TooManyRowsException;
import io.indexview.client.read.ViewNotReadyException;
import io.indexview.client.token.InvalidFreshnessTokenException;
import io.indexview.client.token.NotVisibleException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What the failures of reading views mean to those who asked. */
final class ReadProblems {
  private static final Duration NOT_READY_RETRY = Duration.ofSeconds(5);

  private ReadProblems() {}

  /** Empty: none of these. */
  static Optional<ProblemException> of(Throwable failure) {
    if (failure instanceof InvalidQueryException invalid) {
      return Optional.of(invalidQuery(invalid));
    }
    if (failure instanceof InvalidPageTokenException) {
      return Optional.of(wrong("page", failure));
    }
    if (failure instanceof InvalidFreshnessTokenException) {
      return Optional.of(wrong("atLeast", failure));
    }
    if (failure instanceof TooManyRowsException) {
      return Optional.of(ProblemException.of(ProblemType.TOO_MANY_ROWS, failure.getMessage()));
    }
    if (failure instanceof GenerationGoneException) {
      return Optional.of(ProblemException.of(ProblemType.GENERATION_GONE, failure.getMessage()));
    }
    if (failure instanceof NotVisibleException) {
      return Optional.of(ProblemException.of(ProblemType.FRESHNESS_TIMEOUT, failure.getMessage()));
    }
    return failure instanceof ViewNotReadyException notReady
        ? Optional.of(notReady(notReady))
        : Optional.empty();
  }

  private static ProblemException invalidQuery(InvalidQueryException invalid) {
    return new ProblemException(
        ProblemDetails.of(ProblemType.BAD_REQUEST, invalid.getMessage())
            .with(
                invalid.problems().stream()
                    .map(problem -> new ProblemDetails.Item("", "", problem))
                    .toList()));
  }

  private static ProblemException wrong(String parameter, Throwable failure) {
    return ProblemException.badParameters(
        List.of(new ProblemDetails.Item(parameter, "", failure.getMessage())));
  }

  private static ProblemException notReady(ViewNotReadyException notReady) {
    ProblemDetails details =
        ProblemDetails.of(ProblemType.NOT_READY, notReady.getMessage())
            .with("state", notReady.state().name());
    return new ProblemException(
        notReady.reason().isEmpty() ? details : details.with("reason", notReady.reason()),
        NOT_READY_RETRY,
        notReady);
  }
}
