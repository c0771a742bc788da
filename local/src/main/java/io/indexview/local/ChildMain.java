package io.indexview.local;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Main class of a child process: runs a server, whose main class is the first argument, and ends
 * with the process that started it. The parent holds the other end of standard input; when it dies,
 * however, that ends.
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
    Class.forName(args[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
  }

  private static void endWith(InputStream parent) {
    boolean alive = true;
    while (alive) {
      alive = reads(parent);
    }
    Thread exit = new Thread(() -> System.exit(0), "exit");
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
