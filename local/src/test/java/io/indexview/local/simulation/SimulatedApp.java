package io.indexview.local.simulation;

import io.indexview.connect.common.index.ChangeTopicReader.LoggedEvent;
import io.indexview.connect.common.index.FakeTopic;
import io.indexview.connect.kvstore.source.People;
import io.indexview.connect.kvstore.source.SteppedSource;
import io.indexview.kvstore.KvRecord;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.Delta;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;

/**
 * The app's side: the topic materialized by the order guard as soon as it grows, what ad-hoc
 * snapshots delete, some time after they are complete, tombstones that expire, and the rows of a
 * view, kept by applying what changes only.
 */
final class SimulatedApp {
  private static final ViewGeneration BY_NAME =
      ViewGeneration.freeze(
          new ViewDefinitionParser()
              .parse(
                  "by-name.yaml",
                  "{name: by-name, source: people, key: [name], include: [org], target: kv,"
                      + " layout: key-value}"),
          1,
          new RecordSet("people", "people", RecordFormat.ENVELOPE, List.of(), People.SCHEMA),
          new Topics("test"));

  /** In a partition. */
  private static final int MAX_OLDER_READS = 2;

  private static final CompiledView VIEW = CompiledView.compile(BY_NAME, People.SCHEMA);

  private final OrderGuard guard = new OrderGuard(SteppedSource.RETENTION);
  private final GenericDatumReader<GenericRecord> records = new GenericDatumReader<>(People.SCHEMA);
  private final ChangeEventReader reader;
  private final FakeTopic topic;
  private final long[] positions;
  private final Map<String, Entry> entries = new HashMap<>();
  private final Map<String, Integer> partitions = new HashMap<>();
  private final Set<ViewRow> rows = new HashSet<>();
  private final Map<String, OlderRead> olderReads = new HashMap<>();
  private Scan snapshot;
  private long snapshotAt;
  private boolean storeWentBack;

  /** Offsets of a read of an ad-hoc snapshot that was refused, and of what was known before it. */
  private record OlderRead(long known, long read) {}

  SimulatedApp(FakeTopic topic, SchemaRegistry registry) {
    this.topic = topic;
    this.positions = new long[topic.bounds().ends().size()];
    this.reader = new ChangeEventReader(registry, RecordFormat.ENVELOPE);
  }

  /** Materializes what came. */
  void materialize(long now) {
    for (int partition = 0; partition < positions.length; partition++) {
      List<LoggedEvent> events = topic.events(partition);
      while (positions[partition] < events.size()) {
        materialize(events.get((int) positions[partition]++), now);
      }
    }
  }

  private void materialize(LoggedEvent logged, long now) {
    String key = new String(logged.key(), StandardCharsets.UTF_8);
    partitions.put(key, logged.partition());
    Entry entry = isUnnamed(key, entries.get(key)) ? gone(key) : entries.get(key);
    ChangeEvent event = read(logged.value(), logged.timestampMs());
    Decision decision = guard.decide(entry, event, logged.offset(), now);
    noteIfOlder(key, entry, event, decision, logged.offset());
    if (decision.next() != null) {
      replace(key, decision.next());
    }
  }

  private void noteIfOlder(
      String key, Entry known, ChangeEvent event, Decision decision, long offset) {
    if (decision.applied()) {
      olderReads.remove(key);
    } else if (event.op() != Op.DELETE
        && event.origin() instanceof Origin.SnapshotRead read
        && read.adHoc()) {
      OlderRead before = olderReads.get(key);
      boolean isAgain = before != null && before.read() == known.offset();
      olderReads.put(key, new OlderRead(isAgain ? before.known() : known.offset(), offset));
      forgetLatestOf(partitions.get(key));
    }
  }

  private void forgetLatestOf(int partition) {
    List<String> keys =
        olderReads.keySet().stream().filter(key -> partitions.get(key) == partition).toList();
    if (keys.size() > MAX_OLDER_READS) {
      keys.stream()
          .max(Comparator.comparingLong(key -> olderReads.get(key).known()))
          .ifPresent(olderReads::remove);
    }
  }

  ChangeEvent read(byte[] event, long timestampMs) {
    try {
      return reader.read(event, timestampMs).orElseThrow();
    } catch (MalformedEventException e) {
      throw new AssertionError("nobody should publish what cannot be read", e);
    }
  }

