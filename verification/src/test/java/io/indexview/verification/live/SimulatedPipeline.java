package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.verification.Row;
import io.indexview.verification.TargetReader;
import io.indexview.verification.live.SimulatedRecord.Fate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;

/**
 * An app that commits and aborts transactions of rows over two partitions, a commit reaching them
 * one after the other, and a sink that applies them in order, crashes, and applies once more what
 * it had not committed. Somebody else writes into its target. Whenever the verification does
 * anything, the rest goes on, too.
 */
final class SimulatedPipeline implements RowLog, TargetReader, LiveVerification.Monitor {
  private static final int PARTITIONS = 2;
  private static final int IDS = 24;

  /** Of the target, between which a scan may go on. */
  private static final int PARTS = 5;

  /** Rows of one at most. */
  static final int MAX_PART = (IDS + 3 + PARTS - 1) / PARTS;

  /** Where everything goes on at each record, more come than are read. */
  private static final int MAX_RECORDS = 5_000;

  private final Random random;

  /** How likely it is that the rest goes on by another step. */
  private final double speed;

  private final List<List<SimulatedRecord>> log = List.of(new ArrayList<>(), new ArrayList<>());
  private final int[] applied = new int[PARTITIONS];
  private final int[] committed = new int[PARTITIONS];
  private final Map<String, Row> target = new LinkedHashMap<>();

  /** Revisions of tombstones that somebody else wrote, by ids of rows that are not there. */
  private final Map<String, Long> tombstones = new HashMap<>();

  /** Whose row somebody else wrote, and the sink has not since. */
  private final Set<String> tampered = new TreeSet<>();

  /** What of it was there when the target was begun to be read. */
  private final Set<String> tamperedBefore = new TreeSet<>();

  private final Set<String> everTampered = new TreeSet<>();
  private boolean mayTamper;

  /** One in so many of its steps it does. */
  private final int sinkRests;

  /** Whether the target keeps what is of a later revision. */
  private final boolean fenced;

  private final Set<String> writtenAnew = new TreeSet<>();
  private boolean resting;
  private long scanned;
  private int crashIn = Integer.MAX_VALUE;
  private List<SimulatedRecord> open = new ArrayList<>();
  private long revision;

  /**
   * @param mayTamper whether somebody else writes into the target
   */
  SimulatedPipeline(long seed, boolean mayTamper) {
    this.random = new Random(seed);
    this.mayTamper = mayTamper;
    this.sinkRests = new int[] {1, 1, 4, 30}[random.nextInt(4)];
    this.fenced = random.nextBoolean();
    this.speed = new double[] {0.2, 0.5, 0.8, 0.9}[random.nextInt(4)];
    for (int i = 0; i < 200; i++) {
      step();
    }
  }

  private static int partition(String id) {
    return id.hashCode() & 1;
  }

  private void goOn() {
    crashIn--;
    if (crashIn < 0) {
      throw new CrashException();
    }
    while (!resting && random.nextDouble() < speed) {
      step();
    }
  }

  private void step() {
    switch (random.nextInt(10)) {
      case 0, 1, 2 -> derive();
      case 3 -> finishTransaction(random.nextInt(4) > 0 ? Fate.COMMITTED : Fate.ABORTED);
      case 4, 5, 6 -> {
        if (random.nextInt(sinkRests) == 0) {
          applyOne(random.nextInt(PARTITIONS));
        }
      }
      case 7 -> commitOffset(random.nextInt(PARTITIONS));
      case 8 -> {
        if (random.nextInt(8) == 0) {
          int partition = random.nextInt(PARTITIONS);
          applied[partition] = committed[partition];
        }
      }
      default -> {
        if (mayTamper && random.nextInt(3) == 0) {
          tamper();
        }
      }
    }
  }

  private void derive() {
    if (log.get(0).size() + log.get(1).size() > MAX_RECORDS) {
      return;
    }
    // A few rows change often, the others seldom.
    String id = "row-" + (random.nextInt(3) > 0 ? random.nextInt(4) : random.nextInt(IDS));
    revision++;
    Optional<Row> row = random.nextInt(4) == 0 ? Optional.empty() : Optional.of(newRow(id));
    append(id, row);
  }

  private void append(String id, Optional<Row> row) {
    SimulatedRecord record = new SimulatedRecord(id, row, revision);
    log.get(partition(id)).add(record);
    open.add(record);
  }

  private Row newRow(String id) {
    return new Row(
        id,
        "of-" + id,
        Map.of("id", id),
        Map.of("value", random.nextInt(3)),
        OptionalLong.of(revision));
  }

