package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiException;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerClient;
import io.indexview.cli.api.UnavailableException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Watches a view until it serves what is wanted of it. */
final class Readiness {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  private final ServerClient server;
  private final BuildProgress progress;
  private final CountDownLatch never = new CountDownLatch(1);

  Readiness(ServerClient server, BuildProgress progress) {
    this.server = server;
    this.progress = progress;
  }

  /**
   * Waits. A server that has told of the view once is asked again when it does not answer.
   *
   * @return whether it serves that; false when the time is over
   * @throws io.indexview.cli.api.ApiException if there is no such view, or no more
   * @throws io.indexview.cli.api.NotFoundException if it was dropped
   * @throws io.indexview.cli.api.ConflictException if something else is wanted of it now
   */
  boolean await(Awaited awaited, Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    ApiPath path = ApiPath.of("views", awaited.view());
    JsonNode status = server.get(path);
    while (true) {
      boolean served = awaited.isServed(status);
      boolean over = System.nanoTime() - deadline >= 0;
      progress.show(status, served || over);
      if (served || over) {
        return served;
      }
      pause(deadline);
      status = askAgain(path, deadline);
    }
  }

  private JsonNode askAgain(ApiPath path, long deadline) throws InterruptedException {
    while (true) {
      try {
        return server.get(path);
      } catch (ApiException | UnavailableException e) {
        if (!mayPass(e) || System.nanoTime() - deadline >= 0) {
          throw e;
        }
      }
      pause(deadline);
    }
  }

  private static boolean mayPass(RuntimeException failure) {
    return !(failure instanceof ApiException answer) || answer.exitCode() == ExitCodes.UNAVAILABLE;
  }

  private void pause(long deadline) throws InterruptedException {
    long left = deadline - System.nanoTime();
    never.await(Math.min(left, POLL_INTERVAL.toNanos()), TimeUnit.NANOSECONDS);
  }

  /** Shows how far a view is. */
  interface BuildProgress {
    /**
     * Shows a view as the server has just told of it.
     *
     * @param last nothing follows
     */
    void show(JsonNode view, boolean last);
  }
}
