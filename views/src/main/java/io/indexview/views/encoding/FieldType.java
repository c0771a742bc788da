package io.indexview.views.encoding;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Optional;
import org.apache.avro.Schema;

/**
 * A type that a key field can have. Each has one Java form (see {@link #normalise}) and one order
 * (see {@link #compare}).
 */
public enum FieldType {
  /** {@link String}, ordered by code point, which is the order of its UTF-8 bytes. */
  STRING,
  /** {@link Integer}. */
  INT,
  /** {@link Long}. */
  LONG,
  /** {@link Float}; no -0.0, NaN last. */
  FLOAT,
  /** {@link Double}; no -0.0, NaN last. */
  DOUBLE,
  /** {@link Boolean}, false first. */
  BOOLEAN,
  /** The symbol as {@link String}, ordered as text, whatever the order of declaration. */
  ENUM,
  /** {@link LocalDate}. */
  DATE,
  /** {@link Instant} in whole milliseconds. */
  TIMESTAMP_MILLIS,
  /** {@link Instant} in whole microseconds. */
  TIMESTAMP_MICROS;

  /** The type of a schema that is no union; empty if its values cannot be key fields. */
  public static Optional<FieldType> of(Schema schema) {
    throw new IllegalStateException("not built yet");
  }

  /**
   * The one Java form of a value, from any form in which Avro or Kafka Connect hand it out: text as
   * any {@link CharSequence}, enums as Avro symbols or text, dates as days, {@link LocalDate} or
   * {@link java.util.Date}, timestamps as a number, {@link Instant} or {@link java.util.Date}, -0.0
   * as 0.0.
   *
   * @param value null stays null
   * @throws IllegalArgumentException if it is no value of this type
   */
  public Object normalise(Object value) {
    throw new IllegalStateException("not built yet");
  }

  /** Order of two normalised values, null first. */
  public int compare(Object left, Object right) {
    throw new IllegalStateException("not built yet");
  }
}
