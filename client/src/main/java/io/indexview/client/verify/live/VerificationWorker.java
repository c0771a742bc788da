package io.indexview.client.verify.live;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.admin.ViewAdmin.ServedGeneration;
import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.client.verify.TargetReader;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.SourceScan;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.views.definition.ViewGeneration;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs what is asked for on {@code view-verifications}, {@value #MAX_AT_ONCE} at once. Any number
 * of workers may run: each begins what no other has, and what one has left that is gone: it goes on
 * with what that has left on the same disk, or begins anew. Two that begin the same at once only
 * read twice.
 */
public final class VerificationWorker implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(VerificationWorker.class);
  static final int MAX_AT_ONCE = 4;

  private static final Duration POLL = Duration.ofSeconds(1);
  private static final Duration POLL_AFTER_FAILURE = Duration.ofSeconds(30);
  private static final Duration REPORT = Duration.ofSeconds(2);

  /** A worker that has not written for so long is gone; no step takes as long. */
  private static final Duration SILENCE = Duration.ofMinutes(3);

  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final Duration CLOSE = Duration.ofSeconds(10);

  /** Outages that are shorter end nothing, and look to nobody as if it were gone. */
  private static final Duration OUTAGE = Duration.ofMinutes(2);

  private static final int MAX_STEP_CHARACTERS = 1_000;

  private final VerificationLog log;
  private final Map<String, Object> kafka;
  private final Settings settings;
  private final ViewAdmin views;
  private final Function<ViewGeneration, Optional<TargetReader>> targets;
  private final Clock clock = Clock.systemUTC();
  private final String name = UUID.randomUUID().toString();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Set<String> running = ConcurrentHashMap.newKeySet();
  private final Thread thread = new Thread(this::work, "verifications");
  private final ExecutorService runners =
      Executors.newFixedThreadPool(
          MAX_AT_ONCE,
          runner -> {
            Thread made = new Thread(runner, "verification");
            made.setDaemon(true);
            return made;
          });

  /**
   * @param directory where rows are kept while they are compared
   * @param memoryBytes how much of them may be in memory, about
   */
  public record Settings(Path directory, long memoryBytes) {}

  private VerificationWorker(
      VerificationLog log,
      Map<String, Object> kafka,
      Settings settings,
      ViewAdmin views,
      Function<ViewGeneration, Optional<TargetReader>> targets) {
    this.log = log;
    this.kafka = kafka;
    this.settings = settings;
    this.views = views;
    this.targets = targets;
  }

  /**
   * Starts one.
   *
   * @param log stays open
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param views stays open
   * @param targets empty for a target whose rows cannot be read here
   */
  public static VerificationWorker start(
      VerificationLog log,
      Map<String, Object> kafka,
      Settings settings,
      ViewAdmin views,
      Function<ViewGeneration, Optional<TargetReader>> targets) {
    VerificationWorker worker = new VerificationWorker(log, kafka, settings, views, targets);
    worker.thread.setDaemon(true);
    worker.thread.start();
    return worker;
  }

  private void work() {
    boolean failing = false;
    while (!isClosedAfter(failing ? POLL_AFTER_FAILURE : POLL)) {
      try {
        begin();
        failing = false;
      } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
        if (!failing) {
          LOGGER.warn("No verification begins until their topic can be read, which is tried on", e);
        }
        failing = true;
      }
    }
  }

  private boolean isClosedAfter(Duration pause) {
    try {
      return closed.await(pause.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** The oldest first that nobody works on. */
  private void begin() {
    long silentSince = clock.millis() - SILENCE.toMillis();
    List<ViewVerification> all = new ArrayList<>(log.all());
    Collections.reverse(all);
    RunDirectory.removeLeft(settings.directory(), all, clock.instant());
    for (ViewVerification one : all) {
      if (!one.status().isOver()
          && closed.getCount() > 0
          && running.size() < MAX_AT_ONCE
          && !running.contains(one.key())
          && isLeft(one, silentSince)
          && isForHere(one)
          && running.add(one.key())) {
        runners.execute(() -> take(one));
      }
    }
  }

  /** Whether nobody works on it: who began it may come back to what it has on its disk. */
  private boolean isLeft(ViewVerification one, long silentSince) {
    return one.run().updatedAtMs() < silentSince || RunDirectory.isLeft(settings.directory(), one);
  }

  /** Another server may have the store that this one lacks; what nobody can verify fails here. */
  private boolean isForHere(ViewVerification one) {
    try {
      return targets.apply(views.serving(one.view()).frozen()).isPresent();
    } catch (ViewNotFoundException | NotVerifiableException e) {
      return true;
    }
  }

  private void take(ViewVerification asked) {
    try {
      Progress progress = new Progress(asked);
      if (RunDirectory.isLeft(settings.directory(), asked)) {
        progress.goOn();
      }
      progress.write(Status.RUNNING);
      if (progress.isMine(Status.RUNNING::equals)) {
        work(progress);
      }
    } catch (RuntimeException e) {
      LOGGER.warn("Verification {} cannot be reported; another worker begins it", asked.key(), e);
    } finally {
      running.remove(asked.key());
    }
  }

  private void work(Progress progress) {
    ViewVerification asked = progress.verification;
    LOGGER.info("{} begins", progress.run);
    try {
      ServedGeneration served = views.serving(asked.view());
      progress.generation = served.frozen().number();
      run(progress, served);
      progress.end(Status.DONE, "");
    } catch (StoppedException e) {
      e.status().ifPresent(status -> progress.end(status, e.getMessage()));
    } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
      LOGGER.warn("{} failed; mend the cause, then verify the view again", progress.run, e);
      progress.end(Status.FAILED, e instanceof Error ? e.toString() : e.getMessage());
    }
  }

  private void run(Progress progress, ServedGeneration served) {
    RunDirectory directory =
        RunDirectory.take(
            settings.directory(), progress.verification, served.frozen().number(), name);
    try {
      progress.outages.waitOut(() -> run(progress, served, directory.path()), progress::counts);
    } catch (StoppedException e) {
      progress.isKept =
          e.status().equals(Optional.of(Status.REQUESTED)) && Checkpoints.isIn(directory.path());
      throw e;
    } finally {
      if (progress.isKept) {
        directory.close();
      } else {
        directory.remove();
      }
    }
  }

  private void run(Progress progress, ServedGeneration served, Path directory) {
    ViewVerification asked = progress.verification;
    if (asked.options().removeForeign()) {
      log.requireApart(served, clock);
    }
    if (!Checkpoints.isIn(directory)) {
      awaitSource(served, progress);
    }
    try (TargetReader target =
            targets
                .apply(served.frozen())
                .orElseThrow(() -> new NotVerifiableException("its target cannot be read here"));
        RowLog rows =
            new KafkaRowLog(
                kafka, served.published(), served.frozen(), served.state().sinkGroup(), target)) {
      progress.current =
          new LiveVerification(
              rows,
              target,
              directory,
              settings.memoryBytes(),
              new RowSample(asked.options().samplePercent(), asked.id()),
              progress);
      if (asked.options().repair()) {
        try (RowRepairs repairs =
            log.repairs(asked.id(), served, () -> views.serving(asked.view()), clock)) {
          progress.current.run(
              Optional.of(repairs), asked.options().removeForeign() && target.removesForeign());
        }
      } else {
        progress.current.run(Optional.empty(), false);
      }
    }
    progress.requireServing();
    long left = progress.current.counts().left();
    // That a sample is right does not take back what was found wrong before.
    if (asked.options().isOfAllRows() || left > 0) {
      log.report(
          new RowsVerified(asked.view(), progress.generation, asked.id(), left, clock.millis()));
    }
    progress.notLookedFor =
        asked.options().isOfAllRows()
            ? progress.current.findUnowned(progress.run, views::known)
            : NotLookedFor.all("only a verification of all rows looks for it");
  }

  /**
   * Has the sources scan if that is asked for, and notes which of their changes are in the rows.
   */
  private void awaitSource(ServedGeneration served, Progress progress) {
    ViewVerification asked = progress.verification;
    if (asked.options().withSource()) {
      try (SourceScans scans = log.sourceScans(served.published(), clock)) {
        progress.sources =
            scans.await(
                asked.requestedAtMs(),
                step -> {
                  progress.at(step, Counts.NONE);
                  progress.pause(POLL);
                });
      }
    }
    ViewState state = views.serving(asked.view()).state();
    progress.visibleBeforeMs = state.freshness().visibleBeforeMs().orElse(0);
  }

  /** Tells how far one is, and learns whether it is to go on. */
  private final class Progress implements LiveVerification.Monitor {
    private final ViewVerification verification;
    private final boolean isLimited;
    private final ReadLimiter limiter;
    private final TargetOutages outages;
    private final String run;
    private long startedAtMs = clock.millis();
    private long reportedAtNanos = System.nanoTime();
    private long heardAtNanos = reportedAtNanos;
    private boolean isUnreported;
    private int generation;
    private boolean isKept;
    private long visibleBeforeMs;
    private List<SourceScan> sources = List.of();
    private List<NotLookedFor> notLookedFor = List.of();
    private LiveVerification current;
    private String step = "begins";

    Progress(ViewVerification verification) {
      this.verification = verification;
      this.isLimited = !verification.options().limits().equals(Limits.NONE);
      this.limiter = new ReadLimiter(verification.options().limits());
      this.run = "Verification %s of view %s".formatted(verification.id(), verification.view());
      this.outages = new TargetOutages(run, this::await, System::nanoTime);
    }

    /** With what an earlier run began. */
    void goOn() {
      startedAtMs = verification.run().startedAtMs();
      visibleBeforeMs = verification.run().visibleBeforeMs();
      sources = verification.run().sources();
    }

    @Override
    public void at(String nextStep, Counts counts) {
      boolean isDue = System.nanoTime() - reportedAtNanos > REPORT.toNanos();
      if (!isDue && nextStep.equals(step)) {
        return;
      }
      step = nextStep;
      reportedAtNanos = System.nanoTime();
      try {
        requireGoingOn();
        write(Status.RUNNING);
        heardAtNanos = System.nanoTime();
        isUnreported = false;
      } catch (InterruptException e) {
        throw e;
      } catch (KafkaException | RegistryException e) {
        if (System.nanoTime() - heardAtNanos > OUTAGE.toNanos()) {
          throw e;
        }
        if (!isUnreported) {
          LOGGER.warn("{} cannot be reported now, and fails after {} of that", run, OUTAGE, e);
        }
        isUnreported = true;
      }
    }

    private void requireGoingOn() {
      if (closed.getCount() == 0) {
        throw new StoppedException(
            Optional.of(Status.REQUESTED), "the server that ran it was stopped");
      }
      ViewVerification known =
          log.of(verification.view()).stream()
              .filter(one -> one.id().equals(verification.id()))
              .findFirst()
              .orElseThrow(() -> new StoppedException(Optional.empty(), "it was forgotten"));
      if (known.status() == Status.CANCELLED) {
        throw new StoppedException(Optional.of(Status.CANCELLED), "cancelled");
      }
      if (!known.run().worker().equals(name)) {
        throw new StoppedException(Optional.empty(), "another worker has it");
      }
      requireServing();
    }

    void requireServing() {
      String reason;
      try {
        int serves = views.serving(verification.view()).frozen().number();
        if (serves == generation || generation == 0) {
          return;
        }
        reason = "generation %d serves now, no more generation %d".formatted(serves, generation);
      } catch (ViewNotFoundException | NotVerifiableException e) {
        reason = e.getMessage();
      }
      throw new StoppedException(
          Optional.of(Status.FAILED), reason + "; ask for another verification");
    }

    @Override
    public void rowRead() {
      if (isLimited) {
        limiter.row(System.nanoTime());
        awaitLimit();
      }
    }

    @Override
    public void consumed(long bytes, double readUnits) {
      outages.answered();
      if (isLimited) {
        limiter.read(bytes, readUnits, System.nanoTime());
        awaitLimit();
      }
    }

    Counts counts() {
      return current == null ? Counts.NONE : current.counts();
    }

    void await(String nextStep) {
      at(nextStep, counts());
      pause(RETRY);
    }

    /** A wait of any length, and it is seen that this worker is there. */
    private void awaitLimit() {
      long wait = limiter.waitNanos(System.nanoTime());
      while (wait > PAUSE.toNanos()) {
        pause(Duration.ofNanos(Math.min(wait, POLL.toNanos())));
        at(step, counts());
        wait = limiter.waitNanos(System.nanoTime());
      }
    }

    @Override
    public void pause(Duration duration) {
      if (isClosedAfter(duration)) {
        requireGoingOn();
      }
    }

    boolean isMine(Predicate<Status> inStatus) {
      return log.of(verification.view()).stream()
          .anyMatch(
              one ->
                  one.id().equals(verification.id())
                      && inStatus.test(one.status())
                      && one.run().worker().equals(name));
    }

    void write(Status status) {
      log.put(verification.with(status, state(0)));
    }

    void end(Status status, String reason) {
      if (!isMine(known -> true)) {
        LOGGER.info("Verification {} is another worker's by now", verification.id());
        return;
      }
      step = String.valueOf(reason);
      LOGGER.info(
          "Verification {} of view {} is over: {} {}",
          verification.id(),
          verification.view(),
          status.text(),
          reason);
      boolean begunAnew = !status.isOver() && !isKept;
      log.put(
          verification.with(
              status, begunAnew ? Run.NONE : state(status.isOver() ? clock.millis() : 0)));
    }

    private Run state(long endedAtMs) {
      return new Run(
          name,
          startedAtMs,
          clock.millis(),
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

  /** Ends what runs within some seconds; another worker goes on with it. */
  @Override
  public void close() {
    closed.countDown();
    runners.shutdown();
    try {
      thread.join(REPORT.toMillis());
      if (!runners.awaitTermination(CLOSE.toNanos(), TimeUnit.NANOSECONDS)) {
        LOGGER.warn(
            "Verifications {} do not end, the target or Kafka does not answer; another server goes on",
            running);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
