package io.indexview.server;

import java.util.ArrayDeque;
import java.util.Deque;

/** What is to be closed, the newest first. Safe for use by several threads. */
final class Closing implements AutoCloseable {
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  synchronized <T extends AutoCloseable> T add(T resource) {
    open.push(resource);
    return resource;
  }

  /** Closes everything, also after a failure, which is thrown in the end. */
  @Override
  public synchronized void close() {
    RuntimeException failure = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        if (failure == null) {
          failure = new IllegalStateException("the server did not close in order", e);
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
