package io.indexview.interop;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.RecordSet;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Records with a field of each type that a JDBC sink has a column for, and values at its edges. */
final class RandomParcels {
  static final RecordSet SET =
      new RecordSet(
          "parcels",
          "indexview.changes.parcels",
          RecordFormat.ENVELOPE,
          List.of(),
          new Schema.Parser()
              .parse(
                  """
                  {"type": "record", "name": "Parcel", "namespace": "test", "fields": [
                    {"name": "depot", "type": ["null", "string"]},
                    {"name": "State", "type": ["null", {"type": "enum", "name": "State", "symbols": ["SENT", "HERE"]}]},
                    {"name": "pieces", "type": ["null", "int"]},
                    {"name": "grams", "type": ["null", "long"]},
                    {"name": "length", "type": ["null", "float"]},
                    {"name": "fee", "type": ["null", "double"]},
                    {"name": "express", "type": ["null", "boolean"]},
                    {"name": "due", "type": ["null", {"type": "int", "logicalType": "date"}]},
                    {"name": "seenAt", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
                    {"name": "scanned", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
                    {"name": "opens", "type": ["null", {"type": "int", "logicalType": "time-millis"}]},
                    {"name": "price", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}]},
                    {"name": "label", "type": ["null", "bytes"]},
                    {"name": "hash", "type": ["null", {"type": "fixed", "name": "Hash", "size": 4}]},
                    {"name": "reference", "type": ["null", {"type": "string", "logicalType": "uuid"}]},
                    {"name": "tags", "type": ["null", {"type": "array", "items": "string"}]},
                    {"name": "counts", "type": ["null", {"type": "array", "items": ["null", "long"]}]}
                  ]}
                  """));

  private static final List<String> TEXTS =
      List.of(
          "",
          " ",
          "a",
          "A",
          "ä",
          "ss",
          "ß",
          "a\u0301",
          "\uD83D\uDE00",
          "\uFFFD",
          "'\"\\%_",
          "\n\t\u0001",
          "NULL");
  private static final int[] INTS = {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE};
  private static final long[] LONGS = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 53};
  private static final float[] FLOATS = {
    0f, -0f, 0.1f, Float.NaN, Float.POSITIVE_INFINITY, Float.MIN_VALUE, -Float.MAX_VALUE
  };
  private static final double[] DOUBLES = {
    0, -0d, 0.1, Double.NaN, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, Double.MAX_VALUE
  };
  private static final LocalDate[] DAYS = {
    LocalDate.EPOCH, LocalDate.of(1582, 10, 10), LocalDate.of(1, 1, 1), LocalDate.of(9999, 12, 31)
  };
  private static final Instant[] TIMES = {
    Instant.EPOCH,
    Instant.parse("1969-12-31T23:59:59.999Z"),
    Instant.parse("1582-10-10T12:00:00Z"),
    Instant.parse("0001-01-01T00:00:00Z"),
    Instant.parse("9999-12-31T23:59:59.999Z")
  };
  private static final int MILLIS_PER_DAY = 86_400_000;

  private final Random random;

  RandomParcels(Random random) {
    this.random = random;
  }

  /**
   * The next one.
   *
   * @param nulls how many of a hundred values are null
   */
  GenericRecord next(int nulls) {
    GenericRecord parcel = new GenericData.Record(SET.schema());
    for (Schema.Field field : SET.schema().getFields()) {
      if (random.nextInt(100) >= nulls) {
        parcel.put(field.pos(), value(field));
      }
    }
    return parcel;
  }

  private Object value(Schema.Field field) {
    return switch (field.name()) {
      case "depot" -> text();
      case "State" ->
          new GenericData.EnumSymbol(
              field.schema().getTypes().get(1), random.nextBoolean() ? "SENT" : "HERE");
      case "pieces" -> random.nextBoolean() ? random.nextInt() : INTS[random.nextInt(INTS.length)];
      case "grams" -> number();
      case "length" ->
          random.nextBoolean() ? random.nextFloat() : FLOATS[random.nextInt(FLOATS.length)];
      case "fee" ->
          random.nextBoolean() ? random.nextDouble() : DOUBLES[random.nextInt(DOUBLES.length)];
      case "express" -> random.nextBoolean();
      case "due" ->
          random.nextBoolean()
              ? random.nextInt(40_000)
              : (int) DAYS[random.nextInt(DAYS.length)].toEpochDay();
      case "seenAt" -> time().toEpochMilli();
      case "scanned" -> time().toEpochMilli() * 1_000 + random.nextInt(1_000);
      case "opens" -> random.nextInt(MILLIS_PER_DAY);
      case "price" ->
          ByteBuffer.wrap(
              BigInteger.valueOf(random.nextInt(1_999_999_999) - 999_999_999).toByteArray());
      case "label" -> ByteBuffer.wrap(bytes(random.nextInt(5)));
      case "hash" -> new GenericData.Fixed(field.schema().getTypes().get(1), bytes(4));
      case "reference" -> new UUID(random.nextLong(), random.nextLong()).toString();
      case "tags" -> {
        List<String> tags = new ArrayList<>();
        random.ints(random.nextInt(4)).forEach(unused -> tags.add(text()));
        yield tags;
      }
      case "counts" -> {
        List<Long> counts = new ArrayList<>();
        random.ints(random.nextInt(4)).forEach(it -> counts.add(it % 5 == 0 ? null : number()));
        yield counts;
      }
      default -> throw new IllegalStateException(field.name());
    };
  }

  private String text() {
    return TEXTS.get(random.nextInt(TEXTS.size())) + TEXTS.get(random.nextInt(TEXTS.size()));
  }

  private long number() {
    return random.nextBoolean() ? random.nextLong() : LONGS[random.nextInt(LONGS.length)];
  }

  private Instant time() {
    return random.nextBoolean()
        ? Instant.ofEpochMilli(random.nextLong(4_000_000_000_000L))
        : TIMES[random.nextInt(TIMES.length)];
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
