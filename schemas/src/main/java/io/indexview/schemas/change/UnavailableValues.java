package io.indexview.schemas.change;

import io.indexview.schemas.change.FramedValue.ValueSchemas;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.DatumSkipper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/**
 * Large values that an update left as they were, and that its database does not log (PostgreSQL's
 * TOAST, Oracle's LOBs): Debezium has a placeholder in their place. The record before the update
 * has the value. Not safe for use by several threads.
 */
public final class UnavailableValues {
  /** What has Debezium send such values. */
  public static final String HAVE_THEM_SENT =
      "for PostgreSQL set REPLICA IDENTITY FULL for the table, or let Debezium's reselect post processor fetch it";

  /** Debezium's default of {@code unavailable.value.placeholder}. */
  static final String PLACEHOLDER = "__debezium_unavailable_value";

  private static final byte[] BYTES = PLACEHOLDER.getBytes(StandardCharsets.UTF_8);

  /**
   * Placeholder for bytes, where those are JSON without a schema and the record's schema has them
   * as text.
   */
  private static final String BASE64_TEXT = Base64.getEncoder().encodeToString(BYTES);

  /** Placeholder for PostgreSQL's {@code hstore}, where that is written as JSON. */
  private static final String HSTORE_TEXT = "{\"%s\":\"%s\"}".formatted(PLACEHOLDER, PLACEHOLDER);

  /** Placeholder in an array of UUIDs. */
  private static final String UUID_TEXT = UUID.nameUUIDFromBytes(BYTES).toString();

  private final ValueSchemas schemas;
  private final RecordFormat format;
  private final Map<Integer, Plan> plans = new HashMap<>();
  private Plan last;
  private BinaryDecoder decoder;

  /**
   * @param format of the topic that the events come from
   */
  public UnavailableValues(SchemaRegistry registry, RecordFormat format) {
    this.schemas = new ValueSchemas(registry);
    this.format = format;
  }

  /**
   * Whether an event may have such values, by its bytes alone. Only a producer that gives no
   * versions has them, and no snapshot: a flat record does not say whether it is of one.
   *
   * @throws RegistryException if the registry failed: says nothing about the event
   */
  public boolean mayBeIn(ChangeEvent event) {
    return event.value() != null
        && event.origin() instanceof Origin.Unordered
        && (event.op() != Op.READ || format == RecordFormat.FLAT)
        && plan(event.value().schemaId()).mayBeIn(event.value());
  }

  /**
   * The event with those values that are not in it.
   *
   * @param before the record as it was known before the event; null: it was not
   * @param whyUnknown why it was not, and what helps; not used with a record
   * @return the event itself if it lacks none
   * @throws MalformedEventException if nobody knows one of the values
   * @throws RegistryException if the registry failed: says nothing about the event
   */
  public ChangeEvent completed(ChangeEvent event, FramedValue before, String whyUnknown)
      throws MalformedEventException {
    FramedValue value = event.value();
    Plan plan = plan(value.schemaId());
    int[] ends;
    List<Integer> missing = new ArrayList<>();
    try {
      ends = ends(plan, value);
      for (int i = 0; i < ends.length; i++) {
        if (isMissing(plan, i, value, start(ends, i, value), ends[i])) {
          missing.add(i);
        }
      }
    } catch (IOException | RuntimeException | StackOverflowError e) {
      // No record of its schema, which whoever decodes it says.
      return event;
    }
    if (missing.isEmpty()) {
      return event;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(value.length());
    for (int i = 0; i < ends.length; i++) {
      if (missing.contains(i)) {
        Schema.Field field = plan.schema.getFields().get(i);
        if (before == null) {
          throw new MalformedEventException(unknown(field, whyUnknown));
        }
        out.writeBytes(known(field, before));
      } else {
        int start = start(ends, i, value);
        out.write(value.buffer(), start, ends[i] - start);
      }
    }
    byte[] bytes = out.toByteArray();
    return new ChangeEvent(
        event.op(),
        event.timestampMs(),
        event.origin(),
        new FramedValue(value.schemaId(), bytes, 0, bytes.length));
  }

  private Plan plan(int schemaId) {
    if (last == null || last.schemaId != schemaId) {
      Plan known = plans.get(schemaId);
      if (known == null) {
        known = new Plan(schemaId, schemas.writerSchema(schemaId, format));
        plans.put(schemaId, known);
      }
      last = known;
    }
    return last;
  }

  /** Where in the buffer each field of a record ends. */
  private int[] ends(Plan plan, FramedValue value) throws IOException {
    BinaryDecoder in = decoder(value.buffer(), value.offset(), value.length());
    int[] ends = new int[plan.fields.length];
    for (int i = 0; i < ends.length; i++) {
      plan.fields[i].skip(in);
      ends[i] = value.offset() + value.length() - in.inputStream().available();
    }
    if (!in.isEnd()) {
      throw new IOException("bytes are left over");
    }
    return ends;
  }

  private static int start(int[] ends, int field, FramedValue value) {
    return field == 0 ? value.offset() : ends[field - 1];
  }

  private BinaryDecoder decoder(byte[] buffer, int offset, int length) {
    decoder = DecoderFactory.get().binaryDecoder(buffer, offset, length, decoder);
    return decoder;
  }

  private boolean isMissing(Plan plan, int field, FramedValue value, int start, int end)
      throws IOException {
    return plan.mayBeIn(value.buffer(), start, end)
        && isPlaceholder(
            read(plan.schema.getFields().get(field).schema(), value.buffer(), start, end));
  }

  private Object read(Schema schema, byte[] buffer, int start, int end) throws IOException {
    return new GenericDatumReader<>(schema).read(null, decoder(buffer, start, end - start));
  }

  private static boolean isPlaceholder(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.size() == 1 && map.keySet().stream().allMatch(key -> isText(key, PLACEHOLDER));
    }
    if (value instanceof Collection<?> elements) {
      return elements.size() == 1
          ? elements.stream().allMatch(one -> isScalar(one) || isText(one, UUID_TEXT))
          : areBytes(elements);
    }
    return isScalar(value) || isText(value, HSTORE_TEXT);
  }

