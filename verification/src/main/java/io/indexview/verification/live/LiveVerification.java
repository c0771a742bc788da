package io.indexview.verification.live;

import io.indexview.client.admin.KnownViews;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.schemas.time.Time;
import io.indexview.verification.TargetReader;
import io.indexview.verification.live.Checkpoints.Checkpoint;
import io.indexview.verification.live.RepairRequests.WrongRow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Compares the rows of a generation in its target with those that the streams app derived, in both
 * directions, while both change. Not safe for use by several threads.
 *
 * <p>The topic of the generation is compacted, and its records are committed together with the
 * state that they are derived from. So what should be there at an offset is the newest record of
 * each row before it. A comparison notes the end of the topic, waits until the sink has applied
 * everything before it, reads the target, and only then the rest of the topic. A row with no record
 * in that rest was not to be written by anybody while the target was read: what is not equal then
 * is wrong. Every other row is on its way and is not judged, unless the target has it with a
 * revision above the newest one: whatever the sink has written is on the topic by then.
 *
 * <p>The first comparison scans the whole target, and reads the topic up to the noted end at the
 * same time: nothing that is written meanwhile is before that end. It compares digests of what is
 * stored with what the sink would store, so that few rows are decoded. What it did not judge, or
 * found to be other bytes, is compared again, {@value #ROUNDS} times at most: decoded, by reads of
 * single rows, or by another scan where they are many. A row is called wrong when two comparisons
 * say so, of which the last decoded it; what was not judged then is counted as unjudged.
 *
 * <p>Each comparison reads on in the rest of the topic while it reads the target, as the topic
 * keeps deletions for days, and a scan may last for weeks.
 *
 * <p>Wrong rows may be repaired: those who own their records write them anew, and they are compared
 * once more in the same way.
 */
public final class LiveVerification {
  static final int ROUNDS = 3;
  private static final int ROWS_PER_STEP = 1_000;

  private static final int MAX_FILES = 256;
  private static final int MAX_PARTS = 256;
  private static final long ROWS_PER_PART = 10_000;
  private static final Duration CHECKPOINT = Duration.ofSeconds(5);

  /** Memory of a row in question, expected and actual, in the join. */
  private static final long BYTES_PER_ROW = 500;

  /** A row that is read singly costs as much as so many that are scanned, about. */
  private static final int SCANNED_PER_READ = 20;

  private static final Duration SINK_POLL = Duration.ofMillis(200);
  private static final Duration TOPIC_POLL = Duration.ofMillis(100);
  private static final Duration REPAIR_POLL = Duration.ofMillis(50);
  private static final String OF_SINK = "waits until the sink has applied what was derived before";
  private static final String OF_TOPIC = "reads what was derived";
  private static final String OF_REST = "reads what was derived meanwhile";
  private static final String OF_TARGET = "reads the target";
  private static final int ROWS_PER_REPAIR = 1_000;

  private final RowLog log;
  private final TargetReader target;
  private final Path directory;
  private final long memoryBytes;
  private final Executor threads;
  private final Predicate<String> sample;
  private final Monitor monitor;
  private final UnexpectedRows unexpected;
  private final Findings findings = new Findings();
  private final List<RowJoin> joins = new ArrayList<>();
  private final Checkpoints checkpoints;
  private final long rowsPerPart;
  private final Duration catchUpInterval;
  // Wrong rows; knows what came for them since they were found.
  private Optional<RowJoin> toRepair = Optional.empty();
  private DigestJoin allRows;
  private DigestJoin.Extent expectedKept;
  private TopicCatchUp topic;
  private long judged;

  /** Follows a verification; what it throws ends it. */
  public interface Monitor extends TargetReader.Meter {
    /** Reports a step: at least once for {@value #ROWS_PER_STEP} rows, and while it waits. */
    void at(String step, Counts counts);

    /** Notes a row that the target gave. */
    void rowRead();

    void pause(Duration duration);
  }

  /**
   * @param log of the generation that serves; stays open
   * @param directory for files as large as both sides' keys, nobody else's. They are removed at its
   *     end, unless a checkpoint tells of them: then another one goes on with them
   * @param memoryBytes how much the rows of one file may take, about
   * @param sample which rows are compared, by their ids
   */
  public LiveVerification(
      RowLog log,
      TargetReader target,
      Path directory,
      long memoryBytes,
      Predicate<String> sample,
      Monitor monitor) {
    this(
        log,
        target,
        directory,
        memoryBytes,
        TopicReading::start,
        sample,
        new Checkpoints(directory, CHECKPOINT, true),
        ROWS_PER_PART,
        TopicCatchUp.INTERVAL,
        monitor);
  }

  /**
   * @param threads for the topic, which is read while the target is
   * @param rowsPerPart between two positions of the scan, about
   * @param catchUpInterval see {@link TopicCatchUp}
   */
  LiveVerification(
      RowLog log,
      TargetReader target,
      Path directory,
      long memoryBytes,
      Executor threads,
      Predicate<String> sample,
      Checkpoints checkpoints,
      long rowsPerPart,
      Duration catchUpInterval,
      Monitor monitor) {
    this.log = log;
    this.target = target;
    this.directory = directory;
    this.memoryBytes = memoryBytes;
    this.threads = threads;
    this.sample = sample;
    this.checkpoints = checkpoints;
    this.rowsPerPart = rowsPerPart;
    this.catchUpInterval = catchUpInterval;
    this.unexpected = new UnexpectedRows(directory.resolve("unexpected"));
    this.monitor = monitor;
  }

  /** What was found, up to now. */
  public Counts counts() {
    return findings.counts();
  }

  /** The first {@value Findings#MAX_CASES} of each kind, up to now. */
  public List<Case> cases() {
    return findings.cases();
  }

  /**
   * Runs it to its end; may be called once.
   *
   * @param repairs of wrong rows; stays open. Empty: they stay as they are
   * @param removesUnexpected whether a repair removes what is none of the rows, too
   * @throws java.io.UncheckedIOException if the disk does not take the rows
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
   * @throws RuntimeException what the target or the monitor throws
   */
  public void run(Optional<RepairRequests> repairs, boolean removesUnexpected) {
    Map<Integer, Long> ends = log.ends();
    Path rows = directory.resolve("all");
    Optional<Checkpoint> kept = checkpoints.read(rows, !removesUnexpected);
    topic =
        new TopicCatchUp(
            log,
            kept.map(Checkpoint::end).orElse(ends),
            // What was noted before a restart may be as old.
            kept.isPresent() ? catchUpInterval : Duration.ZERO,
            catchUpInterval,
            Time.SYSTEM);
    kept.ifPresent(checkpoint -> findings.goOnFrom(checkpoint.found()));
    allRows =
        kept.map(checkpoint -> checkpoint.join(rows))
            .orElseGet(() -> new DigestJoin(rows, DigestJoin.partitions(records(), memoryBytes)));
    boolean isOver = false;
    unexpected.keep(removesUnexpected);
    try (unexpected) {
      readAll(kept);
      toRepair = repairs.map(unused -> join("wrong"));
      RowJoin questions = join("questions-0");
      Judgement judgement = judgement(questions, false);
      allRows.finish(judgement);
      settle(questions, judgement.open(), ROUNDS, false);
      if (unexpected.count() > 0) {
        unexpected.removeBy(repairs.orElseThrow(), this::await);
        awaitSink(log.ends());
        unexpected.reread(target, monitor, findings);
      }
      if (repairs.isPresent() && counts().wrong() > 0) {
        RowJoin asked = join("repaired-0");
        repair(repairs.get(), asked);
        // In the first round the repair itself came meanwhile.
        settle(asked, counts().wrong(), ROUNDS + 1, true);
      }
      isOver = true;
    } finally {
      List.copyOf(joins).forEach(this::close);
      if (isOver || !Checkpoints.isIn(directory)) {
        allRows.close();
        checkpoints.remove();
      } else {
        allRows.leave();
      }
    }
  }

  /** Looks for orphaned places after the run; see {@link OrphanedPlaces#note}. */
  List<NotLookedFor> findOrphaned(String run, Supplier<KnownViews> views) {
    return OrphanedPlaces.note(run, views, target, monitor, findings);
  }

  private RowJoin join(String name) {
    // All that the target holds may be in question, though nobody has derived it.
    long rows = Math.max(records(), counts().scanned());
    int files = (int) Math.min(MAX_FILES, 1 + rows * BYTES_PER_ROW / memoryBytes);
    RowJoin join = new RowJoin(directory.resolve(name), files);
    joins.add(join);
    return join;
  }

  private void close(RowJoin join) {
    joins.remove(join);
    join.close();
  }

  /** Reads rows in question once more, until none is open or the rounds are over. */
  private void settle(RowJoin questions, long open, int rounds, boolean areRepaired) {
    RowJoin asked = questions;
    long left = open;
    for (int round = 1; left > 0 && round <= rounds; round++) {
      reread(asked, left);
      RowJoin next = join("%s-%d".formatted(areRepaired ? "repaired" : "questions", round));
      Judgement judgement = judgement(next, areRepaired);
      asked.finish(judgement);
      left = judgement.open();
      close(asked);
      asked = next;
    }
    findings.unjudged(left);
    close(asked);
  }

  private void repair(RepairRequests repairs, RowJoin asked) {
    repairs.begin(counts().wrong());
    await("tells that rows are wrong", repairs);
    List<WrongRow> batch = new ArrayList<>();
    Consumer<WrongRow> taking =
        row -> {
          batch.add(row);
          if (batch.size() == ROWS_PER_REPAIR) {
            repair(repairs, batch);
          }
        };
    toRepair.orElseThrow().finish(new WrongRows(asked, target, monitor, taking));
    if (!batch.isEmpty()) {
      repair(repairs, batch);
    }
  }

  private void repair(RepairRequests repairs, List<WrongRow> batch) {
    repairs.ask(List.copyOf(batch));
    await("waits until wrong rows are written anew", repairs);
    batch.clear();
  }

  private void await(String step, RepairRequests repairs) {
    step(step);
    while (!repairs.isDone()) {
      monitor.pause(REPAIR_POLL);
      step(step);
    }
  }

  private long records() {
    return topic.end().values().stream().mapToLong(Long::longValue).sum();
  }

  /** Scans the whole target, and reads the topic. */
  private void readAll(Optional<Checkpoint> kept) {
    Map<Integer, Long> end = topic.end();
    awaitSink(end);
    step(OF_TOPIC);
    boolean isTargetRead = kept.isPresent() && kept.get().isTargetRead();
    // Before another thread reads the topic.
    List<String> between = isTargetRead ? List.of() : sampleOfTopic();
    boolean isTopicRead = kept.isPresent() && kept.get().isTopicRead();
    TopicReading derived =
        new TopicReading(
            visitor -> log.read(isTopicRead ? end : Map.of(), end, visitor),
            sampled(allRows::expect));
    threads.execute(derived);
    try {
      step(OF_TARGET);
      if (!isTargetRead) {
        scan(kept.map(Checkpoint::position), between, derived);
      }
      while (!derived.isOver(TOPIC_POLL)) {
        step(OF_TOPIC);
      }
      keep(null, derived);
    } finally {
      derived.stop();
    }
    topic.toEnd(reported(sampled(allRows::moved)));
  }

  private List<String> sampleOfTopic() {
    int parts = (int) Math.min(MAX_PARTS, records() / rowsPerPart);
    return parts > 1 ? log.sample(topic.end(), parts) : List.of();
  }

  private void scan(Optional<String> from, List<String> between, TopicReading derived) {
    target.scanContents(
        new FullScan(
            target,
            allRows,
            findings,
            sample,
            unexpected,
            monitor,
            rowRead(OF_TARGET, () -> catchUp(derived)),
            position -> keep(position, derived)),
        from,
        between);
  }

  /** What is kept of the expected rows grows with it. */
  private void catchUp(TopicReading derived) {
    if (derived.isOver(Duration.ZERO)) {
      catchUp(sampled(allRows::moved), OF_TARGET);
      expectedKept = null;
    }
  }

  private void catchUp(RowLog.Visitor moved, String step) {
    topic.tryToEnd(reported(moved));
    step(step);
  }

  private void keep(String position, TopicReading derived) {
    if (checkpoints.isDue()) {
      boolean sync = checkpoints.isSynced();
      if (expectedKept == null && derived.isOver(Duration.ZERO)) {
        expectedKept = allRows.keepExpected(sync);
      }
      checkpoints.write(
          new Checkpoint(
              topic.end(), position, expectedKept, allRows.keepActual(sync), findings.ofScan()));
    }
  }

  private void reread(RowJoin join, long rows) {
    awaitSink(topic.end());
    String step = "reads %d rows once more".formatted(rows);
    step(step);
    RowLog.Visitor moved =
        sampled(
            (id, content) -> {
              Optional<RowImage> row = content.map(RowImage::of);
              join.moved(id, row);
              if (counts().wrong() > 0) {
                toRepair.ifPresent(wrong -> wrong.moved(id, row));
              }
            });
    if (rows * SCANNED_PER_READ < counts().scanned()) {
      join.forEachExpected(
          id -> {
            monitor.rowRead();
            monitor.at(step, counts());
            target
                .read(id, monitor)
                .ifPresent(row -> join.found(id, RowImage.of(target.content(row))));
            if (topic.isDue()) {
              catchUp(moved, step);
            }
          });
    } else {
      Runnable came = rowRead(step, () -> catchUp(moved, step));
      target.scan(new Rescan(target, join, sample, monitor, came));
    }
    topic.toEnd(reported(moved));
  }

  /** Reports that the rest of the topic is read, too. */
  private RowLog.Visitor reported(RowLog.Visitor visitor) {
    step(OF_REST);
    Runnable counter = counter(OF_REST);
    return (id, row) -> {
      visitor.change(id, row);
      counter.run();
    };
  }

  private RowLog.Visitor sampled(RowLog.Visitor visitor) {
    return (id, row) -> {
      if (sample.test(id)) {
        visitor.change(id, row);
      }
    };
  }

  private void awaitSink(Map<Integer, Long> ends) {
    step(OF_SINK);
    while (!log.isApplied(ends)) {
      monitor.pause(SINK_POLL);
      step(OF_SINK);
    }
  }

  private void step(String step) {
    monitor.at(step, counts());
  }

  /** What is done about each row that the target gives. */
  private Runnable rowRead(String step, Runnable catchingUp) {
    Runnable counter = counter(step);
    return () -> {
      monitor.rowRead();
      if (topic.isDue()) {
        catchingUp.run();
      }
      counter.run();
    };
  }

  /** Counts rows, and reports the step as often as a monitor is to have it. */
  private Runnable counter(String step) {
    long[] rows = {0};
    return () -> {
      rows[0]++;
      if (rows[0] % ROWS_PER_STEP == 0) {
        step(step);
      }
    };
  }

  private Judgement judgement(RowJoin next, boolean areRepaired) {
    return new Judgement(findings, next, toRepair, areRepaired, this::judged);
  }

  private void judged() {
    judged++;
    if (judged % ROWS_PER_STEP == 0) {
      step("compares");
    }
  }
}