  private void replace(String key, Entry next) {
    Delta delta = Delta.between(rows(key, entries.put(key, next)), rows(key, next));
    rows.removeIf(row -> delta.deletes().stream().anyMatch(gone -> sameKey(gone, row)));
    rows.removeIf(row -> delta.upserts().stream().anyMatch(upsert -> sameKey(upsert, row)));
    rows.addAll(delta.upserts());
  }

  private static boolean sameKey(ViewRow one, ViewRow other) {
    return Arrays.equals(one.keyBody(), other.keyBody());
  }

  private List<ViewRow> rows(String key, Entry entry) {
    if (entry == null || entry.deleted()) {
      return List.of();
    }
    FramedValue value = entry.value();
    return rows(key, value.buffer(), value.offset(), value.length());
  }

  private List<ViewRow> rows(String key, byte[] bytes, int offset, int length) {
    try {
      GenericRecord record =
          records.read(null, DecoderFactory.get().binaryDecoder(bytes, offset, length, null));
      return VIEW.rows(record, key);
    } catch (IOException | DerivationException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * The source completed a scan. Past an ad-hoc snapshot, what it did not name is gone: an event of
   * its key finds it so, and the clean-up removes it some time later.
   */
  void scanned(Scan scan, long now) {
    if (scan.adHoc() && !scan.equals(snapshot)) {
      snapshot = scan;
      snapshotAt = now;
      olderReads.forEach(
          (key, older) -> {
            long begin = scan.begins().get(partitions.get(key));
            storeWentBack |= older.known() < begin && begin <= older.read();
          });
      olderReads
          .entrySet()
          .removeIf(
              older -> {
                int partition = partitions.get(older.getKey());
                return older.getValue().known() < scan.begins().get(partition)
                    || older.getValue().read() < scan.ends().get(partition);
              });
    }
  }

  /** Whether a snapshot found something older than is known, though nothing came for it. */
  boolean noticedOlderStore() {
    return storeWentBack;
  }

  /** The clean-up comes to a key. */
  void cleanUp(String key) {
    if (isUnnamed(key, entries.get(key))) {
      replace(key, gone(key));
    }
  }

  private Entry gone(String key) {
    return OrderGuard.inferredTombstone(entries.get(key), snapshotAt);
  }

  /** The clean-up comes to its end. */
  void cleanUp() {
    List.copyOf(entries.keySet()).forEach(this::cleanUp);
  }

  private boolean isUnnamed(String key, Entry entry) {
    return snapshot != null
        && entry != null
        && !entry.deleted()
        && entry.offset() < snapshot.begins().get(partitions.get(key));
  }

  /** Keys that the clean-up has yet to remove. */
  Set<String> unnamed() {
    Set<String> unnamed = new TreeSet<>(entries.keySet());
    unnamed.removeIf(key -> !isUnnamed(key, entries.get(key)));
    return unnamed;
  }

  void forgetExpired(long now) {
    entries.values().removeIf(entry -> guard.isRemovable(entry, now));
  }

  Entry entry(String key) {
    return entries.get(key);
  }

  Map<String, Entry> entries() {
    return entries;
  }

  /** What is wrong, compared with the store; empty: nothing. */
  String difference(List<KvRecord> stored) {
    Map<String, String> expected = new HashMap<>();
    Set<ViewRow> expectedRows = new HashSet<>();
    for (KvRecord record : stored) {
      String key = record.key().toString();
      byte[] value = record.value();
      expected.put(key, new String(value, StandardCharsets.ISO_8859_1));
      expectedRows.addAll(rows(key, value, 0, value.length));
    }
    Map<String, String> actual = new HashMap<>();
    entries.forEach(
        (key, entry) -> {
          if (!entry.deleted()) {
            FramedValue value = entry.value();
            actual.put(
                key,
                new String(
                    value.buffer(), value.offset(), value.length(), StandardCharsets.ISO_8859_1));
          }
        });
    if (!actual.equals(expected)) {
      Set<String> differing = new TreeSet<>(expected.keySet());
      differing.addAll(actual.keySet());
      differing.removeIf(key -> Objects.equals(expected.get(key), actual.get(key)));
      Map<String, Entry> known = new HashMap<>(entries);
      known.keySet().retainAll(differing);
      expected.keySet().retainAll(differing);
      return "%s differ: the store has %s, the app %s".formatted(differing, expected, known);
    }
    return rows.equals(expectedRows)
        ? ""
        : "the view has %d rows, derived from the store %d, and they differ"
            .formatted(rows.size(), expectedRows.size());
  }
}
