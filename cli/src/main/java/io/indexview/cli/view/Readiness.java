package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ServerClient;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Watches a view until it serves what is wanted of it. */
final class Readiness {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  private final ServerClient server;
  private final BuildProgress progress;
  private final CountDownLatch never = new CountDownLatch(1);

  Readiness(ServerClient server, BuildProgress progress) {
    this.server = server;
    this.progress = progress;
  }

  /**
   * Waits.
   *
   * @return whether it serves that; false when the time is over
   * @throws io.indexview.cli.api.ApiException if there is no such view, or no more
   * @throws io.indexview.cli.api.NotFoundException if it was dropped
   * @throws io.indexview.cli.api.ConflictException if something else is wanted of it now
   */
  boolean await(Awaited awaited, Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      JsonNode status = server.get(ApiPath.of("views", awaited.view()));
      boolean ready = awaited.isServed(status);
      long left = deadline - System.nanoTime();
      progress.show(status, ready || left <= 0);
      if (ready || left <= 0) {
        return ready;
      }
      never.await(Math.min(left, LOOK_AGAIN.toNanos()), TimeUnit.NANOSECONDS);
    }
  }
}
