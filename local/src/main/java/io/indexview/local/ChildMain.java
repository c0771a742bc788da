package io.indexview.local;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * Main class of a child process: runs a server, whose main class is the first argument, and ends
 * with the process that started it, and when that main class fails. The parent holds the other end
 * of standard input; when it dies, however, that ends.
 */
final class ChildMain {
  private static final long ORDERLY_STOP_MS = 5_000;

  private ChildMain() {}

  public static void main(String[] args) throws ReflectiveOperationException {
    // Ctrl-C reaches every process of the terminal; the parent decides when this one ends.
    Signals.handle("INT", () -> {});
    Thread lifeline = new Thread(() -> endWith(System.in), "lifeline");
    lifeline.setDaemon(true);
    lifeline.start();
    String[] rest = Arrays.copyOfRange(args, 1, args.length);
    try {
      Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
    } catch (InvocationTargetException e) {
      // Threads that the server has started already would keep the process alive.
      e.getCause().printStackTrace();
      end(1);
    }
  }

  private static void endWith(InputStream parent) {
    boolean alive = true;
    while (alive) {
      alive = reads(parent);
    }
    end(0);
  }

  /** Ends in order, but in a bounded time. */
  private static void end(int status) {
    Thread exit = new Thread(() -> System.exit(status), "exit");
    exit.setDaemon(true);
    exit.start();
    try {
      exit.join(ORDERLY_STOP_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(1);
  }

  private static boolean reads(InputStream parent) {
    try {
      return parent.read() >= 0;
    } catch (IOException e) {
      return false;
    }
  }
}
