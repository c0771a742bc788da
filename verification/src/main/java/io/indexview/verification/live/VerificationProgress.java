package io.indexview.verification.live;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewState.Freshness;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.SourceScan;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far a worker is with a verification: reports it, learns whether to go on, and makes the
 * pauses that its limits ask for. Not safe for use by several threads.
 */
final class VerificationProgress implements LiveVerification.Monitor {
  private static final Logger LOGGER = LoggerFactory.getLogger(VerificationProgress.class);
  private static final Duration REPORT = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final Duration MAX_PAUSE = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofSeconds(5);

  /** Outages that are shorter end nothing, and look to nobody as if the worker were gone. */
  static final Duration MAX_OUTAGE = Duration.ofMinutes(2);

  private static final int MAX_STEP_CHARACTERS = 1_000;

  private final ViewVerification verification;
  private final String worker;
  private final Supplier<List<ViewVerification>> known;
  private final Consumer<ViewVerification> write;
  private final IntSupplier serving;
  private final Predicate<Duration> isClosedAfter;
  private final Time time;
  private final boolean isLimited;
  private final ReadLimiter limiter;
  private final TargetOutages outages;
  private final String name;
  private long startedAtMs;
  private long reportedAtNanos;
  private long heardAtNanos;
  private boolean isUnreported;
  private int generation;
  private boolean isKept;
  private long visibleBeforeMs;
  private List<SourceScan> sources = List.of();
  private List<NotLookedFor> notLookedFor = List.of();
  private LiveVerification current;
  private String step = "begins";

  /**
   * @param known all of the view, as others see them; fails while Kafka or the registry does not
   *     answer, as the next
   * @param write replaces what others see of one
   * @param serving the generation of the view that serves
   * @param isClosedAfter whether the worker is stopped before a pause is over
   */
  VerificationProgress(
      ViewVerification verification,
      String worker,
      Supplier<List<ViewVerification>> known,
      Consumer<ViewVerification> write,
      IntSupplier serving,
      Predicate<Duration> isClosedAfter,
      Time time) {
    this.verification = verification;
    this.worker = worker;
    this.known = known;
    this.write = write;
    this.serving = serving;
    this.isClosedAfter = isClosedAfter;
    this.time = time;
    this.isLimited = !verification.options().limits().equals(Limits.NONE);
    this.limiter = new ReadLimiter(verification.options().limits());
    this.name = "Verification %s of view %s".formatted(verification.id(), verification.view());
    this.outages = new TargetOutages(name, this::await, time);
    this.startedAtMs = time.millis();
    this.reportedAtNanos = time.nanoTime();
    this.heardAtNanos = reportedAtNanos;
  }

  ViewVerification verification() {
    return verification;
  }

  /** Name of the run as the log has it. */
  @Override
  public String toString() {
    return name;
  }

  /** Takes over what an earlier run began with. */
  void goOn() {
    startedAtMs = verification.run().startedAtMs();
    visibleBeforeMs = verification.run().visibleBeforeMs();
    sources = verification.run().sources();
  }

  /** Begins with the rows of a generation. */
  void begin(int number) {
    generation = number;
  }

  /** What the sources did when they were asked to scan. */
  void scanned(List<SourceScan> scans) {
    sources = scans;
  }

  void restsOn(Freshness freshness) {
    visibleBeforeMs = freshness.visibleBeforeMs().orElse(0);
  }

  /** Takes the counts from an attempt from now on. */
  void follow(LiveVerification attempt) {
    current = attempt;
  }

  void notLookedFor(List<NotLookedFor> what) {
    notLookedFor = what;
  }

  /** Whether the next run goes on with what this one has read. */
  void keep(boolean forTheNext) {
    isKept = forTheNext;
  }

  /** See {@link TargetOutages#waitOut}. */
  void waitOutOutages(Runnable attempt) {
    outages.waitOut(attempt, this::counts);
  }