  private void finishTransaction(Fate fate) {
    // The markers come to the partitions one after the other.
    int first = random.nextInt(PARTITIONS);
    finish(first, fate);
    if (random.nextBoolean()) {
      applyOne(first);
    }
    finish(1 - first, fate);
    open = new ArrayList<>();
  }

  private void finish(int partition, Fate fate) {
    open.stream().filter(one -> partition(one.id) == partition).forEach(one -> one.fate = fate);
  }

  private void applyOne(int partition) {
    List<SimulatedRecord> records = log.get(partition);
    if (applied[partition] == records.size() || records.get(applied[partition]).fate == Fate.OPEN) {
      return;
    }
    SimulatedRecord next = records.get(applied[partition]);
    applied[partition]++;
    if (next.fate == Fate.COMMITTED && !isFenced(next)) {
      next.row.ifPresentOrElse(row -> target.put(next.id, row), () -> target.remove(next.id));
      tombstones.remove(next.id);
      tampered.remove(next.id);
    }
  }

  private boolean isFenced(SimulatedRecord record) {
    return fenced && revision(record.id).orElse(0) > record.revision;
  }

  private OptionalLong revision(String id) {
    Row stored = target.get(id);
    Long tombstone = tombstones.get(id);
    return stored != null
        ? stored.revision()
        : tombstone != null ? OptionalLong.of(tombstone) : OptionalLong.empty();
  }

  private void commitOffset(int partition) {
    committed[partition] = Math.max(committed[partition], applied[partition]);
  }

  private void tamper() {
    String id = "row-" + random.nextInt(IDS + 3);
    Row before = target.get(id);
    if (before == null || random.nextBoolean()) {
      tombstones.remove(id);
      target.put(
          id,
          new Row(
              id,
              "of-" + id,
              Map.of("id", id),
              Map.of("value", "planted" + random.nextInt()),
              OptionalLong.of(
                  before == null || random.nextInt(4) == 0
                      ? revision + random.nextInt(20) - 10
                      : before.revision().getAsLong())));
    } else {
      target.remove(id);
      if (random.nextBoolean()) {
        tombstones.put(id, revision + random.nextInt(20) - 10);
      }
    }
    tampered.add(id);
    everTampered.add(id);
  }

  void tamperNoMore() {
    mayTamper = false;
  }

  /** What nobody but somebody else has written since the target was begun to be read. */
  Set<String> wrongThroughout() {
    Set<String> still = new TreeSet<>(tamperedBefore);
    still.retainAll(tampered);
    return still;
  }

  Set<String> everTampered() {
    return everTampered;
  }

  /** What should be there by the whole log, as if nothing were open. */
  Map<String, Row> standing() {
    Map<String, Row> rows = new TreeMap<>();
    for (List<SimulatedRecord> records : log) {
      for (SimulatedRecord record : records) {
        if (record.fate == Fate.COMMITTED) {
          record.row.ifPresentOrElse(row -> rows.put(record.id, row), () -> rows.remove(record.id));
        }
      }
    }
    return rows;
  }

  Map<String, Row> stored() {
    return new TreeMap<>(target);
  }

  /** Rows that are not as they should be. */
  Set<String> wrong() {
    Map<String, Row> should = standing();
    Set<String> wrong = new TreeSet<>(should.keySet());
    wrong.addAll(target.keySet());
    wrong.removeIf(id -> Objects.equals(should.get(id), target.get(id)));
    return wrong;
  }

  /** Rows that were asked for to be written anew. */
  Set<String> writtenAnew() {
    return writtenAnew;
  }

  /** The app does what it is asked, after some time. */
  RepairRequests repairs() {
    return new RepairRequests() {
      private final Deque<WrongRow> rows = new ArrayDeque<>();
      private boolean isReported;

      @Override
      public void begin(long wrong) {
        assertThat(wrong).isPositive();
      }

      @Override
      public void ask(List<WrongRow> more) {
        assertThat(isReported).isTrue();
        assertThat(more).isNotEmpty();
        rows.addAll(more);
      }

      @Override
      public boolean isDone() {
        goOn();
        if (random.nextBoolean()) {
          isReported = true;
          return rows.isEmpty();
        }
        List<WrongRow> some = new ArrayList<>();
        while (!rows.isEmpty() && random.nextInt(3) > 0) {
          some.add(rows.remove());
        }
        finishTransaction(Fate.COMMITTED);
        Map<String, Row> standing = standing();
        some.forEach(row -> writeAnew(row, standing));
        finishTransaction(Fate.COMMITTED);
        return false;
      }

      @Override
      public void close() {}
    };
  }

