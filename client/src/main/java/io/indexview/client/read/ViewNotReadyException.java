package io.indexview.client.read;

import io.indexview.schemas.control.ViewState;

/** A view whose rows may be wrong or missing, or are not as fresh as was asked for. */
public final class ViewNotReadyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String view;
  private final ViewState.State state;
  private final String reason;

  /**
   * @param reason empty: not known
   */
  public ViewNotReadyException(String view, ViewState.State state, String reason) {
    super(
        "View \"%s\" is %s%s%s"
            .formatted(
                view,
                state,
                state == ViewState.State.READY ? ", but not as it was asked for" : "",
                reason.isEmpty() ? "" : ": " + reason));
    this.view = view;
    this.state = state;
    this.reason = reason;
  }

  public String view() {
    return view;
  }

  public ViewState.State state() {
    return state;
  }

  /** Empty: not known. */
  public String reason() {
    return reason;
  }
}
