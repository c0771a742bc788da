package io.indexview.local;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Named daemon threads: none of them keeps a process alive. */
final class Threads {
  private Threads() {}

  static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, "indexview-" + name + "-" + count.getAndIncrement());
      thread.setDaemon(true);
      return thread;
    };
  }
}
