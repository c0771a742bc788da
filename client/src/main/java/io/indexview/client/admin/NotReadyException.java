package io.indexview.client.admin;

import java.time.Duration;

/** A view did not become READY in time. */
public final class NotReadyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ViewStatus status;

  public NotReadyException(ViewStatus status, Duration waited) {
    super(
        "View \"%s\" is %s and does not serve what is wanted after %d s%s"
            .formatted(
                status.view(),
                status.phase(),
                waited.toSeconds(),
                status.reason().isEmpty() ? "" : ": " + status.reason()));
    this.status = status;
  }

  /** The view's last status. */
  public ViewStatus status() {
    return status;
  }
}
