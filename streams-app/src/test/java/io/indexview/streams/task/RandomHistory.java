package io.indexview.streams.task;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.streams.People;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;

/** Records that change at random, and what is told of them. */
final class RandomHistory {
  private static final int KEYS = 12;

  /** As they are now. */
  final Map<String, GenericRecord> records = new HashMap<>();

  /** As they were after each number of events. */
  final List<Map<String, GenericRecord>> after = new ArrayList<>(List.of(Map.of()));

  private final Random random;
  private final TaskWorld world;
  private final Map<String, Long> versions = new HashMap<>();
  private final Set<String> unreadable = new HashSet<>();

  /** Records whose deletion nobody told, as they were. */
  private final Map<String, GenericRecord> lost = new HashMap<>();

  private long sequence;

  /** How an event comes to the task. */
  @FunctionalInterface
  interface Way {
    void send(String key, Op op, long sequence, GenericRecord person);
  }

  RandomHistory(Random random, TaskWorld world) {
    this.random = random;
    this.world = world;
  }

  String anyKey() {
    return "/p/" + random.nextInt(KEYS);
  }

  GenericRecord anyPerson() {
    String[] tags = {"a", "b", "c", "d", "e", "f"};
    return People.person(
        random.nextBoolean() ? "Ann" : "Bob",
        List.of("Support", "Sales", "").get(random.nextInt(3)),
        random.nextInt(4) == 0 ? null : 30 + random.nextInt(3),
        List.of(tags).subList(0, random.nextInt(7)).toArray(String[]::new));
  }

  /** A record is created, changed or deleted. */
  void change(Way way) {
    String key = anyKey();
    sequence++;
    if (random.nextInt(4) == 0) {
      if (records.remove(key) != null) {
        unreadable.remove(key);
        way.send(key, Op.DELETE, sequence, null);
        snap();
      }
      return;
    }
    GenericRecord person = anyPerson();
    records.put(key, person);
    unreadable.remove(key);
    lost.remove(key);
    versions.put(key, sequence);
    way.send(key, Op.UPDATE, sequence, person);
    snap();
  }

  /** An event that cannot be read, for one of many reasons. */
  void garbage() {
    garbage(anyKey());
  }

  private void garbage(String key) {
    byte[] whole = world.people.upsert(sequence + 1, anyPerson());
    byte[] value =
        switch (random.nextInt(3)) {
          case 0 -> "{\"op\": \"u\"}".getBytes(StandardCharsets.UTF_8);
          case 1 -> Arrays.copyOf(whole, whole.length - 1);
          default -> WireFormat.frame(4711, whole);
        };
    unreadable.add(key);
    world.event(key.getBytes(StandardCharsets.UTF_8), value);
    snap();
  }

  /** Records of which the last event could not be read. */
  Set<String> unreadable() {
    return Set.copyOf(unreadable);
  }

  /**
   * Records as the task can know them. One that is gone may have an event that nobody can read
   * since the last ad-hoc snapshot began: if it came before the task knew of the snapshot, its rows
   * stand.
   */
  Map<String, GenericRecord> known() {
    Map<String, GenericRecord> known = new HashMap<>(records);
    lost.forEach(
        (key, person) -> {
          if (unreadable.contains(key) && world.entry(key).value() != null) {
            known.put(key, person);
          }
        });
    return known;
  }

  private void snap() {
    after.add(Map.copyOf(records));
  }

  /** The task gets an event that nobody ever sent. */
  void phantom() {
    long anySequence = random.nextInt((int) (2 * sequence) + 5);
    boolean deletes = random.nextInt(3) == 0;
    world.phantom(
        anyKey(), deletes ? Op.DELETE : Op.UPDATE, anySequence, deletes ? null : anyPerson());
    snap();
  }

  /** A record is deleted, and nobody tells. */
  void loseDeletion() {
    String key = anyKey();
    GenericRecord person = records.remove(key);
    if (person != null) {
      lost.put(key, person);
    }
    after.set(after.size() - 1, Map.copyOf(records));
  }

  /** Every record again, while others change; some events cannot be read. */
  void adHocSnapshot() {
    final long startedAtMs = ++world.nowMs;
    final long begin = world.end();
    unreadable.clear();
    for (String key : List.copyOf(records.keySet())) {
      if (random.nextInt(4) == 0) {
        change(world::event);
      }
      if (random.nextInt(8) == 0) {
        garbage();
      }
      if (records.containsKey(key) && random.nextInt(8) == 0) {
        garbage(key);
      } else if (records.containsKey(key)) {
        SourceVersion version = People.version("s1", versions.get(key));
        Origin origin =
            new Origin.SnapshotRead(
                version.epoch(),
                random.nextBoolean() ? version.sequence() : null,
                Origin.Base.ABSENT,
                true);
        world.event(
            key.getBytes(StandardCharsets.UTF_8),
            world.people.event(Op.READ, origin, records.get(key)));
        unreadable.remove(key);
        snap();
      }
    }
    world.adHocSnapshot("store", "0", 1, startedAtMs, begin, world.end());
  }
}
