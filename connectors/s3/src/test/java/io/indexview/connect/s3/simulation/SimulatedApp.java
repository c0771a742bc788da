package io.indexview.connect.s3.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.index.ChangeTopicReader.LoggedEvent;
import io.indexview.connect.s3.FakeLog;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import io.indexview.schemas.registry.SchemaRegistries;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * The streams app as far as it decides which event counts. Refuses a snapshot read that undoes what
 * was told of a later time, unless it is of an ad-hoc snapshot: nothing holds that one up.
 */
final class SimulatedApp {
  private static final FramedValue WRONG = new FramedValue(0, new byte[0], 0, 0);

  private final FakeLog log;
  private final OrderGuard guard = new OrderGuard(Duration.ofDays(15));
  private final ChangeEventReader reader =
      new ChangeEventReader(
          SchemaRegistries.create(Map.of("schema.registry.url", FakeLog.REGISTRY)),
          RecordFormat.ENVELOPE);
  private final Map<String, Entry> entries = new HashMap<>();
  private final Map<String, Long> contents = new TreeMap<>();

  /** Of each record, the number of changes of the bucket that it knows of. */
  private final Map<SourceRecord, Integer> asOf = new IdentityHashMap<>();

  private final Map<Long, SourceRecord> byOffset = new HashMap<>();
  private final Map<String, Integer> newestNotified = new HashMap<>();
  private int offset;
  private boolean isStopped;

  SimulatedApp(FakeLog log) {
    this.log = log;
    this.offset = log.events().size();
  }

  void notified(SourceRecord record, int change) {
    asOf.put(record, change);
  }

  void read(SourceRecord record, int change) {
    asOf.put(record, change);
  }

  void arrived(long at, SourceRecord record) {
    byOffset.put(at, record);
  }

  /** Reads on to the end of the topic. */
  void materialize() {
    if (isStopped) {
      return;
    }
    List<LoggedEvent> events = log.events();
    events.subList(offset, events.size()).forEach(this::materialize);
    offset = events.size();
  }

  /** Reads nothing from now on. */
  boolean stops() {
    isStopped = true;
    return true;
  }

  boolean isStopped() {
    return isStopped;
  }

  /** Reads on; what came meanwhile it never reads. */
  void startsAtTheEnd() {
    offset = log.events().size();
    isStopped = false;
  }

  private void materialize(LoggedEvent logged) {
    String key = new String(logged.key(), StandardCharsets.UTF_8);
    ChangeEvent event = read(logged);
    SourceRecord record = byOffset.get(logged.offset());
    Decision decision = guard.decide(entries.get(key), event, logged.offset(), logged.offset());
    if (event.origin() instanceof Origin.SnapshotRead seen && !seen.adHoc() && decision.applied()) {
      assertThat(asOf.get(record))
          .as("a snapshot read of %s that undoes a later event", key)
          .isGreaterThanOrEqualTo(newestNotified.getOrDefault(key, 0));
    } else if (event.origin() instanceof Origin.Versioned) {
      newestNotified.merge(key, asOf.get(record), Math::max);
    }
    if (decision.next() != null) {
      entries.put(key, decision.next());
    }
    if (decision.applied()) {
      Struct file = ((Struct) record.value()).getStruct("after");
      if (file == null) {
        contents.remove(key);
      } else {
        contents.put(key, file.getInt64("size"));
      }
    }
  }

  private ChangeEvent read(LoggedEvent logged) {
    try {
      return reader.read(logged.value(), logged.timestampMs()).orElseThrow();
    } catch (MalformedEventException e) {
      throw new AssertionError(e);
    }
  }

  /** What it holds of a key is of no object, though its version is; nobody can tell that. */
  void corrupt(String key) {
    Entry held = entries.get(key);
    entries.put(
        key,
        new Entry(
            held == null ? null : held.version(),
            false,
            held == null ? List.of() : held.left(),
            held == null ? 1 : held.revision(),
            held == null ? -1 : held.offset(),
            0,
            WRONG));
    contents.put(key, -1L);
  }

  /** Takes away what was last touched before an ad-hoc snapshot, which is in the topic now. */
  void purge(long begin, long nowMs) {
    entries.replaceAll(
        (key, entry) -> {
          if (entry.deleted() || entry.offset() >= begin) {
            return entry;
          }
          contents.remove(key);
          return OrderGuard.inferredTombstone(entry, nowMs);
        });
  }

  /** Sizes of the files that there are, by object key. */
  Map<String, Long> alive() {
    Map<String, Long> alive = new TreeMap<>();
    contents.forEach(
        (key, size) -> alive.put(key.substring(BucketWorld.BUCKET.length() + 1), size));
    return alive;
  }
}
