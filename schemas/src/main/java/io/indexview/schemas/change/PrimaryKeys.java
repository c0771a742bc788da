package io.indexview.schemas.change;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.WireFormat;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericEnumSymbol;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.DecoderFactory;

/**
 * Keys of primary-change topics. Ours are the primary key in UTF-8. Foreign ones may be Avro in the
 * wire format, known by the first byte 0, which no UTF-8 key of ours begins with. Safe for use by
 * several threads.
 */
public final class PrimaryKeys {
  private static final HexFormat HEX = HexFormat.of();

  /**
   * Longest number, some 39,000 digits. The time to write it out grows with the square of its
   * length.
   */
  private static final int MAX_DECIMAL_BITS = 8 * 16_384;

  /** A scale can be as large as an int. */
  private static final int MAX_ZEROS = 1_000;

  private final SchemaRegistry registry;
  private final Map<Integer, GenericDatumReader<Object>> readers = new ConcurrentHashMap<>();

  public PrimaryKeys(SchemaRegistry registry) {
    this.registry = Objects.requireNonNull(registry, "registry");
  }

  /**
   * The bytes that identify a primary record in state: the key itself, or what follows the header
   * of a framed key, so that two producers whose key schemas have different ids mean one record.
   *
   * @return the array given if the key is not framed
   * @throws MalformedEventException if there is no key, or it begins with 0 and names no schema of
   *     the registry (a binary key of some other serializer, say): cutting it would merge records
   * @throws RegistryException if the registry failed: says nothing about the key
   */
  public byte[] stateKey(byte[] key) throws MalformedEventException {
    if (!isFramed(key)) {
      return key;
    }
    reader(key);
    return Arrays.copyOfRange(key, WireFormat.HEADER_LENGTH, key.length);
  }

  /** Registry id of the schema of a framed key; 0: the key is not framed. */
  public int schemaId(byte[] key) throws MalformedEventException {
    return isFramed(key) ? WireFormat.schemaId(key) : 0;
  }

  /**
   * The key of a record as a producer writes it.
   *
   * @param schemaId {@link #schemaId} of a key that the state key was made from
   */
  public static byte[] key(int schemaId, byte[] stateKey) {
    return schemaId == 0 ? stateKey : WireFormat.frame(schemaId, stateKey);
  }

  /**
   * The primary key as text; different keys of one topic have different texts.
   *
   * <p>A plain key is its own text. Of a framed key it is the string, number, boolean, enum symbol,
   * decimal or (hexadecimal) bytes that it is or, if it is a record, that its only field is. A
   * record of several fields is their texts in order, joined by {@code /}, with {@code %} and
   * {@code /} inside them written {@code %25} and {@code %2F}.
   *
   * @throws MalformedEventException if there is no such text
   * @throws RegistryException if the registry failed: says nothing about the key
   */
  public String text(byte[] key) throws MalformedEventException {
    if (!isFramed(key)) {
      return utf8(key);
    }
    GenericDatumReader<Object> reader = reader(key);
    Object datum;
    try {
      datum =
          reader.read(
              null,
              DecoderFactory.get()
                  .binaryDecoder(
                      key, WireFormat.HEADER_LENGTH, key.length - WireFormat.HEADER_LENGTH, null));
    } catch (IOException | RuntimeException | StackOverflowError e) {
      throw new MalformedEventException(
          "key: the bytes are not what schema %d says".formatted(WireFormat.schemaId(key)), e);
    }
    return datum instanceof IndexedRecord record && !Decimals.areOf(record.getSchema())
        ? recordText(record)
        : scalarText(reader.getSchema(), datum, "key");
  }

  private static boolean isFramed(byte[] key) throws MalformedEventException {
    if (key == null) {
      throw new MalformedEventException(
          "key: null; a change event is keyed by its primary record (a table without a primary key takes message.key.columns of Debezium, with REPLICA IDENTITY FULL)");
    }
    return key.length >= WireFormat.HEADER_LENGTH && key[0] == WireFormat.MAGIC;
  }