  @Override
  public void at(String nextStep, Counts counts) {
    boolean isDue = time.nanoTime() - reportedAtNanos > REPORT.toNanos();
    if (!isDue && nextStep.equals(step)) {
      return;
    }
    step = nextStep;
    reportedAtNanos = time.nanoTime();
    try {
      requireGoingOn();
      write(Status.RUNNING);
      heardAtNanos = time.nanoTime();
      isUnreported = false;
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException | RegistryException e) {
      if (time.nanoTime() - heardAtNanos > MAX_OUTAGE.toNanos()) {
        throw e;
      }
      if (!isUnreported) {
        LOGGER.warn("{} cannot be reported now, and fails after {} of that", name, MAX_OUTAGE, e);
      }
      isUnreported = true;
    }
  }

  /**
   * Ends the run by {@link StoppedException} if the server stops or the verification is not wanted
   * any more.
   */
  private void requireGoingOn() {
    if (isClosedAfter.test(Duration.ZERO)) {
      throw new StoppedException(
          Optional.of(Status.REQUESTED), "the server that ran it was stopped");
    }
    requireWanted();
  }

  /**
   * Ends the run by {@link StoppedException} if the verification is not wanted any more. A
   * comparison that is over is reported even by a server that stops.
   */
  void requireWanted() {
    ViewVerification seen =
        known.get().stream()
            .filter(one -> one.id().equals(verification.id()))
            .findFirst()
            .orElseThrow(() -> new StoppedException(Optional.empty(), "it was forgotten"));
    if (seen.status() == Status.CANCELLED) {
      throw new StoppedException(Optional.of(Status.CANCELLED), "cancelled");
    }
    if (!seen.run().worker().equals(worker)) {
      throw new StoppedException(Optional.empty(), "another worker has it");
    }
    requireServing();
  }

  private void requireServing() {
    String reason;
    try {
      int serves = serving.getAsInt();
      if (serves == generation || generation == 0) {
        return;
      }
      reason = "generation %d serves now, no longer generation %d".formatted(serves, generation);
    } catch (ViewNotFoundException | NotVerifiableException e) {
      reason = e.getMessage();
    }
    throw new StoppedException(
        Optional.of(Status.FAILED), reason + "; ask for another verification");
  }

  @Override
  public void rowRead() {
    if (isLimited) {
      limiter.row(time.nanoTime());
      awaitLimit();
    }
  }

  @Override
  public void consumed(long bytes, double readUnits) {
    outages.answered();
    if (isLimited) {
      limiter.read(bytes, readUnits, time.nanoTime());
      awaitLimit();
    }
  }

  Counts counts() {
    return current == null ? Counts.NONE : current.counts();
  }

  private void await(String nextStep) {
    at(nextStep, counts());
    pause(RETRY);
  }

  /** A wait of any length, and it is seen that this worker is there. */
  private void awaitLimit() {
    long wait = limiter.waitNanos(time.nanoTime());
    while (wait > PAUSE.toNanos()) {
      pause(Duration.ofNanos(Math.min(wait, MAX_PAUSE.toNanos())));
      at(step, counts());
      wait = limiter.waitNanos(time.nanoTime());
    }
  }

  @Override
  public void pause(Duration duration) {
    if (isClosedAfter.test(duration)) {
      requireGoingOn();
    }
  }

  boolean isMine(Predicate<Status> inStatus) {
    return known.get().stream()
        .anyMatch(
            one ->
                one.id().equals(verification.id())
                    && inStatus.test(one.status())
                    && one.run().worker().equals(worker));
  }

  void write(Status status) {
    write.accept(verification.with(status, state(0)));
  }

  void end(Status status, String reason) {
    if (!isMine(any -> true)) {
      LOGGER.info("{} is another worker's by now", name);
      return;
    }
    step = String.valueOf(reason);
    LOGGER.info("{} is over: {} {}", name, status.text(), reason);
    boolean begunAnew = !status.isOver() && !isKept;
    write.accept(
        verification.with(
            status, begunAnew ? Run.NONE : state(status.isOver() ? time.millis() : 0)));
  }

  private Run state(long endedAtMs) {
    return new Run(
        worker,
        startedAtMs,
        time.millis(),
        endedAtMs,
        generation,
        visibleBeforeMs,
        step.length() <= MAX_STEP_CHARACTERS ? step : step.substring(0, MAX_STEP_CHARACTERS),
        counts(),
        endedAtMs == 0 || current == null ? List.of() : current.cases(),
        sources,
        notLookedFor);
  }
}
