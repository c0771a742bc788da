package io.indexview.connect.common.row;

import io.indexview.schemas.RowHeaders;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.Header;

/**
 * What sinks compare: the headers that every view record carries, deletes included.
 *
 * @param generation of the view
 * @param revision of the primary record
 */
public record RowVersion(int generation, long revision) implements Comparable<RowVersion> {

  /**
   * The version of a record, from headers as any header converter hands them out: numbers, text or
   * bytes.
   *
   * @throws DataException if a header is missing or no number
   */
  public static RowVersion of(ConnectRecord<?> record) {
    long generation = number(record, RowHeaders.GENERATION);
    if (generation != (int) generation) {
      throw new DataException("header " + RowHeaders.GENERATION + " is out of range");
    }
    return new RowVersion((int) generation, number(record, RowHeaders.REVISION));
  }

  private static long number(ConnectRecord<?> record, String name) {
    Header header = record.headers().lastWithName(name);
    if (header == null) {
      throw new DataException(
          "header %s is missing: is the topic a view topic, and does no transformation drop headers?"
              .formatted(name));
    }
    Object value = header.value();
    if (value instanceof Number number) {
      return number.longValue();
    }
    try {
      return Long.parseLong(HeaderText.of(value));
    } catch (NumberFormatException e) {
      throw new DataException("header %s is not a decimal number".formatted(name), e);
    }
  }

  @Override
  public int compareTo(RowVersion other) {
    int byGeneration = Integer.compare(generation, other.generation);
    return byGeneration != 0 ? byGeneration : Long.compare(revision, other.revision);
  }
}
