package io.indexview.client.admin;

/** What was waited for is not wanted any more: the view was changed again. */
public final class SupersededException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SupersededException(String view, long awaited, long wanted) {
    super(
        "View \"%s\" was changed again: version %d was waited for, version %d is wanted now"
            .formatted(view, awaited, wanted));
  }
}
