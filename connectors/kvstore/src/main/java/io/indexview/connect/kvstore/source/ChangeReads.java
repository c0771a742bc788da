package io.indexview.connect.kvstore.source;

import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.source.ChangeFeed.Polled;
import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvRecord;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.time.Time;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Reads the keys that the store's changes name, and those whose entry in the index versions do not
 * vouch for, and tells the differences. A key is settled when a read found what the index has, or
 * when the index has taken what the read found: until then the position in the changes stays before
 * it. A read is made only when no snapshot read of its key is on its way, so that each has a base
 * that the next one follows.
 *
 * <p>Everything before the position is on the topic, provided that a scan was complete that began
 * after the last gap; see {@link #isCovered}.
 *
 * <p>Memory holds at most {@link #MAX_WAITING} keys and one batch that wait, some 200 bytes each,
 * and {@link #MAX_IN_FLIGHT} that are on their way. For one thread.
 */
final class ChangeReads implements AutoCloseable {
  private static final int MAX_WAITING = 50_000;
  private static final int MAX_IN_FLIGHT = 10_000;
  private static final int MAX_MARKS = 1_000;
  private static final Duration NOTHING_TO_DO = Duration.ofDays(1);
  private static final long MS = 1_000_000;

  /** What is not back from the topic by then never comes, and is left to a scan. */
  private static final Duration LOST_AFTER = Duration.ofMinutes(1);

  private final MaterializedTopic topic;
  private final ReadRateLimiter rateLimiter;
  private final ParallelReads reads;
  private final Duration delay;
  private final ScanProgress progress;
  private final Time time;

  /** Keys that wait to be read, the oldest first, except those that are read again. */
  private final Map<String, Waiting> waiting = new LinkedHashMap<>();

  /** Snapshot reads by key, the oldest first, of scans too. */
  private final Map<String, InFlight> inFlight = new LinkedHashMap<>();

  /** How many keys of a batch are not settled, by the number of the batch. */
  private final TreeMap<Long, Integer> open = new TreeMap<>();

  private final Deque<Mark> marks = new ArrayDeque<>();

  /** Keys that wait or are being read, and that no change names. */
  private final Set<String> unnamed = new HashSet<>();

  private long lastBatch;
  private KvChangePosition taken;
  private KvChangePosition position;
  private long namedUntil = Polled.NOT_PROVEN;
  private long provenAt = Polled.NOT_PROVEN;
  private Map<Integer, Long> provenEnds = Map.of();
  private long gaps;
  private long coveredGaps = -1;
  private long gapsBeforeScan = -1;
  private long readKeys;

  /**
   * @param dueAt like {@link System#nanoTime}
   */
  private record Waiting(long batch, long dueAt) {}

  /**
   * @param batch that named the key; {@link #SCAN}: a scan read it
   * @param sentAt like {@link System#nanoTime}
   */
  private record InFlight(long batch, boolean deleted, SourceVersion version, long sentAt) {
    private static final long SCAN = -1;

    boolean is(ChangeEvent event) {
      return event.origin() instanceof Origin.SnapshotRead read
          && Objects.equals(read.version(), version)
          && deleted == (event.op() == Op.DELETE);
    }
  }

  private record Mark(long batch, KvChangePosition next, long provenAt) {}

  /**
   * @param delay how long a key waits for others, and for the event of its writer
   */
  ChangeReads(
      MaterializedTopic topic,
      ReadRateLimiter rateLimiter,
      ParallelReads reads,
      Duration delay,
      ScanProgress progress,
      Time time) {
    this.progress = progress;
    this.topic = topic;
    this.rateLimiter = rateLimiter;
    this.reads = reads;
    this.delay = delay;
    this.time = time;
  }

  /**
   * The changes are followed from a position.
   *
   * @param from null: from now on
   * @param scanned whether a scan was complete that began before it, so that everything before it
   *     is on the topic
   */
  void goesOnFrom(KvChangePosition from, boolean scanned) {
    taken = from;
    position = from;
    coveredGaps = from != null && scanned ? gaps : coveredGaps;
    gapsBeforeScan = from == null ? -1 : gaps;
    if (topic.rereadOwed()) {
      gaps++;
    }
  }

  /**
   * Takes what came.
   *
   * @return whether changes may be missing, which only a scan finds
   */
  boolean take(ChangeFeed feed) {
    boolean gap = false;
    while (waiting.size() < MAX_WAITING) {
      Polled polled = feed.take();
      if (polled == null) {
        break;
      }
      lastBatch++;
      polled.batch().keys().forEach(key -> add(key.toString(), lastBatch));
      if (polled.hasGap()) {
        gaps++;
        gap = true;
      }
      taken = polled.batch().next();
      if (marks.size() == MAX_MARKS) {
        marks.removeFirst();
      }
      marks.add(new Mark(lastBatch, taken, polled.provenAt()));
      namedUntil = Math.max(namedUntil, polled.provenAt());
    }
    return gap;
  }

  private void add(String key, long batch) {
    Waiting before = waiting.get(key);
    if (before == null) {
      // In whole ms: keys that are named together are read together.
      waiting.put(
          key, new Waiting(batch, Math.floorDiv(time.nanoTime(), MS) * MS + delay.toNanos()));
      open.merge(batch, 1, Integer::sum);
    } else if (before.batch() > batch) {
      waiting.put(key, new Waiting(batch, before.dueAt()));
      release(before.batch());
      open.merge(batch, 1, Integer::sum);
    }
  }

  private void release(long batch) {
    open.merge(batch, -1, (all, less) -> all + less == 0 ? null : all + less);
  }

  private void settle(String key, long batch) {
    release(batch);
    if (!waiting.containsKey(key)) {
      unnamed.remove(key);
    }
  }

  /**
   * The entry of a key is to be compared with the store, whatever changes name: a scan passed it
   * over, or an event came that versions do not put in order.
   */
  void doubt(String key) {
    if (waiting.size() < MAX_WAITING) {
      unnamed.add(key);
      add(key, lastBatch);
    } else {
      gaps++;
    }
  }

  /**
   * A record is on its way to the topic.
   *
   * @param batch that named its key
   */
  private void sent(SourceRecord event, long batch) {
    Struct value = (Struct) event.value();
    Struct order = value.getStruct("source").getStruct("order");
    byte[] sequence = order.getBytes("sequence");
    InFlight before =
        inFlight.put(
            (String) event.key(),
            new InFlight(
                batch,
                value.getString("op").equals(Op.DELETE.code()),
                sequence == null ? null : new SourceVersion(order.getString("epoch"), sequence),
                time.nanoTime()));
    if (before != null && before.batch() != InFlight.SCAN) {
      // Only one of both is recognized when it comes back.
      add((String) event.key(), before.batch());
      release(before.batch());
    }
  }

  /** A snapshot read of a scan is on its way to the topic. */
  void sent(SourceRecord event) {
    if (inFlight.size() < MAX_IN_FLIGHT) {
      sent(event, InFlight.SCAN);
    }
  }

  /** The index materializes an event. */
  void materialized(
      KvRecordSet recordSet, byte[] bytes, Entry before, ChangeEvent event, boolean applied) {
    String key = new String(bytes, StandardCharsets.UTF_8);
    InFlight own = inFlight.get(key);
    if (own != null && own.is(event)) {
      inFlight.remove(key);
      if (applied) {
        settleOwn(key, own);
      } else if (own.batch() == InFlight.SCAN) {
        doubt(key);
      } else {
        release(own.batch());
        add(key, own.batch());
      }
    } else if (isDoubtful(before, event, applied)
        && KeyComparison.ownKey(recordSet, key).isPresent()) {
      doubt(key);
    }
  }

  /** A read that was not taken may be one of a scan, of which only so many are known here. */
  private static boolean isDoubtful(Entry before, ChangeEvent event, boolean applied) {
    return applied
        ? !isInOrder(before, event)
        : event.origin() instanceof Origin.SnapshotRead read && !read.adHoc();
  }

  private void settleOwn(String key, InFlight own) {
    if (own.batch() != InFlight.SCAN) {
      settle(key, own.batch());
    }
  }

  /**
   * Whether versions say that the event is newer than all that a read may have found before. Then
   * the change behind it was named, or will be. Not so over a tombstone: a read that finds nothing
   * carries the version that the index knew, and what came after that was removed as well.
   */
  private static boolean isInOrder(Entry before, ChangeEvent event) {
    return before != null
        && !before.deleted()
        && before.version() != null
        && event.origin() instanceof Origin.Versioned versioned
        && versioned.version().epoch().equals(before.version().epoch())
        && SourceVersion.compareSequences(
                versioned.version().sequence(), before.version().sequence())
            >= 0;
  }

  /** Whether keys are to be read that a restarted task would not know of. */
  boolean owesReread() {
    return !unnamed.isEmpty();
  }

  /**
   * Reads keys whose time has come.
   *
   * @param budget how many at most
   * @param mapper the records that tell of a difference
   * @return what to send
   * @throws RuntimeException as the store and the mapper do; the keys wait on then
   */
  List<SourceRecord> read(
      int budget, KeyComparison comparison, Function<SnapshotRead, List<SourceRecord>> mapper) {
    rateLimiter.tick(time.millis());
    List<String> keys = due(budget);
    if (keys.isEmpty()) {
      return List.of();
    }
    // Before the reads, all of them.
    List<Optional<Entry>> bases = keys.stream().map(topic::entry).toList();
    ParallelReads.Found found = reads.read(keys, comparison);
    rateLimiter.readOthers(found.others(), found.otherBytes());
    // A registry may not answer: until all are compared, all of them wait.
    List<List<SourceRecord>> differences = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      Entry base = bases.get(i).orElse(null);
      KvRecord record = found.records().get(i).orElse(null);
      differences.add(compare(keys.get(i), base, record, comparison, mapper));
    }
    List<SourceRecord> records = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      compared(keys.get(i), differences.get(i));
      records.addAll(differences.get(i));
    }
    readKeys += keys.size();
    return records;
  }

  private List<String> due(int budget) {
    long now = time.nanoTime();
    List<String> keys = new ArrayList<>();
    Iterator<Map.Entry<String, Waiting>> all = waiting.entrySet().iterator();
    while (all.hasNext()
        && keys.size() < budget
        && inFlight.size() + keys.size() < MAX_IN_FLIGHT
        && rateLimiter.allows()) {
      Map.Entry<String, Waiting> next = all.next();
      if (next.getValue().dueAt() - now > 0) {
        break;
      }
      if (!inFlight.containsKey(next.getKey())) {
        keys.add(next.getKey());
        rateLimiter.read(0);
      }
    }
    return keys;
  }

  private List<SourceRecord> compare(
      String key,
      Entry base,
      KvRecord found,
      KeyComparison comparison,
      Function<SnapshotRead, List<SourceRecord>> mapper) {
    if (found != null) {
      rateLimiter.readMore(found.value().length);
      comparison.older(key, base, found).ifPresent(topic::wentBack);
    }
    return comparison.compare(key, base, found).map(mapper).orElse(List.of());
  }

  private void compared(String key, List<SourceRecord> difference) {
    long batch = waiting.remove(key).batch();
    if (difference.isEmpty()) {
      settle(key, batch);
    } else {
      // A dead letter comes first.
      sent(difference.get(difference.size() - 1), batch);
    }
  }

  /** Advances the position to where everything is settled. */
  void advance() {
    loseOld();
    long settled = open.isEmpty() ? Long.MAX_VALUE : open.firstKey();
    while (!marks.isEmpty() && marks.getFirst().batch() < settled) {
      Mark mark = marks.removeFirst();
      position = mark.next();
      if (mark.provenAt() != Polled.NOT_PROVEN && isCovered()) {
        provenAt = Math.max(provenAt, mark.provenAt());
        provenEnds = topic.positions();
      }
    }
    forgetWhatIsToCome();
    progress.followed(provenAt, readKeys);
    if (topic.rereadOwed() && unnamed.isEmpty() && isCovered()) {
      topic.oweReread(false);
    }
  }

  /** Proofs of before a clock was set back would be untrue until it is there again. */
  private void forgetWhatIsToCome() {
    long now = time.millis();
    namedUntil = Math.min(namedUntil, now);
    if (provenAt > now) {
      provenAt = Polled.NOT_PROVEN;
      provenEnds = Map.of();
    }
  }

  private void loseOld() {
    Iterator<Map.Entry<String, InFlight>> oldest = inFlight.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<String, InFlight> next = oldest.next();
      if (time.nanoTime() - next.getValue().sentAt() < LOST_AFTER.toNanos()) {
        return;
      }
      oldest.remove();
      settleOwn(next.getKey(), next.getValue());
      gaps++;
    }
  }

  /** The index is another one, and knows nothing of what was settled. */
  void forget() {
    inFlight.forEach((key, own) -> settleOwn(key, own));
    inFlight.clear();
    gaps++;
    provenAt = Polled.NOT_PROVEN;
    provenEnds = Map.of();
  }

  /**
   * A scan begins.
   *
   * @param resumed it goes on with one that was begun before
   */
  void scanBegins(boolean resumed) {
    if (!resumed) {
      gapsBeforeScan = gaps;
    }
  }

  /** The scan is complete. */
  void scanned() {
    coveredGaps = Math.max(coveredGaps, gapsBeforeScan);
  }

  /** Whether a scan was complete that began after the last gap. */
  boolean isCovered() {
    return coveredGaps >= gaps;
  }

  /** Position before which everything is on the topic; empty: there is none. */
  Optional<KvChangePosition> position() {
    return isCovered() ? Optional.ofNullable(position) : Optional.empty();
  }

  /** No change before was taken that is not named; null: changes are not followed yet. */
  KvChangePosition taken() {
    return taken;
  }

  /**
   * Every change that was made before was named, and is read in its turn, ms since the epoch;
   * {@link Polled#NOT_PROVEN}: no time is known.
   */
  long namedUntil() {
    return namedUntil;
  }

  /**
   * Every change that was made before is before {@link #provenEnds}, ms since the epoch; {@link
   * Polled#NOT_PROVEN}: no time is known.
   */
  long provenAt() {
    return provenAt;
  }

  /** Per partition of the topic, an offset. */
  Map<Integer, Long> provenEnds() {
    return provenEnds;
  }

  /**
   * When to look again.
   *
   * @param onItsWay when something is to come back from the topic
   */
  Duration idle(Duration onItsWay) {
    if (waiting.isEmpty()) {
      return inFlight.isEmpty() ? NOTHING_TO_DO : onItsWay;
    }
    Map.Entry<String, Waiting> first = waiting.entrySet().iterator().next();
    long wait = first.getValue().dueAt() - time.nanoTime();
    if (!rateLimiter.allows() || inFlight.containsKey(first.getKey())) {
      return onItsWay;
    }
    return wait <= 0 ? Duration.ZERO : Duration.ofMillis((wait + MS - 1) / MS);
  }

  @Override
  public void close() {
    reads.close();
  }
}
