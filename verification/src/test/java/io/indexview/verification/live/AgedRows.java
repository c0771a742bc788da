package io.indexview.verification.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.verification.KvRows;
import io.indexview.verification.TombstoneRetention;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import io.indexview.views.layout.KvContent;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;

/**
 * Rows in a KV store that are written and deleted for weeks, as an app derives and a sink applies
 * them, whenever the verification does anything. The sink looks for old tombstones once a day.
 * Their revisions are those of the app: above what the record had, the clock, and what a repair
 * found.
 */
final class AgedRows implements RowLog, LiveVerification.Monitor {
  static final Duration RETENTION = Duration.ofDays(10);
  static final Duration REMOVAL = Duration.ofDays(2);
  private static final Duration SCAN_INTERVAL = Duration.ofDays(1);
  private static final int IDS = 40;
  private static final int MAX_CHANGES = 1_500;
  private static final int MAX_STEP_HOURS = 6;
  private static final ObjectMapper JSON = JsonMapper.builder().build();
  private static final Schema PERSON =
      SchemaBuilder.record("Person")
          .fields()
          .requiredString("org")
          .requiredLong("cost")
          .endRecord();
  private static final RecordSet PEOPLE =
      new RecordSet("people", "people", RecordFormat.ENVELOPE, List.of(), PERSON);

  private final KvStore store;
  private final Random random;
  private final ManualClock clock = new ManualClock();
  private final ViewGeneration generation;
  private final CompiledView view;
  private final KvLayout layout;
  private final KvRows target;
  private final List<Change> log = new ArrayList<>();
  private final Map<Integer, Long> revisions = new HashMap<>();
  private final Duration sinkRetention;
  private boolean isLookingForOld = true;
  private boolean isResting;
  private int applied;
  private long lookedAtMs = clock.millis();

  /** Of a row. */
  private record Change(GenericRecord key, GenericRecord value, long revision, boolean deletes) {}

  /**
   * @param store that holds no such view
   * @param sinkRetention of the sink; {@link #RETENTION} is what the verification takes it for
   * @param removal how long the verification takes a removal for
   */
  AgedRows(KvStore store, String name, long seed, Duration sinkRetention, Duration removal) {
    this.store = store;
    this.random = new Random(seed);
    this.sinkRetention = sinkRetention;
    this.generation =
        ViewGeneration.freeze(
            new ViewDefinitionParser()
                .parse(
                    "the-test.yaml",
                    "{name: %s, source: people, key: [org], include: [cost], target: kv, layout: %s}"
                        .formatted(name, random.nextBoolean() ? "list" : "key-value")),
            1,
            PEOPLE,
            new Topics("test"));
    this.view = CompiledView.compile(generation, PERSON);
    this.layout = KvLayout.of(generation);
    this.target = new KvRows(store, generation, new TombstoneRetention(RETENTION, removal, clock));
  }

  KvRows target() {
    return target;
  }

