package io.indexview.demo;

import io.indexview.local.Signals;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What Ctrl-C and a termination request do: the first ends the process in order, through its
 * shutdown hooks; the second at once.
 */
final class Interruption {
  private static final int HALTED = 130;

  private Interruption() {}

  /**
   * Installs the handlers.
   *
   * @param exitCode of a process that was asked to end
   */
  static void install(int exitCode) {
    AtomicBoolean asked = new AtomicBoolean();
    Runnable end =
        () -> {
          if (asked.getAndSet(true)) {
            Runtime.getRuntime().halt(HALTED);
          }
          new Thread(() -> System.exit(exitCode), "exit").start();
        };
    Signals.handle("INT", end);
    Signals.handle("TERM", end);
  }
}
