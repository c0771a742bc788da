package io.indexview.kvstore.value;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Set;
import org.apache.avro.Schema;

/** ISO 8601 text as the numbers of Avro's dates and times. */
final class IsoTimes {
  private static final Set<String> KNOWN =
      Set.of(
          "date",
          "time-millis",
          "time-micros",
          "timestamp-millis",
          "timestamp-micros",
          "local-timestamp-millis",
          "local-timestamp-micros");
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long NANOS_PER_MICRO = 1_000;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private IsoTimes() {}

  static boolean knows(Schema schema) {
    return schema.getLogicalType() != null && KNOWN.contains(schema.getLogicalType().getName());
  }

  /**
   * The number of a text.
   *
   * @throws java.time.DateTimeException if it is none of the type
   * @throws ArithmeticException if the type cannot hold it: too fine, too far
   */
  static long parse(Schema schema, String text) {
    String type = schema.getLogicalType().getName();
    long unit = type.endsWith("micros") ? NANOS_PER_MICRO : NANOS_PER_MILLI;
    return switch (type) {
      case "date" -> Math.toIntExact(LocalDate.parse(text).toEpochDay());
      case "time-millis", "time-micros" -> exact(LocalTime.parse(text).toNanoOfDay(), unit);
      case "local-timestamp-millis", "local-timestamp-micros" ->
          number(LocalDateTime.parse(text).toInstant(ZoneOffset.UTC), unit);
      default -> number(OffsetDateTime.parse(text).toInstant(), unit);
    };
  }

  private static long number(Instant instant, long unit) {
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), NANOS_PER_SECOND / unit),
        exact(instant.getNano(), unit));
  }

  private static long exact(long nanos, long unit) {
    if (nanos % unit != 0) {
      throw new ArithmeticException("finer than the type");
    }
    return nanos / unit;
  }
}
