package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.connect.dynamodb.FaultyItemStore.Fault;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Random changes of few rows, delivered twice over by two tasks of which one is a zombie, on a
 * store that throttles, forgets to answer and leaves items unprocessed.
 */
class DynamoDbSinkFaultsIT extends SinkSessionHarness {

  @BeforeContainer
  static void open() {
    startStore();
  }

  @AfterContainer
  static void close() {
    stopStore();
  }

  @Property(tries = 3)
  void endsWithExactlyTheNewestRowsInBatches(@ForAll(supplier = Seeds.class) long seed) {
    endsWithExactlyTheNewestRows(true, new Random(seed));
  }

  @Property(tries = 3)
  void endsWithExactlyTheNewestRowsThoughAZombieWrites(@ForAll(supplier = Seeds.class) long seed) {
    endsWithExactlyTheNewestRows(false, new Random(seed));
  }

  private void endsWithExactlyTheNewestRows(boolean batch, Random random) {
    newTable();
    FakeSinkContext context = new FakeSinkContext();
    DynamoDbSinkSession session =
        session(
            context,
            "dynamodb.mode",
            batch ? "batch" : "conditional",
            "dynamodb.buffer.max.records",
            "10");
    FakeSinkContext zombieContext = new FakeSinkContext();
    Set<TopicPartition> partition = Set.of(new TopicPartition(rows.topic(), 0));
    context.assign(partition);
    zombieContext.assign(partition);
    DynamoDbSinkSession zombie = session(zombieContext, "dynamodb.buffer.max.records", "10");
    SinkRecord first = rows.upsert(0, "warm-up", 1, "u", 1L);
    putAll(session, first);
    putAll(zombie, first);
    Map<String, Map<String, Object>> expected = new HashMap<>();
    store.watchVersions();
    List<SinkRecord> old = new ArrayList<>();
    for (int round = 0; round < 25; round++) {
      List<SinkRecord> records = new ArrayList<>();
      for (int i = 0; i < 1 + random.nextInt(12); i++) {
        String key = "file" + random.nextInt(6);
        long revision = round * 100L + i + 2;
        boolean delete = random.nextInt(3) == 0;
        records.add(
            delete ? rows.delete(0, key, revision) : rows.upsert(0, key, revision, "u", revision));
        expected.put(key, delete ? deleted(key, revision, batch) : written(key, revision));
      }
      Fault[] faults = Fault.values();
      for (int i = 0; i < 4; i++) {
        store.next(faults[random.nextInt(batch ? 4 : 3)]);
      }
      putWhenWanted(session, context, records);
      if (random.nextInt(3) == 0) {
        // As after a failed commit: from some record on, in their order.
        int from = random.nextInt(records.size());
        putWhenWanted(session, context, records.subList(from, records.size()));
      }
      if (!batch) {
        old.addAll(records);
        Collections.shuffle(old, random);
        putWhenWanted(zombie, zombieContext, old.subList(0, Math.min(5, old.size())));
      }
    }
    drainAll(session);
    drainAll(zombie);
    session.close();
    zombie.close();

    expected.values().removeIf(Map::isEmpty);
    expected.put("warm-up", written("warm-up", 1));
    assertThat(items()).isEqualTo(expected);
    assertThat(store.staleOverwrites()).isEmpty();
    assertThat(context.rejected()).isEmpty();
    assertThat(zombieContext.rejected()).isEmpty();
    dropTable(table);
  }

  private static Map<String, Object> written(String key, long revision) {
    return Map.of(
        "objectKey",
        key,
        "_primaryKey",
        "documents/" + key,
        "bucketName",
        "documents",
        "uploadUser",
        "u",
        "uploadDate",
        "2017-08-20",
        "size",
        BigDecimal.valueOf(revision),
        "revision",
        BigDecimal.valueOf(revision));
  }

  /** Empty: nothing is left of it. */
  private static Map<String, Object> deleted(String key, long revision, boolean batch) {
    return batch
        ? Map.of()
        : Map.of(
            "objectKey",
            key,
            "_primaryKey",
            "documents/" + key,
            "revision",
            BigDecimal.valueOf(revision),
            "_deleted",
            true);
  }

  /** All that is in the table, but when tombstones expire. */
  private Map<String, Map<String, Object>> items() {
    Map<String, Map<String, Object>> items = new HashMap<>();
    for (Map<String, Object> item : tables.scan(table, null, 1_000).items()) {
      Map<String, Object> row = new HashMap<>(item);
      assertThat(row.remove("_expiresAt") != null).isEqualTo(row.containsKey("_deleted"));
      items.put((String) row.get("objectKey"), row);
    }
    return items;
  }

  /** As a worker does, which hands out no records of what is paused. */
  private static void putWhenWanted(
      DynamoDbSinkSession session, FakeSinkContext worker, List<SinkRecord> records) {
    callUntil(session, () -> worker.paused().isEmpty());
    session.put(records);
  }
}
