package io.indexview.verification.live;

import io.indexview.schemas.control.ViewVerification.Status;
import java.util.Optional;

/** Ends a run without a failure. */
final class StoppedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Optional<Status> status;

  /**
   * @param status that the verification has then; empty: it is another worker's now
   */
  StoppedException(Optional<Status> status, String reason) {
    super(reason);
    this.status = status;
  }

  Optional<Status> status() {
    return status;
  }
}
