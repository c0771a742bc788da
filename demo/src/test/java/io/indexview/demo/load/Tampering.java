package io.indexview.demo.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.verification.Row;
import io.indexview.verification.TargetReader;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.ViewRow;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;

/** Writes behind the pipeline's back, into rows of orders that do not change. */
final class Tampering {
  /** Of each sort. */
  static final int FAULTS = 15;

  private final ViewGeneration generation;
  private final CompiledView view;
  private final TargetReader target;
  private final KvStore store;
  private final ItemStore items;
  private final int records;
  private final SplittableRandom random;
  private final Map<Kind, Set<String>> faults = new EnumMap<>(Kind.class);

  /**
   * @param target the rows of the generation, in the store or the items
   * @param records number of orders, of which the latter half rests
   */
  Tampering(
      ViewGeneration generation,
      TargetReader target,
      KvStore store,
      ItemStore items,
      int records,
      SplittableRandom random) {
    this.generation = generation;
    this.view = CompiledView.compile(generation, Orders.SCHEMA);
    this.target = target;
    this.store = store;
    this.items = items;
    this.records = records;
    this.random = random;
  }

  /**
   * Deletes, plants, alters and exchanges rows, and leaves what is no row, or was one long ago.
   *
   * @param round others plant rows of other orders
   * @return what a verification should find: by kind, the rows' ids
   */
  Map<Kind, Set<String>> tamper(int round) throws Exception {
    List<Row> resting = new ArrayList<>();
    Map<String, Integer> inRecord = new HashMap<>();
    target.forEach(row -> inRecord.merge(record(row), 1, Integer::sum));
    target.forEach(
        row -> {
          // A list of several rows would be changed as a whole.
          if (number(row) >= records / 2 && inRecord.get(record(row)) == 1) {
            resting.add(row);
          }
        });
    Collections.shuffle(resting, new Random(random.nextLong()));
    int next = 0;
    // Of a later revision than the app has come to: a fence keeps it.
    long later = System.currentTimeMillis() + 3_600_000;
    for (int i = 0; i < FAULTS; i++) {
      remove(resting.get(next++));
      plant("nobody-" + i, Orders.key(records + round * FAULTS + i).toString(), later);
      plant("somebody-" + i, resting.get(next++).primaryKey(), later);
      if (holdsValues()) {
        alter(resting.get(next++));
        exchange(resting.get(next++), resting.get(next++));
      }
      scribble("scribble-" + i);
      if (!isInDynamoDb() && holdsValues() && round % 3 < 2) {
        // A sink that is restarted removes them by itself.
        bury("deleted-" + i, Orders.key(records + round * FAULTS + i).toString());
      }
    }
    return faults;
  }

  /** What it left that is no row. */
  Set<String> unexpected() {
    return faults.get(isInDynamoDb() ? Kind.UNVERSIONED : Kind.UNDECODABLE);
  }

  /** Something that is no row. */
  private void scribble(String name) {
    if (isInDynamoDb()) {
      items.put(table(), Map.of(DynamoDbLayout.PARTITION, name, DynamoDbLayout.SORT, name)).join();
      note(Kind.UNVERSIONED, "[\"%s\",\"%s\"]".formatted(name, name));
    } else {
      KvKey key = scribbled(name);
      store.put(key, name.getBytes(StandardCharsets.UTF_8));
      note(Kind.UNDECODABLE, key.toString());
    }
  }

  private KvKey scribbled(String name) {
    return new KvKey(KvLayout.of(generation).parent(), List.of(name));
  }

  private boolean isInDynamoDb() {
    return generation.definition().target() instanceof Target.DynamoDb;
  }

  private static int number(Row row) {
    String key = row.primaryKey();
    return Integer.parseInt(key.substring(key.lastIndexOf('/') + 1));
  }

  private boolean holdsValues() {
    return !(generation.definition().target() instanceof Target.Kv)
        || KvLayout.of(generation).holdsRevisions();
  }

  private void note(Kind kind, String id) {
    faults.computeIfAbsent(kind, any -> new TreeSet<>()).add(id);
  }

  private void remove(Row row) throws JsonProcessingException {
    note(Kind.MISSING, row.id());
    delete(row);
  }

  private void delete(Row row) throws JsonProcessingException {
    if (isInDynamoDb()) {
      items.delete(table(), key(row)).join();
    } else {
      store.delete(kvKey(row));
    }
  }

