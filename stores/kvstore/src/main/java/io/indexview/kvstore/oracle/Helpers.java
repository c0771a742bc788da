package io.indexview.kvstore.oracle;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The helper hosts of a store that can be connected to. The client asks each in turn, and one that
 * is gone more than once; it needs but one of them.
 */
final class Helpers {
  /** Wait for other helpers after the first answer; one that is up answers in milliseconds. */
  private static final Duration AFTER_THE_FIRST = Duration.ofSeconds(1);

  private Helpers() {}

  private record Answer(String helper, boolean connected) {}

  /**
   * Asks all at once, and a second longer after the first answer at most.
   *
   * @param helpers host:port each
   * @param timeout to connect
   * @return those that answered, in their order; all if none did, so that the client says why
   */
  static String[] reachable(String[] helpers, Duration timeout) {
    if (helpers.length < 2) {
      return helpers;
    }
    BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    for (String helper : helpers) {
      Thread asking =
          new Thread(
              () -> answers.add(new Answer(helper, connects(helper, timeout))),
              "indexview-kv-helper");
      asking.setDaemon(true);
      asking.start();
    }
    List<String> connected = new ArrayList<>();
    long until = System.nanoTime() + timeout.toNanos();
    try {
      for (int i = 0; i < helpers.length; i++) {
        Answer answer = answers.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (answer == null) {
          break;
        }
        if (answer.connected()) {
          connected.add(answer.helper());
          until = Math.min(until, System.nanoTime() + AFTER_THE_FIRST.toNanos());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (connected.isEmpty()) {
      return helpers;
    }
    List<String> kept = new ArrayList<>(List.of(helpers));
    kept.retainAll(connected);
    return kept.toArray(String[]::new);
  }

  private static boolean connects(String helper, Duration timeout) {
    int colon = helper.lastIndexOf(':');
    String host = helper.substring(0, colon).replaceAll("[\\[\\]]", "");
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(host, Integer.parseInt(helper.substring(colon + 1))),
          (int) timeout.toMillis());
      return true;
    } catch (IOException | IllegalArgumentException e) {
      // An unresolved name, too.
      return false;
    }
  }
}
