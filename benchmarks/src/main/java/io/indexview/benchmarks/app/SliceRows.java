package io.indexview.benchmarks.app;

import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.ViewSet;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.kafka.common.utils.ByteUtils;

/**
 * Copies and compares fields of people as the bytes that they are: each event is skipped over once
 * to know where its fields lie. Good for nothing but flat records of strings, numbers, booleans and
 * arrays of strings without nulls.
 */
final class SliceRows implements RowMaker {
  private static final int HEADER = 5;
  private static final int FIELDS = People.SCHEMA.getFields().size();

  private static final int ORG = number("org");
  private static final byte[] KEPT = ViewSet.KEPT.getBytes(StandardCharsets.UTF_8);

  private final List<View> views;
  private final boolean filtered;
  private final Person oldPerson = new Person();
  private final Person newPerson = new Person();

  /**
   * @param key numbers of the fields
   * @param nullable whether the branch of a union comes before
   * @param array number of the field that gives a row for each element; -1: none
   */
  private record View(
      int keySchema, int valueSchema, int[] key, boolean[] nullable, int[] values, int array) {}

  /** Where the fields of a record lie. */
  private static final class Person {
    private final int[] ends = new int[FIELDS + 1];
    private byte[] bytes;
    private boolean there;

    void read(byte[] event, boolean filtered) {
      bytes = event;
      there = event != null;
      if (!there) {
        return;
      }
      ByteBuffer in = ByteBuffer.wrap(event);
      in.position(HEADER);
      ends[0] = HEADER;
      for (int i = 0; i < FIELDS; i++) {
        skip(People.SCHEMA.getFields().get(i).schema(), in);
        ends[i + 1] = in.position();
      }
      there = !filtered || isKept();
    }

    /** Behind the length, which is one byte of any organisation. */
    private boolean isKept() {
      int text = from(ORG) + 1;
      int length = Math.min(KEPT.length, to(ORG) - text);
      return Arrays.equals(bytes, text, text + length, KEPT, 0, KEPT.length);
    }

    private static void skip(Schema type, ByteBuffer in) {
      switch (type.getType()) {
        case STRING -> in.position((int) ByteUtils.readVarlong(in) + in.position());
        case INT, LONG -> ByteUtils.readVarlong(in);
        case DOUBLE -> in.position(in.position() + Double.BYTES);
        case BOOLEAN -> in.get();
        case ARRAY -> {
          for (long count = ByteUtils.readVarlong(in);
              count != 0;
              count = ByteUtils.readVarlong(in)) {
            for (long i = 0; i < count; i++) {
              skip(type.getElementType(), in);
            }
          }
        }
        default -> throw new IllegalArgumentException("no field of people has type " + type);
      }
    }

    boolean isThere() {
      return there;
    }

    int from(int field) {
      return ends[field];
    }

    int to(int field) {
      return ends[field + 1];
    }

    boolean isSame(Person other, int[] fields) {
      for (int field : fields) {
        if (!Arrays.equals(
            bytes, from(field), to(field), other.bytes, other.from(field), other.to(field))) {
          return false;
        }
      }
      return true;
    }
  }

  SliceRows(Entrant entrant, SchemaRegistry registry) {
    this.filtered = entrant.views().isFiltered();
    this.views =
        entrant.generations().stream()
            .map(view -> view(view, entrant.viewTopic(view), registry))
            .toList();
  }

  private static View view(ViewGeneration view, String topic, SchemaRegistry registry) {
    ViewFields fields = view.fields();
    RowSchemas schemas = RowSchemas.of(view);
    boolean[] nullable = new boolean[fields.key().size()];
    for (int i = 0; i < nullable.length; i++) {
      nullable[i] = fields.key().get(i).nullable();
    }
    return new View(
        registry.register(Subjects.key(topic), schemas.key()),
        registry.register(Subjects.value(topic), schemas.value()),
        fields.key().stream().mapToInt(field -> number(field.path())).toArray(),
        nullable,
        fields.values().stream().mapToInt(field -> number(field.path())).toArray(),
        fields.array() == null ? -1 : number(fields.array()));
  }

  private static int number(String field) {
    return People.SCHEMA.getField(field).pos();
  }

  @Override
  public void derive(byte[] key, byte[] before, byte[] after, long revision, Output output) {
    oldPerson.read(before, filtered);
    newPerson.read(after, filtered);
    for (int i = 0; i < views.size(); i++) {
      View view = views.get(i);
      boolean sameKeys =
          oldPerson.isThere() && newPerson.isThere() && newPerson.isSame(oldPerson, view.key());
      boolean sameValues = sameKeys && newPerson.isSame(oldPerson, view.values());
      if (newPerson.isThere() && !sameValues) {
        byte[] value = value(view, newPerson, revision);
        for (byte[] row : keys(view, newPerson, key)) {
          output.row(i, row, value);
        }
      }
      if (oldPerson.isThere() && !sameKeys) {
        byte[][] standing = newPerson.isThere() ? keys(view, newPerson, key) : new byte[0][];
        for (byte[] row : keys(view, oldPerson, key)) {
          if (Arrays.stream(standing).noneMatch(one -> Arrays.equals(one, row))) {
            output.row(i, row, null);
          }
        }
      }
    }
  }

  private static byte[][] keys(View view, Person person, byte[] primaryKey) {
    if (view.array() < 0) {
      return new byte[][] {key(view, person, primaryKey, 0, 0)};
    }
    ByteBuffer in = ByteBuffer.wrap(person.bytes);
    in.position(person.from(view.array()));
    byte[][] keys = new byte[(int) ByteUtils.readVarlong(in)][];
    for (int i = 0; i < keys.length; i++) {
      int from = in.position();
      in.position((int) ByteUtils.readVarlong(in) + in.position());
      keys[i] = key(view, person, primaryKey, from, in.position());
    }
    return keys;
  }

  /** The last two say where the element of the array lies. */
  private static byte[] key(View view, Person person, byte[] primaryKey, int from, int to) {
    int length = HEADER + ByteUtils.sizeOfVarlong(primaryKey.length) + primaryKey.length;
    for (int i = 0; i < view.key().length; i++) {
      int field = view.key()[i];
      length += field == view.array() ? to - from : person.to(field) - person.from(field);
      length += view.nullable()[i] ? 1 : 0;
    }
    ByteBuffer out = header(length, view.keySchema());
    for (int i = 0; i < view.key().length; i++) {
      int field = view.key()[i];
      if (view.nullable()[i]) {
        ByteUtils.writeVarlong(1, out);
      }
      if (field == view.array()) {
        out.put(person.bytes, from, to - from);
      } else {
        out.put(person.bytes, person.from(field), person.to(field) - person.from(field));
      }
    }
    ByteUtils.writeVarlong(primaryKey.length, out);
    return out.put(primaryKey).array();
  }

  private static byte[] value(View view, Person person, long revision) {
    int length = HEADER + ByteUtils.sizeOfVarlong(revision);
    for (int field : view.values()) {
      length += person.to(field) - person.from(field);
    }
    ByteBuffer out = header(length, view.valueSchema());
    for (int field : view.values()) {
      out.put(person.bytes, person.from(field), person.to(field) - person.from(field));
    }
    ByteUtils.writeVarlong(revision, out);
    return out.array();
  }

  private static ByteBuffer header(int length, int schema) {
    return ByteBuffer.allocate(length).put((byte) 0).putInt(schema);
  }
}
