package io.indexview.connect.s3;

import java.util.ArrayDeque;
import java.util.Deque;

/** What was opened so far of something that cannot be used before all of it is. For one thread. */
final class Opened {
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();

  /** Notes what was opened, and gives it back. */
  <T extends AutoCloseable> T add(T part) {
    parts.push(part);
    return part;
  }

  /**
   * Closes all, the last first, because no more could be opened.
   *
   * @param cause keeps what goes wrong here
   */
  void closeAfter(Throwable cause) {
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        cause.addSuppressed(e);
      } catch (Exception e) {
        cause.addSuppressed(e);
      }
    }
  }
}
