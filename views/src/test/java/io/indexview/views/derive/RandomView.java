package io.indexview.views.derive;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewGeneration;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.Utf8;

/** A record schema, a view on it and records, all out of one seed. */
final class RandomView {
  private static final List<String> TEXTS =
      List.of("", "a", "b", "-", "/", "a/b", "/-/", "%2F", "=", "\t", "\n", "\u0000", "é", "😀");

  private static final List<String> ENTRIES = List.of("x-y", "a.b", "\u00fc 1", "7", "size");

  private final Random random;
  private final List<String> keyPaths = new ArrayList<>();
  private final List<String> arrayPaths = new ArrayList<>();
  private final List<String> valuePaths = new ArrayList<>();
  private final Schema schema;
  private int names;

  RandomView(long seed) {
    this.random = new Random(seed);
    List<Schema.Field> fields = new ArrayList<>();
    int count = 2 + random.nextInt(5);
    for (int i = 0; i < count; i++) {
      String name = name();
      fields.add(new Schema.Field(name, maybeNullable(scalar())));
      keyPaths.add(name);
      valuePaths.add(name);
    }
    Schema nested = nested();
    fields.add(new Schema.Field("nested", maybeNullable(nested)));
    nested.getFields().forEach(field -> keyPaths.add("nested." + field.name()));
    valuePaths.add("nested");
    fields.add(new Schema.Field("map", maybeNullable(map())));
    ENTRIES.forEach(entry -> keyPaths.add("map." + entry));
    valuePaths.addAll(List.of("map", "map.x-y"));
    Schema element =
        switch (random.nextInt(4)) {
          case 0 -> nested();
          case 1 -> map();
          default -> scalar();
        };
    fields.add(
        new Schema.Field("array", maybeNullable(Schema.createArray(maybeNullable(element)))));
    if (element.getType() == Schema.Type.RECORD) {
      element.getFields().forEach(field -> arrayPaths.add("array." + field.name()));
    } else if (element.getType() == Schema.Type.MAP) {
      ENTRIES.forEach(entry -> arrayPaths.add("array." + entry));
    } else {
      arrayPaths.add("array");
    }
    fields.add(new Schema.Field("bytes", Schema.create(Schema.Type.BYTES)));
    valuePaths.add("bytes");
    schema = Schema.createRecord("Random", null, "test", false, fields);
  }

  Schema schema() {
    return schema;
  }

  private String name() {
    return "f" + names++;
  }

  private Schema nested() {
    return SchemaBuilder.record("R" + name())
        .fields()
        .name(name())
        .type(maybeNullable(scalar()))
        .noDefault()
        .name(name())
        .type(scalar())
        .noDefault()
        .endRecord();
  }

  private Schema map() {
    return Schema.createMap(maybeNullable(scalar()));
  }

  private Schema maybeNullable(Schema schema) {
    return random.nextInt(3) == 0
        ? Schema.createUnion(Schema.create(Schema.Type.NULL), schema)
        : schema;
  }

