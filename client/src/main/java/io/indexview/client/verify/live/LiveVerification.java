package io.indexview.client.verify.live;

import io.indexview.client.verify.Row;
import io.indexview.client.verify.TargetReader;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

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
 */
public final class LiveVerification {
  static final int ROUNDS = 3;

  /** Of each kind. */
  static final int MAX_CASES = 250;

  private static final int MAX_FILES = 256;

  /** Of a row, expected and actual, in the join. */
  private static final long BYTES_PER_ROW = 500;

  /** A row that is read singly costs as much as so many that are scanned, about. */
  private static final int SCANNED_PER_READ = 20;

  private static final Duration SINK_POLL = Duration.ofMillis(200);
  private static final int ROWS_PER_STEP = 1_000;
  private static final String OF_SINK = "waits until the sink has applied what was derived before";

  private final RowLog log;
  private final TargetReader target;
  private final Path directory;
  private final long memoryBytes;
  private final Monitor monitor;
  private final List<Case> cases = new ArrayList<>();
  private long scanned;
  private long right;
  private long missing;
  private long extra;
  private long different;
  private long foreign;
  private long tombstones;
  private long unjudged;

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
    return new Counts(scanned, right, missing, extra, different, foreign, tombstones, unjudged);
  }

  /** The first {@value #MAX_CASES} of each kind, up to now. */
  public List<Case> cases() {
    return List.copyOf(cases);
  }

  /**
   * Runs it to its end; may be called once.
   *
   * @throws java.io.UncheckedIOException if the disk does not take the rows
   * @throws org.apache.kafka.common.KafkaException if the cluster does not answer
   * @throws RuntimeException what the target or the monitor throws
   */
  public void run() {
    Map<Integer, Long> begin = log.ends();
    int files = files(begin);
    RowJoin questions = new RowJoin(directory.resolve("round-1"), files);
    try {
      Map<Integer, Long> end;
      long open;
      try (RowJoin all = new RowJoin(directory.resolve("round-0"), files)) {
        end = scan(begin, all);
        open = finish(all, questions, true);
      }
      for (int round = 1; open > 0 && round <= ROUNDS; round++) {
        RowJoin asked = questions;
        questions = new RowJoin(directory.resolve("round-" + (round + 1)), files);
        try (asked) {
          end = reread(end, asked, open);
          open = finish(asked, questions, false);
        }
      }
      unjudged = open;
    } finally {
      questions.close();
    }
  }

  private int files(Map<Integer, Long> ends) {
    long records = ends.values().stream().mapToLong(Long::longValue).sum();
    return (int) Math.min(MAX_FILES, 1 + records * BYTES_PER_ROW / memoryBytes);
  }

  /** Where the topic ended when the target was read. */
  private Map<Integer, Long> scan(Map<Integer, Long> begin, RowJoin join) {
    awaitSink(begin);
    read("reads what was derived", Map.of(), begin, join::expect);
    step("reads the target");
    target.scan(new Scan(join));
    return readRest(begin, join);
  }

  private Map<Integer, Long> reread(Map<Integer, Long> begin, RowJoin join, long rows) {
    awaitSink(begin);
    String step = "reads %d rows once more".formatted(rows);
    step(step);
    if (rows * SCANNED_PER_READ < scanned) {
      join.forEachExpected(
          id -> {
            monitor.rowRead();
            monitor.at(step, counts());
            target.read(id).ifPresent(row -> join.found(id, RowImage.of(row)));
          });
    } else {
      target.scan(new SecondScan(step, join));
    }
    return readRest(begin, join);
  }

  private Map<Integer, Long> readRest(Map<Integer, Long> begin, RowJoin join) {
    Map<Integer, Long> end = log.ends();
    read("reads what was derived meanwhile", begin, end, join::moved);
    return end;
  }

  private void awaitSink(Map<Integer, Long> ends) {
    step(OF_SINK);
    while (!log.isApplied(ends)) {
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
    private final RowJoin join;

    Scan(RowJoin join) {
      this.join = join;
    }

    private void came() {
      scanned++;
      monitor.rowRead();
      if (scanned % ROWS_PER_STEP == 0) {
        step("reads the target");
      }
    }

    @Override
    public void row(Row row) {
      join.found(row.id(), RowImage.of(row));
      came();
    }

    @Override
    public void tombstone(String id) {
      tombstones++;
      came();
    }

    @Override
    public void foreign(String id, String reason) {
      foreign++;
      add(
          foreign,
          new Case(Kind.FOREIGN, id, "", OptionalLong.empty(), OptionalLong.empty(), reason));
      came();
    }
  }

  /** Where too many rows are in question to read them singly. */
  private final class SecondScan implements TargetReader.Visitor {
    private final String step;
    private final RowJoin join;
    private long rows;

    SecondScan(String step, RowJoin join) {
      this.step = step;
      this.join = join;
    }

    private void came() {
      rows++;
      monitor.rowRead();
      if (rows % ROWS_PER_STEP == 0) {
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
      came();
    }

    @Override
    public void foreign(String id, String reason) {
      came();
    }
  }

  /** How many rows are open after it. */
  private long finish(RowJoin join, RowJoin next, boolean isFirst) {
    Judgement judgement = new Judgement(next);
    join.finish(!isFirst, judgement);
    return judgement.open;
  }

  /** What is wrong once is read once more: an accusation rests on two reads. */
  private final class Judgement implements RowJoin.Results {
    private final RowJoin next;
    private long open;
    private long judged;

    Judgement(RowJoin next) {
      this.next = next;
    }

    private void came() {
      judged++;
      if (judged % ROWS_PER_STEP == 0) {
        step("compares");
      }
    }

    @Override
    public void right(String id, boolean stands) {
      if (stands) {
        right++;
      }
      came();
    }

    @Override
    public void moved(String id, Optional<RowImage> newest) {
      next.expect(id, newest);
      open++;
      came();
    }

    @Override
    public void wrong(
        String id, Optional<RowImage> expected, Optional<RowImage> actual, boolean again) {
      if (!again) {
        next.suspect(id, expected);
        open++;
      } else if (expected.isEmpty()) {
        extra++;
        add(extra, wrongRow(Kind.EXTRA, id, expected, actual));
      } else if (actual.isEmpty()) {
        missing++;
        add(missing, wrongRow(Kind.MISSING, id, expected, actual));
      } else {
        different++;
        add(different, wrongRow(Kind.DIFFERENT, id, expected, actual));
      }
      came();
    }
  }

  /**
   * @param ofKind how many of its kind there are with it
   */
  private void add(long ofKind, Case one) {
    if (ofKind <= MAX_CASES) {
      cases.add(one);
    }
  }

  private static Case wrongRow(
      Kind kind, String id, Optional<RowImage> expected, Optional<RowImage> actual) {
    OptionalLong should = revision(expected);
    OptionalLong is = revision(actual);
    return new Case(
        kind,
        id,
        expected.or(() -> actual).map(RowImage::primaryKey).orElse(""),
        should,
        is,
        cause(kind, should, is));
  }

  private static OptionalLong revision(Optional<RowImage> row) {
    return row.map(RowImage::revision).orElse(OptionalLong.empty());
  }

  private static String cause(Kind kind, OptionalLong should, OptionalLong is) {
    return switch (kind) {
      case MISSING -> "its last write was lost, or somebody else deleted it";
      case EXTRA -> "its deletion was lost, or somebody else wrote it";
      case FOREIGN -> "no row of the generation";
      case DIFFERENT -> {
        if (should.isEmpty() || is.isEmpty()) {
          yield "it holds other values";
        }
        int order = Long.compare(is.getAsLong(), should.getAsLong());
        yield order < 0
            ? "an older state of it: its last write was lost"
            : order > 0
                ? "a state that the app did not derive: somebody else wrote it"
                : "somebody else wrote its values";
      }
    };
  }
}