  private static boolean isScalar(Object value) {
    return value instanceof ByteBuffer bytes
        ? bytes.equals(ByteBuffer.wrap(BYTES))
        : isText(value, PLACEHOLDER) || isText(value, BASE64_TEXT);
  }

  private static boolean isText(Object value, String text) {
    return value instanceof CharSequence && value.toString().equals(text);
  }

  /** An array of numbers has one for each byte. */
  private static boolean areBytes(Collection<?> numbers) {
    if (numbers.size() != BYTES.length) {
      return false;
    }
    int i = 0;
    for (Object number : numbers) {
      if (!(number instanceof Integer || number instanceof Long)
          || ((Number) number).longValue() != BYTES[i++]) {
        return false;
      }
    }
    return true;
  }

  /** A field of the record before, as it is written now. */
  private byte[] known(Schema.Field field, FramedValue before) throws MalformedEventException {
    Object value;
    try {
      Plan plan = plan(before.schemaId());
      Schema.Field old = plan.schema.getField(field.name());
      if (old == null) {
        throw notKnown(field, "the record had no such column before", null);
      }
      int[] ends = ends(plan, before);
      int start = start(ends, old.pos(), before);
      int end = ends[old.pos()];
      if (isMissing(plan, old.pos(), before, start, end)) {
        throw notKnown(field, "it was left out before, too", null);
      }
      if (old.schema().equals(field.schema())) {
        return Arrays.copyOfRange(before.buffer(), start, end);
      }
      if (!isSameType(old.schema(), field.schema())) {
        throw notKnown(field, "the column had another type before", null);
      }
      value = read(old.schema(), before.buffer(), start, end);
    } catch (RegistryException e) {
      if (e.isOutage()) {
        throw e;
      }
      throw notKnown(
          field, "the registry does not know the schema of the record before any more", e);
    } catch (IOException | RuntimeException | StackOverflowError e) {
      throw notKnown(field, "the record before cannot be read", e);
    }
    try {
      return encoded(field.schema(), value);
    } catch (IOException | RuntimeException e) {
      throw notKnown(field, "what it was does not fit the column's type now", e);
    }
  }

  private static MalformedEventException notKnown(Schema.Field field, String why, Throwable cause) {
    return new MalformedEventException(unknown(field, why + "; " + HAVE_THEM_SENT), cause);
  }

  private static String unknown(Schema.Field field, String whyAndRemedy) {
    return "value: Debezium left out \"%s\", a large value that the update did not change, and %s; then let Debezium publish the record once more (an ad-hoc snapshot)"
        .formatted(field.name(), whyAndRemedy);
  }

