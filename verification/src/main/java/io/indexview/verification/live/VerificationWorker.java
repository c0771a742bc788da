package io.indexview.verification.live;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.admin.ViewAdmin.ServedGeneration;
import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.time.Time;
import io.indexview.verification.TargetReader;
import io.indexview.views.definition.ViewGeneration;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
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

  /** A worker that has not written for so long is gone; no step takes as long. */
  private static final Duration SILENCE = Duration.ofMinutes(3);

  private static final Duration CLOSE_POLL = Duration.ofSeconds(2);
  private static final Duration CLOSE = Duration.ofSeconds(10);

  private final VerificationLog log;
  private final Map<String, Object> kafka;
  private final Settings settings;
  private final ViewAdmin views;
  private final Function<ViewGeneration, Optional<TargetReader>> targets;
  private final Time time = Time.SYSTEM;
  private final String name = UUID.randomUUID().toString();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Set<String> running = ConcurrentHashMap.newKeySet();
  private final Thread thread =
      new Thread(() -> poll(this::isClosedAfter, this::begin), "verifications");
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

  /**
   * Begins again and again.
   *
   * @param isClosedAfter whether there was an end within a pause
   */
  static void poll(Predicate<Duration> isClosedAfter, Runnable begin) {
    boolean failing = false;
    while (!isClosedAfter.test(failing ? POLL_AFTER_FAILURE : POLL)) {
      try {
        begin.run();
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

  /** Begins verifications that nobody works on, unless another one of their view is under way. */
  private void begin() {
    long silentSince = time.millis() - SILENCE.toMillis();
    List<ViewVerification> all = log.all();
    RunDirectory.removeLeft(settings.directory(), all, time.instant());
    for (ViewVerification one : oneOfEachView(all)) {
      if (closed.getCount() > 0
          && running.size() < MAX_AT_ONCE
          && !running.contains(one.key())
          && isLeft(one, silentSince)
          && isForHere(one)
          && running.add(one.key())) {
        runners.execute(() -> take(one));
      }
    }
  }

  /**
   * Verifications that are not over, the oldest first, but one of each view, as there may be two
   * requests at once: the one that begins first may end last, and tell how rows were before the
   * other has repaired them.
   */
  static List<ViewVerification> oneOfEachView(List<ViewVerification> all) {
    Map<String, ViewVerification> ofViews = new LinkedHashMap<>();
    all.stream()
        .filter(one -> !one.status().isOver())
        .sorted(
            Comparator.comparing((ViewVerification one) -> one.status() != Status.RUNNING)
                .thenComparing(ViewVerification::requestedAtMs)
                .thenComparing(ViewVerification::id))
        .forEach(one -> ofViews.putIfAbsent(one.view(), one));
    return List.copyOf(ofViews.values());
  }

  /** Whether nobody works on it: who began it may come back to what it has on its disk. */
  private boolean isLeft(ViewVerification one, long silentSince) {
    return one.run().updatedAtMs() < silentSince || RunDirectory.isLeft(settings.directory(), one);
  }

  /**
   * Whether a verification is for this server: another one may have the store that this one lacks.
   * What nobody can verify fails here.
   */
  private boolean isForHere(ViewVerification one) {
    try {
      return targets.apply(views.serving(one.view()).frozen()).isPresent();
    } catch (ViewNotFoundException | NotVerifiableException e) {
      return true;
    }
  }

  private void take(ViewVerification asked) {
    try {
      VerificationProgress progress = progress(asked);
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

  private VerificationProgress progress(ViewVerification asked) {
    return new VerificationProgress(
        asked,
        name,
        () -> log.of(asked.view()),
        log::put,
        () -> views.serving(asked.view()).frozen().number(),
        this::isClosedAfter,
        time);
  }

  private void work(VerificationProgress progress) {
    LOGGER.info("{} begins", progress);
    try {
      ServedGeneration served = views.serving(progress.verification().view());
      progress.begin(served.frozen().number());
      run(progress, served);
      progress.end(Status.DONE, "");
    } catch (StoppedException e) {
      e.status().ifPresent(status -> progress.end(status, e.getMessage()));
    } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
      LOGGER.warn("{} failed; mend the cause, then verify the view again", progress, e);
      progress.end(
          Status.FAILED,
          e instanceof Error || e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  private void run(VerificationProgress progress, ServedGeneration served) {
    RunDirectory directory =
        RunDirectory.take(
            settings.directory(), progress.verification(), served.frozen().number(), name);
    boolean isKept = false;
    try {
      progress.waitOutOutages(() -> run(progress, served, directory.path()));
    } catch (StoppedException e) {
      isKept =
          e.status().equals(Optional.of(Status.REQUESTED)) && Checkpoints.isIn(directory.path());
      progress.keep(isKept);
      throw e;
    } finally {
      if (isKept) {
        directory.close();
      } else {
        directory.remove();
      }
    }
  }

  private void run(VerificationProgress progress, ServedGeneration served, Path directory) {
    ViewVerification asked = progress.verification();
    if (asked.options().removeUnexpected()) {
      log.requireApart(served, time);
    }
    if (!Checkpoints.isIn(directory)) {
      awaitSource(served, progress);
    }
    LiveVerification comparison;
    try (TargetReader target =
            targets
                .apply(served.frozen())
                .orElseThrow(() -> new NotVerifiableException("its target cannot be read here"));
        RowLog rows =
            new KafkaRowLog(
                kafka, served.published(), served.frozen(), served.state().sinkGroup(), target)) {
      comparison =
          new LiveVerification(
              rows,
              target,
              directory,
              settings.memoryBytes(),
              new RowSample(asked.options().samplePercent(), asked.id()),
              progress);
      progress.follow(comparison);
      if (asked.options().repair()) {
        try (RepairRequests repairs =
            log.repairs(asked.id(), served, () -> views.serving(asked.view()), time)) {
          comparison.run(
              Optional.of(repairs),
              asked.options().removeUnexpected() && target.removesUnexpected());
        }
      } else {
        comparison.run(Optional.empty(), false);
      }
    }
    progress.requireWanted();
    long left = comparison.counts().left();
    // That a sample is right does not take back what was found wrong before.
    if (asked.options().isOfAllRows() || left > 0) {
      log.report(
          new RowsVerified(
              asked.view(), served.frozen().number(), asked.id(), left, time.millis()));
    }
    progress.notLookedFor(
        asked.options().isOfAllRows()
            ? comparison.findOrphaned(progress.toString(), views::known)
            : NotLookedFor.all("only a verification of all rows looks for it"));
  }

  /**
   * If the options say so, asks the sources to scan, and notes which of their changes are in the
   * rows.
   */
  private void awaitSource(ServedGeneration served, VerificationProgress progress) {
    ViewVerification asked = progress.verification();
    if (asked.options().withSource()) {
      try (SourceScans scans = log.sourceScans(served.published(), time)) {
        progress.scanned(
            scans.await(
                asked.requestedAtMs(),
                step -> {
                  progress.at(step, Counts.NONE);
                  progress.pause(POLL);
                }));
      }
    }
    progress.restsOn(views.serving(asked.view()).state().freshness());
  }

  /** Ends what runs within some seconds; another worker goes on with it. */
  @Override
  public void close() {
    closed.countDown();
    runners.shutdown();
    try {
      thread.join(CLOSE_POLL.toMillis());
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
