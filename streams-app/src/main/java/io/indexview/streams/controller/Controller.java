package io.indexview.streams.controller;

import io.indexview.schemas.logging.OutageLog;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.error.RetryDelay;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.error.StopSignal.StoppedException;
import io.indexview.streams.error.ThreadFailures;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of the controller: waits for the lease, works as long as it holds it, and begins anew
 * after a failure. An outage is waited out; a failure that does not pass ends the application, as
 * an {@link Error} does at once. Safe for use by several threads.
 */
public final class Controller implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Controller.class);
  private static final Duration STANDBY_POLL = Duration.ofMillis(500);
  private static final int POLLS_BETWEEN_CHECKS = 10;
  private static final Duration STOP = Duration.ofSeconds(5);
  private static final RetryDelay RETRY_DELAY =
      new RetryDelay(Duration.ofMillis(200), Duration.ofSeconds(5));

  private final Supplier<Lease> leases;
  private final Supplier<ControllerSession> sessions;
  private final Runnable topics;
  private final StopSignal stop;
  private final ThreadFailures failures;
  private final AutoCloseable clients;
  private final Thread thread;
  private final OutageLog outages = new OutageLog(LOGGER, "The controller works again");
  private int failed;
  private volatile String trouble = "";

  /**
   * @param leases asked on the controller's thread, for another one when one failed
   * @param sessions each with its own transactional producer
   * @param topics creates what is missing of the topics without which there is no lease and no
   *     session; run on the controller's thread
   * @param onGivingUp receives the failure that ends the application
   * @param clients what the sessions use; closed at the end
   */
  Controller(
      Supplier<Lease> leases,
      Supplier<ControllerSession> sessions,
      Runnable topics,
      StopSignal stop,
      Consumer<Throwable> onGivingUp,
      AutoCloseable clients) {
    this.leases = leases;
    this.sessions = sessions;
    this.topics = topics;
    this.stop = stop;
    this.failures = new ThreadFailures("The controller", stop, Clock.systemUTC(), onGivingUp);
    this.clients = clients;
    this.thread = new Thread(this::run, "indexview-controller");
    thread.setDaemon(true);
    // Nobody would see that views do not change any more.
    thread.setUncaughtExceptionHandler((failedThread, failure) -> onGivingUp.accept(failure));
  }

  public void start() {
    thread.start();
  }

  /** What keeps the controller of this process from its work; empty: nothing. */
  public String trouble() {
    return trouble;
  }

  private void run() {
    try {
      while (joined()) {
        LOGGER.debug("The controller asks for the lease anew");
      }
    } catch (StoppedException | InterruptException e) {
      LOGGER.debug("The controller stops", e);
    } finally {
      closeClients();
    }
  }

  /** Attempts with one lease; whether to go on with another one. */
  private boolean joined() {
    try (Lease lease = leases.get()) {
      while (attempt(lease)) {
        LOGGER.debug("The controller goes on");
      }
      return false;
    } catch (StoppedException | InterruptException e) {
      throw e;
    } catch (RuntimeException e) {
      return goesOnAfter(e);
    }
  }

  /** Whether to make another one. */
  private boolean attempt(Lease lease) {
    try {
      topics.run();
      for (int polls = 1; !lease.poll(STANDBY_POLL); polls++) {
        if (polls % POLLS_BETWEEN_CHECKS == 0) {
          topics.run();
        }
        passed();
        if (stop.isStopped()) {
          return false;
        }
      }
      LOGGER.info("This process holds the lease of the controller");
      hold(lease);
      return !stop.isStopped();
    } catch (StoppedException | InterruptException e) {
      throw e;
    } catch (RuntimeException e) {
      boolean goesOn = goesOnAfter(e);
      if (goesOn && isFenced(e)) {
        // Who lost the lease without knowing must not fence the rightful holder in turn.
        lease.drop();
      }
      return goesOn;
    }
  }

  private void hold(Lease lease) {
    try (ControllerSession session = sessions.get()) {
      session.open();
      while (!stop.isStopped() && lease.poll(Duration.ZERO)) {
        session.round();
        passed();
      }
    }
  }

  private void passed() {
    failed = 0;
    outages.succeeded();
    trouble = "";
  }

  private boolean goesOnAfter(RuntimeException failure) {
    if (stop.isStopped()) {
      return false;
    }
    Optional<RecordTooLargeException> tooLarge =
        causes(failure)
            .filter(RecordTooLargeException.class::isInstance)
            .map(RecordTooLargeException.class::cast)
            .findFirst();
    trouble =
        "the controller of the views: "
            + tooLarge.<Exception>map(cause -> cause).orElse(failure).getMessage();
    if (isFenced(failure)) {
      LOGGER.info("Another process took over the controller", failure);
    } else if (tooLarge.isPresent()) {
      outages.failed(
          "The controller of the views cannot write what it decided, since what stands of a view is too large (%s): raise streams.producer.max.request.size, and max.message.bytes of its topics, or drop the view with the largest record schema"
              .formatted(tooLarge.get().getMessage()),
          failure);
    } else if (failure instanceof KafkaException || failure instanceof RegistryException) {
      outages.failed(
          "The controller of the views waits for brokers or schema registry, which do not answer or refuse it (%s): see that they run, and that the application's user has its permissions"
              .formatted(failure.getMessage()),
          failure);
    } else if (failures.handle(failure) == StreamThreadExceptionResponse.SHUTDOWN_CLIENT) {
      return false;
    }
    stop.pause(RETRY_DELAY.of(failed++));
    return true;
  }

  private static boolean isFenced(RuntimeException failure) {
    return causes(failure)
        .anyMatch(
            cause ->
                cause instanceof ProducerFencedException
                    || cause instanceof InvalidProducerEpochException
                    // In the middle of a commit.
                    || cause instanceof InvalidTxnStateException);
  }

  private static Stream<Throwable> causes(RuntimeException failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
  }

  private void closeClients() {
    // Clients that find the thread interrupted do not close in order.
    boolean interrupted = Thread.interrupted();
    try {
      clients.close();
    } catch (Exception e) {
      LOGGER.debug("The controller's clients did not close (interrupted: {})", interrupted, e);
    }
  }

  /**
   * Closes the controller, after the stop signal; ends within ten seconds, whatever the cluster
   * does.
   */
  @Override
  public void close() {
    close(STOP);
  }

  /**
   * @param grace how long an action may go on; then it is interrupted, and has as long again to end
   */
  void close(Duration grace) {
    if (thread.getState() == Thread.State.NEW) {
      closeClients();
      return;
    }
    try {
      TimeUnit.NANOSECONDS.timedJoin(thread, grace.toNanos());
      thread.interrupt();
      TimeUnit.NANOSECONDS.timedJoin(thread, grace.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