  /**
   * Whether values of both types mean the same. What else a schema says, as the name that Connect
   * has for a type, makes no difference: not every converter writes it.
   */
  private static boolean isSameType(Schema one, Schema other) {
    Schema a = withoutNull(one);
    Schema b = withoutNull(other);
    if (a.getType() != b.getType() || !Objects.equals(a.getLogicalType(), b.getLogicalType())) {
      return false;
    }
    return switch (a.getType()) {
      case ARRAY -> isSameType(a.getElementType(), b.getElementType());
      case MAP -> isSameType(a.getValueType(), b.getValueType());
      case RECORD, ENUM, FIXED, UNION -> a.equals(b);
      default -> true;
    };
  }

  /** A type, or the only one beside null. */
  private static Schema withoutNull(Schema schema) {
    if (!schema.isUnion()) {
      return schema;
    }
    List<Schema> types =
        schema.getTypes().stream().filter(type -> type.getType() != Schema.Type.NULL).toList();
    return types.size() == 1 ? types.get(0) : schema;
  }

  private static byte[] encoded(Schema schema, Object value) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    new GenericDatumWriter<>(schema).write(value, encoder);
    encoder.flush();
    return out.toByteArray();
  }

  /** How records of one schema are searched. */
  private static final class Plan {
    final int schemaId;
    final Schema schema;
    final DatumSkipper[] fields;
    private final List<Pattern> patterns = new ArrayList<>();

    Plan(int schemaId, Schema schema) {
      this.schemaId = schemaId;
      this.schema = schema;
      boolean isRecord = schema.getType() == Schema.Type.RECORD;
      List<Schema> types =
          isRecord ? schema.getFields().stream().map(Schema.Field::schema).toList() : List.of();
      fields = types.stream().map(DatumSkipper::of).toArray(DatumSkipper[]::new);
      if (isRecord) {
        searchFor(BYTES);
      }
      for (Schema type : types) {
        Schema value = withoutNull(type);
        if (value.getType() == Schema.Type.STRING) {
          searchFor(bytes(BASE64_TEXT));
        } else if (value.getType() == Schema.Type.ARRAY) {
          ofArray(value.getElementType());
        }
      }
    }

    private void ofArray(Schema element) {
      switch (withoutNull(element).getType()) {
        case STRING -> {
          searchFor(bytes(BASE64_TEXT));
          searchFor(bytes(UUID_TEXT));
        }
        case INT, LONG -> searchFor(numbers(element));
        default -> {
          // Debezium has no placeholder for them.
        }
      }
    }

    /** Adds a pattern to search for, once for all columns that may have it. */
    private void searchFor(byte[] bytes) {
      if (patterns.stream().noneMatch(pattern -> Arrays.equals(pattern.bytes, bytes))) {
        patterns.add(new Pattern(bytes));
      }
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] numbers(Schema element) {
      boolean isInt = withoutNull(element).getType() == Schema.Type.INT;
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try {
        for (byte one : BYTES) {
          out.writeBytes(encoded(element, isInt ? (Object) (int) one : (Object) (long) one));
        }
      } catch (IOException e) {
        throw new IllegalStateException("a number of one byte is no " + element, e);
      }
      return out.toByteArray();
    }

    boolean mayBeIn(FramedValue value) {
      return mayBeIn(value.buffer(), value.offset(), value.offset() + value.length());
    }

    boolean mayBeIn(byte[] buffer, int start, int end) {
      // By index: an iterator for each event would be garbage.
      for (int i = 0; i < patterns.size(); i++) {
        if (patterns.get(i).isIn(buffer, start, end)) {
          return true;
        }
      }
      return false;
    }
  }

  /** Bytes to search for; of other bytes it looks at one in as many as it has (Horspool). */
  private static final class Pattern {
    private final byte[] bytes;
    private final int[] shifts = new int[1 << Byte.SIZE];

    Pattern(byte[] bytes) {
      this.bytes = bytes;
      Arrays.fill(shifts, bytes.length);
      for (int i = 0; i < bytes.length - 1; i++) {
        shifts[bytes[i] & 0xff] = bytes.length - 1 - i;
      }
    }

    boolean isIn(byte[] buffer, int start, int end) {
      int lastIndex = bytes.length - 1;
      for (int at = start + lastIndex; at < end; at += shifts[buffer[at] & 0xff]) {
        int i = 0;
        while (i <= lastIndex && buffer[at - i] == bytes[lastIndex - i]) {
          i++;
        }
        if (i > lastIndex) {
          return true;
        }
      }
      return false;
    }
  }
}