  private Schema scalar() {
    return switch (random.nextInt(10)) {
      case 0 -> Schema.create(Schema.Type.INT);
      case 1 -> Schema.create(Schema.Type.LONG);
      case 2 -> Schema.create(Schema.Type.FLOAT);
      case 3 -> Schema.create(Schema.Type.DOUBLE);
      case 4 -> Schema.create(Schema.Type.BOOLEAN);
      case 5 -> SchemaBuilder.enumeration("E" + name()).symbols("B", "A", "C");
      case 6 -> LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT));
      case 7 -> LogicalTypes.timestampMillis().addToSchema(Schema.create(Schema.Type.LONG));
      default -> Schema.create(Schema.Type.STRING);
    };
  }

  /** An index view on some of the fields, for the KV store or DynamoDB. */
  ViewGeneration generation() {
    List<String> key = new ArrayList<>(pick(keyPaths, 1 + random.nextInt(3)));
    if (random.nextBoolean()) {
      key.addAll(random.nextInt(key.size() + 1), pick(arrayPaths, 1 + random.nextInt(2)));
    }
    boolean kv = random.nextBoolean();
    boolean keyOnly = random.nextBoolean();
    int shard = kv ? random.nextInt(key.size() + 1) : 1 + random.nextInt(key.size());
    Target target =
        kv
            ? new Target.Kv(
                keyOnly
                    ? Target.KvRows.KEY_ONLY
                    : random.nextBoolean() ? Target.KvRows.KEY_VALUE : Target.KvRows.LIST,
                keyOnly || random.nextBoolean()
                    ? Target.PrimaryKeyForm.PATH
                    : Target.PrimaryKeyForm.COMPONENTS,
                Target.Kv.DEFAULT_MAX_ELEMENTS,
                "IDX",
                "META")
            : new Target.DynamoDb("table", List.of(), Target.Swap.NEW_TABLE);
    ViewDefinition definition =
        new ViewDefinition(
            "random",
            "records",
            ViewDefinition.Kind.INDEX,
            key,
            random.nextBoolean() ? null : new ViewDefinition.ShardKey.Leading(shard),
            kv && keyOnly ? null : pick(valuePaths, random.nextInt(3)),
            null,
            random.nextBoolean() ? ViewDefinition.Nulls.SKIP : ViewDefinition.Nulls.INDEX,
            ViewDefinition.Naming.PLAIN,
            100,
            target,
            null);
    RecordSet records = new RecordSet("records", "t", RecordFormat.FLAT, List.of(), schema);
    return ViewGeneration.freeze(
        definition, 1 + random.nextInt(3), records, new Topics(Topics.DEFAULT_PREFIX));
  }

  private List<String> pick(List<String> from, int count) {
    List<String> shuffled = new ArrayList<>(from);
    Collections.shuffle(shuffled, random);
    return List.copyOf(shuffled.subList(0, Math.min(count, shuffled.size())));
  }

  String primaryKey() {
    StringBuilder key = new StringBuilder(random.nextBoolean() ? "/" : "");
    IntStream.range(0, random.nextInt(4)).forEach(i -> key.append(text()).append('/'));
    return key.append(text()).toString();
  }

  GenericRecord record() {
    return (GenericRecord) value(schema);
  }

  private Object value(Schema type) {
    return switch (type.getType()) {
      case UNION -> random.nextInt(3) == 0 ? null : value(type.getTypes().get(1));
      case RECORD -> {
        GenericRecord record = new GenericData.Record(type);
        type.getFields().forEach(field -> record.put(field.pos(), value(field.schema())));
        yield record;
      }
      case ARRAY -> {
        List<Object> elements = new ArrayList<>();
        int size = random.nextInt(10) == 0 ? 30 : random.nextInt(4);
        IntStream.range(0, size).forEach(i -> elements.add(value(type.getElementType())));
        yield elements;
      }
      case MAP -> {
        Map<CharSequence, Object> map = new HashMap<>();
        for (String entry : ENTRIES) {
          if (random.nextInt(3) > 0) {
            map.put(random.nextBoolean() ? entry : new Utf8(entry), value(type.getValueType()));
          }
        }
        yield map;
      }
      case ENUM ->
          new GenericData.EnumSymbol(
              type, type.getEnumSymbols().get(random.nextInt(type.getEnumSymbols().size())));
      case BYTES -> ByteBuffer.wrap(text().getBytes(StandardCharsets.UTF_8));
      case INT -> random.nextBoolean() ? random.nextInt(3) : random.nextInt();
      case LONG -> random.nextBoolean() ? (long) random.nextInt(3) : random.nextLong();
      case FLOAT -> (float) number();
      case DOUBLE -> number();
      case BOOLEAN -> random.nextBoolean();
      default -> new Utf8(text());
    };
  }

  private double number() {
    return switch (random.nextInt(5)) {
      case 0 -> 0.0;
      case 1 -> -0.0;
      case 2 -> -Float.MAX_VALUE;
      default -> random.nextGaussian() * 1000;
    };
  }

  private String text() {
    return TEXTS.get(random.nextInt(TEXTS.size())) + TEXTS.get(random.nextInt(TEXTS.size()));
  }
}
