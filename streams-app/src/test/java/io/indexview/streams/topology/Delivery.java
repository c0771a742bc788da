package io.indexview.streams.topology;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import io.indexview.streams.People;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;

/**
 * A history of a KV store, and one way in which its change events may arrive: duplicated, reordered
 * within an epoch, with snapshot reads in between.
 */
final class Delivery {
  private static final FramedValue ANY_VALUE = new FramedValue(1, new byte[0], 0, 0);

  private final Random random;
  private final Map<String, GenericRecord> records = new HashMap<>();
  private final Map<String, SourceVersion> versions = new HashMap<>();
  private final List<Event> events = new ArrayList<>();

  /** One step of the history; a null person deletes. */
  record Change(String key, GenericRecord person) {}

  /** One event as it arrives. */
  record Event(String key, Op op, Origin origin, GenericRecord person) {}

  /**
   * @param epochEnds after how many changes the store is restored from a backup
   */
  Delivery(List<Change> history, int epochEnds, long seed) {
    this.random = new Random(seed);
    int settled = 0;
    List<Event> epoch = new ArrayList<>();
    for (int i = 0; i < history.size(); i++) {
      if (i == epochEnds) {
        arrive(epoch);
        epoch.clear();
        settled = events.size();
      }
      apply(history.get(i), i < epochEnds ? "s1" : "s2", i + 1, epoch);
    }
    arrive(epoch);
    addSnapshotReads(settled);
  }

  private void apply(Change change, String epoch, long sequence, List<Event> reported) {
    if (change.person() != null) {
      Op op = records.put(change.key(), change.person()) == null ? Op.CREATE : Op.UPDATE;
      SourceVersion version = People.version(epoch, sequence);
      versions.put(change.key(), version);
      reported.add(new Event(change.key(), op, new Origin.Versioned(version), change.person()));
    } else if (records.remove(change.key()) != null) {
      // A delete in the KV store is told with the version that it removed.
      Origin origin = new Origin.Versioned(versions.get(change.key()));
      reported.add(new Event(change.key(), Op.DELETE, origin, null));
    }
  }

  private void arrive(List<Event> epoch) {
    List<Event> shuffled = new ArrayList<>(epoch);
    for (Event event : epoch) {
      if (random.nextInt(4) == 0) {
        shuffled.add(event);
      }
    }
    Collections.shuffle(shuffled, random);
    events.addAll(shuffled);
  }

  /** Puts snapshot reads, made at the end of the history, between the events of the last epoch. */
  private void addSnapshotReads(int settled) {
    OrderGuard guard = new OrderGuard(Duration.ofDays(15));
    Map<String, Entry> index = new HashMap<>();
    List<Event> reported = List.copyOf(events);
    events.clear();
    for (int i = 0; i < reported.size(); i++) {
      Event event = reported.get(i);
      materialize(guard, index, event);
      events.add(event);
      if (i >= settled && random.nextInt(4) == 0) {
        Event scan = scan(event.key(), index.get(event.key()));
        materialize(guard, index, scan);
        events.add(scan);
      }
    }
  }

  private Event scan(String key, Entry known) {
    Origin.Base base =
        known == null ? Origin.Base.ABSENT : Origin.Base.of(known.version(), known.deleted());
    SourceVersion version = versions.get(key);
    Origin origin = new Origin.SnapshotRead(version.epoch(), version.sequence(), base, false);
    GenericRecord person = records.get(key);
    return new Event(key, person == null ? Op.DELETE : Op.UPDATE, origin, person);
  }

  private static void materialize(OrderGuard guard, Map<String, Entry> index, Event event) {
    FramedValue value = event.op() == Op.DELETE ? null : ANY_VALUE;
    Decision decision =
        guard.decide(
            index.get(event.key()), new ChangeEvent(event.op(), 1, event.origin(), value), 0, 0);
    if (decision.next() != null) {
      index.put(event.key(), decision.next());
    }
  }

  /** In the order of their arrival. */
  List<Event> events() {
    return events;
  }

  /** What the store holds in the end. */
  Map<String, GenericRecord> records() {
    return records;
  }
}
