package io.indexview.cli.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.cli.api.ApiException;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ServerClient;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Watches a view until it serves what is wanted of it. */
final class Readiness {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  /** Time until the controller has heard that the target shows the switch. */
  private static final Duration STANDBY_TIME = Duration.ofSeconds(5);

  private final ServerClient server;
  private final BuildProgress progress;
  private final CountDownLatch never = new CountDownLatch(1);

  Readiness(ServerClient server, BuildProgress progress) {
    this.server = server;
    this.progress = progress;
  }

  /**
   * Waits. A server that has shown the view once is asked again when it does not answer.
   *
   * @return the view that serves that; empty when the time is over
   * @throws io.indexview.cli.api.ApiException if there is no such view, or no more
   * @throws io.indexview.cli.api.CommandException.NotFound if it was dropped
   * @throws io.indexview.cli.api.CommandException.Conflict if something else is wanted of it now
   */
  Optional<JsonNode> await(Awaited awaited, Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    ApiPath path = ApiPath.of("views", awaited.view());
    JsonNode status = server.get(path);
    while (true) {
      boolean served = awaited.isServed(status);
      boolean over = System.nanoTime() - deadline >= 0;
      progress.show(status, served || over);
      if (served || over) {
        return served ? Optional.of(status) : Optional.empty();
      }
      pause(deadline);
      status = server.get(path, Duration.ofNanos(deadline - System.nanoTime()));
    }
  }

  /**
   * A view that serves, and how long the generation before stands by; that is known a moment later.
   * What was waited for is reached: a server that says nothing more of it is no failure.
   *
   * @param served as the server has just shown it
   * @param left how long to ask at most
   */
  JsonNode withStandbyTime(JsonNode served, Duration left) throws InterruptedException {
    long deadline = System.nanoTime() + Math.min(left.toNanos(), STANDBY_TIME.toNanos());
    JsonNode view = served;
    while (lacksStandbyTime(view) && System.nanoTime() - deadline < 0) {
      pause(deadline);
      try {
        view = server.get(ApiPath.of("views", served.path("name").asText()));
      } catch (ApiException | CommandException.Unavailable e) {
        return view;
      }
    }
    return view;
  }

  private static boolean lacksStandbyTime(JsonNode view) {
    return view.path("generations")
        .valueStream()
        .anyMatch(
            generation ->
                generation.path("role").asText().equals("standby")
                    && !generation.hasNonNull("standbyUntil"));
  }

  private void pause(long deadline) throws InterruptedException {
    long left = deadline - System.nanoTime();
    never.await(Math.min(left, POLL_INTERVAL.toNanos()), TimeUnit.NANOSECONDS);
  }

  /** Shows how far a view is. */
  interface BuildProgress {
    /**
     * Shows a view as the server has just shown it.
     *
     * @param last nothing follows
     */
    void show(JsonNode view, boolean last);
  }

  /**
   * What is waited for.
   *
   * @param version of its definition; empty: whatever is wanted
   */
  record Awaited(String view, OptionalLong version) {
    static Awaited any(String view) {
      return new Awaited(view, OptionalLong.empty());
    }

    /** What a change has made of a view. */
    static Awaited after(JsonNode change, String view) {
      return new Awaited(view, OptionalLong.of(change.path("version").longValue()));
    }

    /**
     * Whether a view serves it, and its target tells readers so. Where the server cannot look at
     * the target, being ready is all that is asked.
     *
     * @param status as the server tells it
     * @throws CommandException.NotFound if it never will, since the view was dropped
     * @throws CommandException.Conflict if it never will, since the view was changed again
     */
    boolean isServed(JsonNode status) {
      // One that is defined anew during its deletion has a version, and is built afterwards; one
      // whose definition the server cannot read has none.
      if (!status.hasNonNull("version") && status.path("state").asText().equals("DELETING")) {
        throw new CommandException.NotFound("view %s is being deleted".formatted(view));
      }
      long wanted = status.path("version").longValue();
      if (wanted > version.orElse(wanted)) {
        throw new CommandException.Conflict(
            "view %s was changed again: version %d was waited for, version %d is wanted now"
                .formatted(view, version.getAsLong(), wanted));
      }
      return wanted == version.orElse(wanted)
          && status.path("ready").asBoolean()
          && status.path("shown").asBoolean(true);
    }
  }
}
