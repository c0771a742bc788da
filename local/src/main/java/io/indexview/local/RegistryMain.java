package io.indexview.local;

import java.io.IOException;
import java.io.InputStream;

/**
 * Main class of the registry's own process: runs the server, and ends with the process that started
 * it. The parent holds the other end of standard input; when it dies, however, that ends.
 */
final class RegistryMain {
  private static final String SERVER = "io.quarkus.runner.GeneratedMain";
  private static final long ORDERLY_STOP_MS = 5_000;

  private RegistryMain() {}

  public static void main(String[] args) throws ReflectiveOperationException {
    // Ctrl-C reaches every process of the terminal; the parent decides when this one ends.
    Signals.handle("INT", () -> {});
    Thread lifeline = new Thread(() -> endWith(System.in), "lifeline");
    lifeline.setDaemon(true);
    lifeline.start();
    Class.forName(SERVER).getMethod("main", String[].class).invoke(null, (Object) args);
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