  /** Nobody removes old tombstones any more, but those in records that are written. */
  void leaveOldTombstones() {
    isLookingForOld = false;
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step();
    }
  }

  private void step() {
    if (random.nextInt(3) > 0) {
      pass(Duration.ofMinutes(random.nextInt(MAX_STEP_HOURS * 60)));
    }
    if (random.nextBoolean() && log.size() < MAX_CHANGES) {
      derive();
    }
    if (random.nextBoolean()) {
      apply();
    }
  }

  /** The sink's scans begin in time, and end at once. */
  private void pass(Duration time) {
    long end = clock.millis() + time.toMillis();
    while (isLookingForOld && lookedAtMs + SCAN_INTERVAL.toMillis() <= end) {
      lookedAtMs += SCAN_INTERVAL.toMillis();
      clock.set(lookedAtMs);
      forEachRecord((key, record) -> clean(record));
    }
    clock.set(end);
  }

  private void derive() {
    // A few rows change often, the others seldom.
    int id = random.nextInt(random.nextInt(4) > 0 ? 4 : IDS);
    long raised = random.nextInt(20) == 0 ? Duration.ofDays(random.nextInt(5)).toMillis() : 0;
    long revision = Math.max(revisions.getOrDefault(id, 0L) + 1, clock.millis() + raised);
    revisions.put(id, revision);
    GenericRecord person =
        new GenericRecordBuilder(PERSON)
            .set("org", "org " + id % 3)
            .set("cost", random.nextLong())
            .build();
    try {
      ViewRow row = view.rows(person, "/p/" + id).get(0);
      log.add(
          new Change(
              view.keyOf(row), view.valueOf(row, revision), revision, random.nextInt(3) == 0));
    } catch (DerivationException e) {
      throw new IllegalStateException(e);
    }
  }

  private void apply() {
    if (applied == log.size()) {
      return;
    }
    Change change = log.get(applied++);
    KvPath path = layout.path(change.key::get);
    KvKey key = new KvKey(path.major(), path.minor());
    byte[] value =
        change.deletes
            ? layout.tombstone(change.key::get, change.revision)
            : layout.value(change.key::get, change.value::get, change.revision);
    KvContent content =
        layout.content(
            store.get(key).map(KvRecord::value).orElse(null), tombstonesFrom(), Integer.MAX_VALUE);
    if (content.merge(value, change.revision, change.deletes)) {
      put(key, content.value());
    }
  }

  private void put(KvKey key, Optional<byte[]> value) {
    value.ifPresentOrElse(bytes -> store.put(key, bytes), () -> store.delete(key));
  }

  private long tombstonesFrom() {
    return clock.instant().minus(sinkRetention).toEpochMilli();
  }

  private void clean(KvRecord record) {
    Optional<byte[]> left = layout.withoutTombstones(record.value(), tombstonesFrom());
    if (left.isEmpty() || !Arrays.equals(left.get(), record.value())) {
      put(record.key(), left);
    }
  }

  private void forEachRecord(BiConsumer<KvKey, KvRecord> visitor) {
    List<KvRecord> all = new ArrayList<>();
    try (var records = store.storeIterator(KvScan.under(new KvKey(layout.parent(), List.of())))) {
      records.forEachRemaining(all::add);
    }
    all.forEach(record -> visitor.accept(record.key(), record));
  }

  /** The sink comes to the end, and time stands still. */
  void settle() {
    while (applied < log.size()) {
      apply();
    }
    isResting = true;
  }

  /** Ids of the tombstones in the store, read as anybody reads them, with their revisions. */
  Map<String, Long> tombstones() {
    Map<String, Long> found = new TreeMap<>();
    forEachElement(
        (id, json) -> {
          if (json.path("_deleted").asBoolean()) {
            found.put(id, json.path("_revision").asLong());
          }
        });
    return found;
  }

  /** Those that should be gone by the retention that the verification knows. */
  Set<String> overdue() {
    long before = clock.instant().minus(RETENTION).minus(REMOVAL).toEpochMilli();
    Set<String> ids = new TreeSet<>();
    tombstones()
        .forEach(
            (id, revision) -> {
              if (revision < before) {
                ids.add(id);
              }
            });
    return ids;
  }

  /** Live rows, as they lie in the store. */
  Map<String, JsonNode> rows() {
    Map<String, JsonNode> found = new TreeMap<>();
    forEachElement(
        (id, json) -> {
          if (!json.path("_deleted").asBoolean()) {
            found.put(id, json);
          }
        });
    return found;
  }

  private void forEachElement(BiConsumer<String, JsonNode> visitor) {
    forEachRecord(
        (key, record) -> {
          try {
            JsonNode json = JSON.readTree(record.value());
            if (json.isArray()) {
              json.forEach(
                  one -> visitor.accept(key + " " + one.path("_primaryKey").asText(), one));
            } else {
              visitor.accept(key.toString(), json);
            }
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** The sink removes what it is told to by what it knows itself; nobody is to write rows anew. */
  RepairRequests removals() {
    return new RepairRequests() {
      @Override
      public void begin(long wrong) {
        throw new AssertionError("the view becomes DEGRADED");
      }

      @Override
      public void remove(List<UnexpectedRow> found) {
        for (UnexpectedRow row : found) {
          goOn();
          store.get(KvKey.fromString(row.id().split(" ")[0])).ifPresent(AgedRows.this::clean);
        }
      }

      @Override
      public void ask(List<WrongRow> rows) {
        throw new AssertionError("rows are written anew");
      }

      @Override
      public boolean isDone() {
        return random.nextBoolean();
      }

      @Override
      public void close() {}
    };
  }

  private void goOn() {
    while (!isResting && random.nextInt(3) > 0) {
      step();
    }
  }

  @Override
  public Map<Integer, Long> ends() {
    goOn();
    return Map.of(0, (long) log.size());
  }

  @Override
  public boolean isApplied(Map<Integer, Long> ends) {
    goOn();
    return applied >= ends.get(0);
  }

  @Override
  public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
    for (long offset = from.getOrDefault(0, 0L); offset < to.get(0); offset++) {
      goOn();
      Change change = log.get((int) offset);
      visitor.change(
          target.id(change.key),
          change.deletes
              ? Optional.empty()
              : Optional.of(target.derived(change.key, change.value, change.revision)));
    }
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
    goOn();
    apply();
  }

  @Override
  public void close() {}
}
