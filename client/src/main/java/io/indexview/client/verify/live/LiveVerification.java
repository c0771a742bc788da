package io.indexview.client.verify.live;

import io.indexview.client.verify.Row;
import io.indexview.client.verify.TargetReader;
import io.indexview.client.verify.live.RowRepairs.WrongRow;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Counts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Compares the rows of a generation in its target with those that the streams app derived, in both
 * directions, while both change. Not safe for use by several threads.
 *
 * <p>The topic of the generation is compacted, and its records are committed together with the
 * state that they are derived from. So what should be there at an offset is the newest record of
 * each row before it. A comparison notes the end of the topic, waits until the sink has applied
 * everything before it, reads the target, and only then the rest of the topic. A row with no record
 * in that rest was not to be written by anybody while the target was read: what is not equal then
 * is wrong. Every other row is on its way and is not judged.
 *
 * <p>The first comparison scans the whole target. What it did not judge, or found wrong, is
 * compared again, {@value #ROUNDS} times at most: by reads of single rows, or by another scan where
 * they are many. A row is called wrong when two comparisons say so; what was not judged then is
 * counted as unjudged.
 *
 * <p>Wrong rows may be repaired: those who own their records write them anew, and they are compared
 * once more in the same way.
 */
public final class LiveVerification {
  static final int ROUNDS = 3;

  private static final int MAX_FILES = 256;

  /** Of a row, expected and actual, in the join. */
  private static final long BYTES_PER_ROW = 500;

  /** A row that is read singly costs as much as so many that are scanned, about. */
  private static final int SCANNED_PER_READ = 20;

  private static final Duration SINK_POLL = Duration.ofMillis(200);
  private static final Duration REPAIR_POLL = Duration.ofMillis(50);
  private static final int ROWS_PER_STEP = 1_000;
  private static final String OF_SINK = "waits until the sink has applied what was derived before";
  private static final String OF_TARGET = "reads the target";
  private static final String OF_REPAIRS = "waits until wrong rows are written anew";
  private static final int ROWS_PER_REPAIR = 1_000;

  private final RowLog log;
  private final TargetReader target;
  private final Path directory;
  private final long memoryBytes;
  private final Monitor monitor;
  private final Findings findings = new Findings();
  private final List<RowJoin> joins = new ArrayList<>();
  private int files;

  /** Where the topic ended when the target was last read. */
  private Map<Integer, Long> end = Map.of();

  /** Follows a verification; what it throws ends it. */
  public interface Monitor {
    /** Is called often: at least once for {@value #ROWS_PER_STEP} rows, and while it waits. */
    void at(String step, Counts counts);

    /** Was given a row of the target. */
    void rowRead();

    void pause(Duration duration);
  }

  /**
   * @param log of the generation that serves; stays open
   * @param directory for files as large as both sides' keys, which are removed; nobody else's
   * @param memoryBytes how much the rows of one file may take, about
   */
  public LiveVerification(
      RowLog log, TargetReader target, Path directory, long memoryBytes, Monitor monitor) {
    this.log = log;
    this.target = target;
    this.directory = directory;
    this.memoryBytes = memoryBytes;
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
   * @throws java.io.UncheckedIOException if the disk does not take the rows
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
   * @throws RuntimeException what the target or the monitor throws
   */
  public void run(Optional<RowRepairs> repairs) {
    end = log.ends();
    files = files(end);
    try {
      Optional<RowJoin> wrong = repairs.map(unused -> join("wrong"));
      Judgement judgement = new Comparison(wrong);
      RowJoin all = join("all");
      scan(all);
      RowJoin questions = join("questions-0");
      long open = judgement.of(all, false, questions);
      close(all);
      settle(questions, open, ROUNDS, judgement);
      if (repairs.isPresent() && counts().wrong() > 0) {
        RowJoin asked = join("repaired-0");
        repair(repairs.get(), wrong.orElseThrow(), asked);
        // In the first round the repair itself came meanwhile.
        settle(asked, counts().wrong(), ROUNDS + 1, new Recheck());
      }
    } finally {
      List.copyOf(joins).forEach(this::close);
    }
  }

  private RowJoin join(String name) {
    RowJoin join = new RowJoin(directory.resolve(name), files);
    joins.add(join);
    return join;
  }

  private void close(RowJoin join) {
    joins.remove(join);
    join.close();
  }

  /** Reads rows in question once more, until none is open or the rounds are over. */
  private void settle(RowJoin questions, long open, int rounds, Judgement judgement) {
    RowJoin asked = questions;
    long left = open;
    for (int round = 1; left > 0 && round <= rounds; round++) {
      reread(asked, left);
      RowJoin next = join("%s-%d".formatted(judgement.getClass().getSimpleName(), round));
      left = judgement.of(asked, true, next);
      close(asked);
      asked = next;
    }
    findings.unjudged(left);
    close(asked);
  }

  private void repair(RowRepairs repairs, RowJoin wrong, RowJoin asked) {
    repairs.begin(counts().wrong());
    await("tells that rows are wrong", repairs);
    List<WrongRow> batch = new ArrayList<>();
    wrong.finish(
        true,
        new WrongRows(
            asked,
            row -> {
              batch.add(row);
              if (batch.size() == ROWS_PER_REPAIR) {
                repair(repairs, batch);
              }
            }));
    if (!batch.isEmpty()) {
      repair(repairs, batch);
    }
  }

  private void repair(RowRepairs repairs, List<WrongRow> batch) {
    repairs.ask(List.copyOf(batch));
    await(OF_REPAIRS, repairs);
    batch.clear();
  }

  private void await(String step, RowRepairs repairs) {
    step(step);
    while (!repairs.isDone()) {
      monitor.pause(REPAIR_POLL);
      step(step);
    }
  }

  private int files(Map<Integer, Long> ends) {
    long records = ends.values().stream().mapToLong(Long::longValue).sum();
    return (int) Math.min(MAX_FILES, 1 + records * BYTES_PER_ROW / memoryBytes);
  }

  private void scan(RowJoin join) {
    awaitSink();
    read("reads what was derived", Map.of(), end, join::expect);
    step(OF_TARGET);
    target.scan(new Scan(OF_TARGET, join, true));
    readRest(join);
  }

  private void reread(RowJoin join, long rows) {
    awaitSink();
    String step = "reads %d rows once more".formatted(rows);
    step(step);
    if (rows * SCANNED_PER_READ < counts().scanned()) {
      join.forEachExpected(
          id -> {
            monitor.rowRead();
            monitor.at(step, counts());
            target.read(id).ifPresent(row -> join.found(id, RowImage.of(row)));
          });
    } else {
      target.scan(new Scan(step, join, false));
    }
    readRest(join);
  }

  private void readRest(RowJoin join) {
    Map<Integer, Long> begin = end;
    end = log.ends();
    read("reads what was derived meanwhile", begin, end, join::moved);
  }

  private void awaitSink() {
    step(OF_SINK);
    while (!log.isApplied(end)) {
      monitor.pause(SINK_POLL);
      step(OF_SINK);
    }
  }

  private interface Taker {
    void take(String id, Optional<RowImage> row);
  }

  private void read(String step, Map<Integer, Long> from, Map<Integer, Long> to, Taker taker) {
    step(step);
    long[] rows = {0};
    log.read(
        from,
        to,
        (id, row) -> {
          taker.take(id, row.map(RowImage::of));
          rows[0]++;
          if (rows[0] % ROWS_PER_STEP == 0) {
            step(step);
          }
        });
  }

  private void step(String step) {
    monitor.at(step, counts());
  }

  private final class Scan implements TargetReader.Visitor {
    private final String step;
    private final RowJoin join;
    private final boolean isFirst;
    private long came;

    /**
     * @param isFirst whether what comes counts, and not only what is asked for
     */
    Scan(String step, RowJoin join, boolean isFirst) {
      this.step = step;
      this.join = join;
      this.isFirst = isFirst;
    }

    private void came() {
      came++;
      if (isFirst) {
        findings.scanned();
      }
      monitor.rowRead();
      if (came % ROWS_PER_STEP == 0) {
        step(step);
      }
    }

    @Override
    public void row(Row row) {
      join.found(row.id(), RowImage.of(row));
      came();
    }

    @Override
    public void tombstone(String id) {
      if (isFirst) {
        findings.tombstone();
      }
      came();
    }

    @Override
    public void foreign(String id, String reason) {
      if (isFirst) {
        findings.foreign(id, reason);
      }
      came();
    }
  }

  /** What is wrong once is read once more: an accusation rests on two reads. */
  private abstract class Judgement implements RowJoin.Results {
    private RowJoin next;
    private long open;
    private long judged;

    /**
     * Judges what was read.
     *
     * @param onlyAsked whether rows that nothing was expected of are of no interest
     * @param stillOpen takes what is open after it
     * @return how many those are
     */
    final long of(RowJoin rows, boolean onlyAsked, RowJoin stillOpen) {
      next = stillOpen;
      open = 0;
      rows.finish(onlyAsked, this);
      return open;
    }

    abstract void isRight(String id, boolean stands);

    abstract void isWrong(String id, Optional<RowImage> expected, Optional<RowImage> actual);

    private void came() {
      judged++;
      if (judged % ROWS_PER_STEP == 0) {
        step("compares");
      }
    }

    @Override
    public final void right(String id, boolean stands) {
      isRight(id, stands);
      came();
    }

    @Override
    public final void moved(String id, Optional<RowImage> newest) {
      next.expect(id, newest);
      open++;
      came();
    }

    @Override
    public final void wrong(
        String id, Optional<RowImage> expected, Optional<RowImage> actual, boolean again) {
      if (again) {
        isWrong(id, expected, actual);
      } else {
        next.suspect(id, expected);
        open++;
      }
      came();
    }
  }

  private final class Comparison extends Judgement {
    private final Optional<RowJoin> wrongRows;

    /**
     * @param wrongRows takes those
     */
    Comparison(Optional<RowJoin> wrongRows) {
      this.wrongRows = wrongRows;
    }

    @Override
    void isRight(String id, boolean stands) {
      if (stands) {
        findings.right();
      }
    }

    @Override
    void isWrong(String id, Optional<RowImage> expected, Optional<RowImage> actual) {
      findings.wrong(id, expected, actual);
      wrongRows.ifPresent(
          wrong -> {
            wrong.expect(id, expected);
            actual.ifPresent(row -> wrong.found(id, row));
          });
    }
  }

  /** Of rows that were repaired. */
  private final class Recheck extends Judgement {
    @Override
    void isRight(String id, boolean stands) {
      findings.repaired(id);
    }

    @Override
    void isWrong(String id, Optional<RowImage> expected, Optional<RowImage> actual) {
      // It stays as it was reported.
    }
  }

  /** Passes on what is to be done about wrong rows. */
  private final class WrongRows implements RowJoin.Results {
    private final RowJoin asked;
    private final Consumer<WrongRow> rows;

    /**
     * @param asked takes what the rows should be
     */
    WrongRows(RowJoin asked, Consumer<WrongRow> rows) {
      this.asked = asked;
      this.rows = rows;
    }

    @Override
    public void right(String id, boolean stands) {
      throw new IllegalStateException("row was kept as a wrong one: " + id);
    }

    @Override
    public void moved(String id, Optional<RowImage> newest) {
      throw new IllegalStateException("row was kept as a wrong one: " + id);
    }

    @Override
    public void wrong(
        String id, Optional<RowImage> expected, Optional<RowImage> actual, boolean again) {
      asked.expect(id, expected);
      if (expected.isPresent()) {
        rows.accept(
            new WrongRow(expected.get().primaryKey(), RowImage.revision(actual), Optional.empty()));
      } else {
        monitor.rowRead();
        target
            .read(id)
            .ifPresent(
                row ->
                    rows.accept(
                        new WrongRow(row.primaryKey(), row.revision(), Optional.of(row.key()))));
      }
    }
  }
}