  private GenericDatumReader<Object> reader(byte[] key) throws MalformedEventException {
    int schemaId = WireFormat.schemaId(key);
    GenericDatumReader<Object> known = readers.get(schemaId);
    if (known != null) {
      return known;
    }
    try {
      GenericDatumReader<Object> reader = new GenericDatumReader<>(registry.byId(schemaId));
      readers.put(schemaId, reader);
      return reader;
    } catch (RegistryException.NotFound e) {
      throw new MalformedEventException(
          "key: begins with byte 0 but the registry knows no schema of id %d; write keys as UTF-8 text or Avro in the Confluent wire format"
              .formatted(schemaId),
          e);
    } catch (RegistryException.Rejected e) {
      throw new MalformedEventException(
          "key: schema id %d: %s".formatted(schemaId, e.getMessage()), e);
    }
  }

  private static String utf8(byte[] key) throws MalformedEventException {
    if (isAscii(key)) {
      return new String(key, StandardCharsets.US_ASCII);
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedEventException(
          "key: neither UTF-8 text nor Avro in the Confluent wire format", e);
    }
  }

  private static boolean isAscii(byte[] key) {
    for (byte one : key) {
      if (one < 0) {
        return false;
      }
    }
    return true;
  }

  private static String recordText(IndexedRecord record) throws MalformedEventException {
    List<String> texts = new ArrayList<>();
    for (Schema.Field field : record.getSchema().getFields()) {
      texts.add(
          scalarText(
              field.schema(), record.get(field.pos()), "key field \"" + field.name() + "\""));
    }
    return text(texts);
  }

  /**
   * The text of a key of some fields.
   *
   * @param fields their texts, in order
   * @throws MalformedEventException if there are none: all records would have that key
   */
  public static String text(List<String> fields) throws MalformedEventException {
    if (fields.isEmpty()) {
      throw new MalformedEventException(
          "key: without fields; a change event is keyed by its primary record");
    }
    return fields.size() == 1
        ? fields.get(0)
        : fields.stream()
            .map(text -> text.replace("%", "%25").replace("/", "%2F"))
            .collect(Collectors.joining("/"));
  }

  /**
   * The text of a number. Keys of one scale are equal if their numbers are. Where each brings a
   * scale, 1.0 and 1.00 are two keys, so they have two texts.
   *
   * @throws IllegalArgumentException if the number has more digits than a key may have
   */
  public static String text(BigDecimal number, boolean isOfAnyScale) {
    if (number.unscaledValue().bitLength() > MAX_DECIMAL_BITS) {
      throw new IllegalArgumentException(
          "a decimal of more than %d bytes is no key; key the records by another column"
              .formatted(MAX_DECIMAL_BITS / 8));
    }
    if (isOfAnyScale) {
      return number.toString();
    }
    BigDecimal shortest = number.stripTrailingZeros();
    return Math.abs((long) shortest.scale()) <= MAX_ZEROS
        ? shortest.toPlainString()
        : shortest.toString();
  }

  private static String scalarText(Schema schema, Object datum, String what)
      throws MalformedEventException {
    if (schema.isUnion()) {
      int branch = GenericData.get().resolveUnion(schema, datum);
      return scalarText(schema.getTypes().get(branch), datum, what);
    }
    if (Decimals.areOf(schema)) {
      try {
        return text(Decimals.of(schema, datum), Decimals.isOfAnyScale(schema));
      } catch (IllegalArgumentException e) {
        throw new MalformedEventException(what + ": " + e.getMessage(), e);
      }
    }
    if (datum instanceof ByteBuffer bytes) {
      return HEX.formatHex(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.limit());
    }
    if (datum instanceof GenericFixed fixed) {
      return HEX.formatHex(fixed.bytes());
    }
    if (datum instanceof CharSequence
        || datum instanceof Number
        || datum instanceof Boolean
        || datum instanceof GenericEnumSymbol) {
      return datum.toString();
    }
    throw new MalformedEventException(
        what + (datum == null ? " is null" : " is neither text, number, boolean, enum nor bytes"));
  }
}
