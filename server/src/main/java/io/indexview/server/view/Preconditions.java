package io.indexview.server.view;

import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import jakarta.ws.rs.core.EntityTag;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Request;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The conditions of a request ({@code If-Match}, {@code If-None-Match}) on the version of a
 * definition.
 */
final class Preconditions {
  private final Request request;
  private final HttpHeaders headers;

  Preconditions(Request request, HttpHeaders headers) {
    this.request = request;
    this.headers = headers;
  }

  static EntityTag tag(long version) {
    return new EntityTag(Long.toString(version));
  }

  /** Whether there are any. */
  boolean any() {
    return headers.getHeaderString(HttpHeaders.IF_MATCH) != null
        || headers.getHeaderString(HttpHeaders.IF_NONE_MATCH) != null;
  }

  /**
   * The version that a change is made for, see {@link ViewCatalog}.
   *
   * @param current the version that stands; empty: none
   * @param absent what stands for no version
   * @throws ProblemException if the conditions do not hold
   */
  OptionalLong expected(Optional<Long> current, long absent) {
    Object failed =
        current.isPresent()
            ? request.evaluatePreconditions(tag(current.get()))
            : request.evaluatePreconditions();
    if (failed != null) {
      ProblemDetails details =
          ProblemDetails.of(
              ProblemType.VERSION_MISMATCH,
              current
                  .map(version -> "the view is at version \"%d\"".formatted(version))
                  .orElse("there is no such view"));
      throw new ProblemException(
          current.map(version -> details.with("version", version)).orElse(details));
    }
    return OptionalLong.of(current.orElse(absent));
  }
}