  private void alter(Row row) throws JsonProcessingException {
    note(Kind.DIFFERENT, row.id());
    if (isInDynamoDb()) {
      Map<String, Object> item = new HashMap<>(items.get(table(), key(row)).orElseThrow());
      item.put("amount", -1L);
      items.put(table(), item).join();
    } else {
      KvRecord record = store.get(kvKey(row)).orElseThrow();
      String text = new String(record.value(), StandardCharsets.UTF_8);
      store.put(
          kvKey(row),
          text.replaceFirst("\"(stamp|amount)\":\\d+", "\"$1\":-1")
              .getBytes(StandardCharsets.UTF_8));
    }
  }

  /** What two rows hold, each in the other's place. */
  private void exchange(Row one, Row other) throws JsonProcessingException {
    if (isInDynamoDb()) {
      note(Kind.DIFFERENT, one.id());
      note(Kind.DIFFERENT, other.id());
      Map<String, Object> first = items.get(table(), key(one)).orElseThrow();
      Map<String, Object> second = items.get(table(), key(other)).orElseThrow();
      items.put(table(), withKey(second, one)).join();
      items.put(table(), withKey(first, other)).join();
      return;
    }
    note(Kind.MISSING, one.id());
    note(Kind.MISSING, other.id());
    if (KvLayout.of(generation).isList()) {
      note(Kind.EXTRA, record(one) + " " + other.primaryKey());
      note(Kind.EXTRA, record(other) + " " + one.primaryKey());
    } else {
      // The key ends in a hash of the primary key, which the value holds.
      note(Kind.UNDECODABLE, one.id());
      note(Kind.UNDECODABLE, other.id());
    }
    byte[] first = store.get(kvKey(one)).orElseThrow().value();
    byte[] second = store.get(kvKey(other)).orElseThrow().value();
    store.put(kvKey(one), second);
    store.put(kvKey(other), first);
  }

  private static Map<String, Object> withKey(Map<String, Object> item, Row row)
      throws JsonProcessingException {
    Map<String, Object> changed = new HashMap<>(item);
    changed.putAll(key(row));
    return changed;
  }

  /** A row that its order does not have, or of an order that there is not. */
  private void plant(String customer, String primaryKey, long revision) throws Exception {
    GenericRecord order = Orders.random(random);
    order.put("customer", customer);
    if (isInDynamoDb()) {
      // Passes the view's filter.
      order.put("amount", random.nextLong(VerificationIT.FILTERED));
    }
    ViewRow row = view.rows(order, primaryKey).get(0);
    GenericRecord key = view.keyOf(row);
    GenericRecord value = view.valueOf(row, revision);
    note(Kind.EXTRA, target.id(key));
    if (isInDynamoDb()) {
      items.put(table(), DynamoDbLayout.of(generation).item(key::get, value::get, revision)).join();
    } else {
      KvLayout layout = KvLayout.of(generation);
      KvPath path = layout.path(key::get);
      store.put(
          new KvKey(path.major(), path.minor()), layout.value(key::get, value::get, revision));
    }
  }

  /** What a row would have left that was deleted long ago. */
  private void bury(String customer, String primaryKey) throws Exception {
    long revision = System.currentTimeMillis() - Duration.ofDays(20).toMillis();
    GenericRecord order = Orders.random(random);
    order.put("customer", customer);
    GenericRecord key = view.keyOf(view.rows(order, primaryKey).get(0));
    KvLayout layout = KvLayout.of(generation);
    KvPath path = layout.path(key::get);
    store.put(new KvKey(path.major(), path.minor()), layout.tombstone(key::get, revision));
    note(Kind.EXPIRED_TOMBSTONE, target.id(key));
  }

  /** How many tombstones it left that should be gone. */
  int expired() {
    return faults.getOrDefault(Kind.EXPIRED_TOMBSTONE, Set.of()).size();
  }

  private KvKey kvKey(Row row) {
    return KvKey.fromString(record(row));
  }

  /** What holds the row in the KV store, as text; whole ids of other targets. */
  private String record(Row row) {
    return generation.definition().target() instanceof Target.Kv
        ? row.id().split(" ")[0]
        : row.id();
  }

  private String table() {
    return DynamoDbLayout.of(generation).table().name();
  }

  private static Map<String, Object> key(Row row) throws JsonProcessingException {
    String[] texts = JsonMapper.builder().build().readValue(row.id(), String[].class);
    return Map.of(DynamoDbLayout.PARTITION, texts[0], DynamoDbLayout.SORT, texts[1]);
  }
}
