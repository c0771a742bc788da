package io.indexview.client.admin;

import java.time.Duration;

/** A view did not become READY, or not for its readers, in time. */
public final class NotReadyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ViewStatus status;

  public NotReadyException(ViewStatus status, Duration waited) {
    super(
        "View \"%s\" is %s and %s after %d s%s"
            .formatted(
                status.view(),
                status.phase(),
                status.ready() ? "is not shown to readers" : "does not serve what is wanted",
                waited.toSeconds(),
                reason(status).isEmpty() ? "" : ": " + reason(status)));
    this.status = status;
  }

  private static String reason(ViewStatus status) {
    return status.ready()
        ? status.visibility().map(Visibility::reason).orElse("")
        : status.reason();
  }

  /** The view's last status. */
  public ViewStatus status() {
    return status;
  }
}
