package io.indexview.client.read;

import io.indexview.client.read.StoredView.TestRow;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.encoding.FieldType;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.avro.Schema;

/** An index view on records of many types, rows of it and queries, all out of one seed. */
final class RandomRows {
  private static final Schema SCHEMA =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Thing", "namespace": "test", "fields": [
                {"name": "text", "type": ["null", "string"], "default": null},
                {"name": "word", "type": "string"},
                {"name": "small", "type": ["null", "int"], "default": null},
                {"name": "large", "type": "long"},
                {"name": "ratio", "type": "double"},
                {"name": "day", "type": {"type": "int", "logicalType": "date"}},
                {"name": "time", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                {"name": "flag", "type": "boolean"},
                {"name": "note", "type": ["null", "string"], "default": null}]}
              """);
  private static final RecordSet THINGS =
      new RecordSet("things", "indexview.changes.things", RecordFormat.ENVELOPE, List.of(), SCHEMA);
  private static final List<String> FIELDS =
      List.of("text", "word", "small", "large", "ratio", "day", "time", "flag");
  private static final List<String> TEXTS =
      List.of(
          "", "a", "ab", "a/b", "/a/-/b", "-", "%", "%2F", "=", "\t", "\n", "\u0000", "a\u0000",
          "é", "\uFFFD", "😀", "b");
  private static final Map<FieldType, List<?>> VALUES =
      Map.of(
          FieldType.STRING,
          TEXTS,
          FieldType.INT,
          List.of(-7, -1, 0, 1, 12, Integer.MIN_VALUE, Integer.MAX_VALUE),
          FieldType.LONG,
          List.of(-700L, -1L, 0L, 5L, 12L, Long.MIN_VALUE, Long.MAX_VALUE),
          FieldType.DOUBLE,
          List.of(-1.5, 0.0, 2.25, -1e100, Double.POSITIVE_INFINITY),
          FieldType.DATE,
          List.of(
              LocalDate.EPOCH,
              LocalDate.of(1969, 12, 31),
              LocalDate.of(2017, 8, 20),
              LocalDate.of(-5, 3, 1),
              LocalDate.of(12_345, 1, 1)),
          FieldType.TIMESTAMP_MILLIS,
          List.of(
              Instant.EPOCH,
              Instant.ofEpochMilli(-1),
              Instant.parse("2017-08-20T09:30:00.001Z"),
              Instant.parse("1901-01-01T00:00:00Z")),
          FieldType.BOOLEAN,
          List.of(true, false));

  private static final List<String> KV_LAYOUTS =
      List.of(
          "key-only\n",
          "key-value\ninclude: [note]\n",
          "key-value\nprimaryKeyForm: components\n",
          "list\ninclude: [note]\n");

  private final Random random;
  private final Charset order;
  private final ViewGeneration generation;
  private final List<KeyField> fields;

  /**
   * @param target {@code kv} or {@code dynamodb}
   */
  RandomRows(long seed, String target) {
    this.random = new Random(seed);
    // The KV store orders texts by modified UTF-8, which is CESU-8 but for NUL.
    this.order = target.equals("kv") ? Charset.forName("CESU-8") : StandardCharsets.UTF_8;
    List<String> key = new ArrayList<>(FIELDS);
    Collections.shuffle(key, random);
    key = key.subList(0, 1 + random.nextInt(4));
    boolean kv = target.equals("kv");
    int shard = kv ? random.nextInt(key.size() + 1) : 1 + random.nextInt(key.size());
    String layout = KV_LAYOUTS.get(random.nextInt(KV_LAYOUTS.size()));
    String yaml =
        "name: random\nsource: things\nkey: %s\nshardKey: %d\nnulls: %s\ntarget: %s\n%s"
            .formatted(
                key,
                shard,
                random.nextBoolean() ? "index" : "skip",
                target,
                kv ? "layout: " + layout : "table: random\ninclude: [note]\n");
    ViewDefinition definition = new ViewDefinitionParser().parse("random.yaml", yaml);
    this.generation =
        ViewGeneration.freeze(definition, 1, THINGS, new Topics(Topics.DEFAULT_PREFIX));
    this.fields = generation.fields().key();
  }

  Random random() {
    return random;
  }

  ViewGeneration generation() {
    return generation;
  }

  boolean holdsTombstones() {
    return !generation.definition().toJson().contains("key-only");
  }

  private Object value(KeyField field) {
    if (field.nullable() && random.nextInt(3) == 0) {
      return null;
    }
    List<?> pool = VALUES.get(field.type());
    return pool.get(random.nextInt(pool.size()));
  }

  List<TestRow> rows(int most, String primaryKeys) {
    List<TestRow> rows = new ArrayList<>();
    int count = random.nextInt(most + 1);
    for (int i = 0; i < count; i++) {
      Map<String, Object> key = new LinkedHashMap<>();
      if (!rows.isEmpty() && random.nextInt(3) > 0) {
        key.putAll(rows.get(random.nextInt(rows.size())).key());
        KeyField changed = fields.get(random.nextInt(fields.size()));
        key.put(changed.name(), value(changed));
      } else {
        fields.forEach(field -> key.put(field.name(), value(field)));
      }
      rows.add(new TestRow(key, primaryKey(i, primaryKeys), note()));
    }
    return rows;
  }

  private String primaryKey(int number, String kind) {
    String tail = TEXTS.get(random.nextInt(TEXTS.size()));
    return switch (random.nextInt(3)) {
      case 0 -> "/" + kind + "/-/" + number;
      case 1 -> "/" + kind + "/-/" + number + "/" + tail;
      default -> kind + number + "/" + tail;
    };
  }

  private Map<String, Object> note() {
    Map<String, Object> values = new HashMap<>();
    values.put("note", random.nextBoolean() ? null : "a note");
    return values;
  }

  /** What a query asks, without its form. */
  record Asked(List<Object> equal, Object from, Object to, boolean[] included, String prefix) {}

  Asked ask(List<TestRow> rows) {
    TestRow sample = rows.isEmpty() ? null : rows.get(random.nextInt(rows.size()));
    List<Object> equal = new ArrayList<>();
    int count = random.nextInt(fields.size() + 1);
    for (KeyField field : fields.subList(0, count)) {
      boolean known = sample != null && random.nextInt(8) > 0;
      equal.add(known ? sample.key().get(field.name()) : value(field));
    }
    boolean[] included = {random.nextBoolean(), random.nextBoolean()};
    if (count == fields.size()) {
      return new Asked(equal, null, null, included, null);
    }
    KeyField next = fields.get(count);
    List<?> pool = VALUES.get(next.type());
    return switch (random.nextInt(3)) {
      case 0 -> new Asked(equal, null, null, included, null);
      case 1 ->
          next.type() == FieldType.STRING
              ? new Asked(equal, null, null, included, TEXTS.get(random.nextInt(TEXTS.size())))
              : new Asked(equal, pool.get(random.nextInt(pool.size())), null, included, null);
      default ->
          new Asked(
              equal,
              random.nextInt(4) == 0 ? null : pool.get(random.nextInt(pool.size())),
              pool.get(random.nextInt(pool.size())),
              included,
              null);
    };
  }

  ViewQuery query(Asked asked) {
    ViewQuery query = ViewQuery.of("random");
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < asked.equal().size(); i++) {
      places.add(i);
    }
    Collections.shuffle(places, random);
    for (int place : places) {
      query = query.where(fields.get(place).path(), form(asked.equal().get(place)));
    }
    String next =
        random.nextBoolean() || places.size() == fields.size() ? null : next(asked).path();
    if (asked.prefix() != null) {
      query = query.where(new ViewQuery.Prefix(next, asked.prefix()));
    } else if (asked.from() != null || asked.to() != null) {
      query =
          query.where(
              new ViewQuery.Range(
                  next,
                  form(asked.from()),
                  asked.included()[0],
                  form(asked.to()),
                  asked.included()[1]));
    }
    return random.nextBoolean() ? query.inDescendingOrder() : query;
  }

  private KeyField next(Asked asked) {
    return fields.get(asked.equal().size());
  }

  /** A value as itself or as text. */
  private Object form(Object value) {
    return value == null || random.nextBoolean() ? value : value.toString();
  }

  /** The key values of the rows that are asked for, in order. */
  List<TestRow> answer(List<TestRow> rows, Asked asked, boolean descending) {
    Comparator<TestRow> byKey =
        (left, right) -> {
          for (KeyField field : fields) {
            int difference = compare(left.key().get(field.name()), right.key().get(field.name()));
            if (difference != 0) {
              return difference;
            }
          }
          return 0;
        };
    return rows.stream()
        .filter(row -> matches(row, asked))
        .sorted(descending ? byKey.reversed() : byKey)
        .toList();
  }

  private boolean matches(TestRow row, Asked asked) {
    for (int i = 0; i < asked.equal().size(); i++) {
      if (!Objects.equals(row.key().get(fields.get(i).name()), asked.equal().get(i))) {
        return false;
      }
    }
    if (asked.prefix() == null && asked.from() == null && asked.to() == null) {
      return true;
    }
    Object value = row.key().get(next(asked).name());
    if (value == null) {
      return false;
    }
    if (asked.prefix() != null) {
      return ((String) value).startsWith(asked.prefix());
    }
    int below = asked.from() == null ? 1 : compare(value, asked.from());
    int above = asked.to() == null ? -1 : compare(value, asked.to());
    return (below > 0 || (below == 0 && asked.included()[0]))
        && (above < 0 || (above == 0 && asked.included()[1]));
  }

  @SuppressWarnings("unchecked")
  private int compare(Object left, Object right) {
    if (left == null || right == null) {
      return Boolean.compare(left != null, right != null);
    }
    if (left instanceof String text) {
      return Arrays.compareUnsigned(bytes(text), bytes((String) right));
    }
    return ((Comparable<Object>) left).compareTo(right);
  }

  /** NUL is C0 80 in the KV store: between 7F and C2. */
  private byte[] bytes(String text) {
    byte[] bytes = text.getBytes(order);
    if (!order.equals(StandardCharsets.UTF_8)) {
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = bytes[i] == 0 ? (byte) 0xC0 : bytes[i];
      }
    }
    return bytes;
  }
}