  private void writeAnew(RepairRequests.WrongRow wrong, Map<String, Row> standing) {
    String id = wrong.primaryKey().substring("of-".length());
    writtenAnew.add(id);
    Optional<Row> stands = Optional.ofNullable(standing.get(id));
    revision = Math.max(revision, wrong.revision().orElse(0)) + 1;
    append(
        id,
        stands.map(
            row ->
                new Row(id, row.primaryKey(), row.key(), row.values(), OptionalLong.of(revision))));
  }

  /** Nothing changes any more but by the sink, which comes to the end. */
  void settle() {
    finishTransaction(Fate.COMMITTED);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      while (applied[partition] < log.get(partition).size()) {
        applyOne(partition);
      }
      commitOffset(partition);
    }
    resting = true;
  }

  @Override
  public Map<Integer, Long> ends() {
    goOn();
    Map<Integer, Long> ends = new HashMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      ends.put(partition, (long) log.get(partition).size());
    }
    return ends;
  }

  @Override
  public boolean isApplied(Map<Integer, Long> ends) {
    goOn();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (int offset = committed[partition]; offset < ends.get(partition); offset++) {
        if (log.get(partition).get(offset).fate != Fate.ABORTED) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public void read(Map<Integer, Long> from, Map<Integer, Long> to, RowLog.Visitor visitor) {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (long offset = from.getOrDefault(partition, 0L); offset < to.get(partition); offset++) {
        goOn();
        SimulatedRecord record = log.get(partition).get((int) offset);
        if (record.fate == Fate.OPEN) {
          finishTransaction(Fate.COMMITTED);
        }
        if (record.fate == Fate.COMMITTED) {
          visitor.change(record.id, record.row.map(this::content));
        }
      }
    }
  }

  @Override
  public String id(GenericRecord key) {
    throw new UnsupportedOperationException("the log is read as rows");
  }

  @Override
  public Row expected(GenericRecord key, GenericRecord value, long rowRevision) {
    throw new UnsupportedOperationException("the log is read as rows");
  }

  @Override
  public void scan(TargetReader.Visitor visitor) {
    tamperedBefore.addAll(tampered);
    for (int part = 0; part < PARTS; part++) {
      forEachStored(part, visitor::row);
    }
  }

  /**
   * Some rows are decoded, some are not, and some of these are written otherwise than rows are. A
   * position is the number of the part that comes next.
   */
  @Override
  public void scanContents(ContentVisitor visitor, Optional<String> from, List<String> sample) {
    int first = from.map(Integer::parseInt).orElse(0);
    if (first == 0) {
      tamperedBefore.clear();
      tamperedBefore.addAll(tampered);
    }
    for (int part = first; part < PARTS; part++) {
      forEachStored(
          part,
          row -> {
            scanned++;
            byte[] content = content(row).content();
            switch (random.nextInt(4)) {
              case 0 -> visitor.row(row);
              case 1 -> visitor.content(row.id(), Arrays.copyOf(content, content.length + 1));
              default -> visitor.content(row.id(), content);
            }
          });
      visitor.reached(Integer.toString(part + 1));
    }
  }

  /** Rows that all scans of contents came by. */
  long scanned() {
    return scanned;
  }

  void crashAfter(int steps) {
    crashIn = steps;
  }

  private void forEachStored(int part, Consumer<Row> visitor) {
    List<String> ids = new ArrayList<>();
    for (int i = part; i < IDS + 3; i += PARTS) {
      ids.add("row-" + i);
    }
    Collections.shuffle(ids, random);
    for (String id : ids) {
      goOn();
      Row row = target.get(id);
      if (row != null) {
        visitor.accept(row);
      }
    }
  }

  @Override
  public Optional<Row> read(String id, Meter meter) {
    goOn();
    return Optional.ofNullable(target.get(id));
  }

  @Override
  public OptionalLong revision(String id, Meter meter) {
    goOn();
    return revision(id);
  }

  @Override
  public void at(String step, Counts counts) {
    goOn();
  }

  @Override
  public void rowRead() {
    goOn();
  }

  @Override
  public void consumed(long bytes, double readUnits) {
    goOn();
  }

  @Override
  public void pause(Duration duration) {
    for (int i = 0; i < 20; i++) {
      if (!resting) {
        step();
      }
      applyOne(i % PARTITIONS);
    }
    if (resting) {
      commitOffset(0);
      commitOffset(1);
    }
  }

  @Override
  public void forEach(Consumer<Row> rows) {
    target.values().forEach(rows);
  }

  @Override
  public void close() {}
}
