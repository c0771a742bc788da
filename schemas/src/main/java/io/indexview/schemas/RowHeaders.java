package io.indexview.schemas;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Headers of view rows. The rows of one event follow each other, so the last headers are kept and
 * used again. Not safe for use by several threads.
 */
public final class RowHeaders {
  public static final String REVISION = "indexview.revision";
  public static final String GENERATION = "indexview.generation";

  private long revision = -1;
  private int generation = -1;
  private Headers headers;

  /** Returns the headers of a row; the caller must not change them. */
  public Headers of(long rowRevision, int rowGeneration) {
    if (headers == null || rowRevision != revision || rowGeneration != generation) {
      revision = rowRevision;
      generation = rowGeneration;
      headers =
          new RecordHeaders()
              .add(REVISION, text(Long.toString(rowRevision)))
              .add(GENERATION, text(Integer.toString(rowGeneration)));
    }
    return headers;
  }

  /**
   * The revision of a row.
   *
   * @throws IllegalStateException if it has none; names the record
   */
  public static long revision(ConsumerRecord<?, ?> row) {
    Header header = row.headers().lastHeader(REVISION);
    if (header == null || header.value() == null) {
      throw foreign(row, "has no header " + REVISION, null);
    }
    String text = new String(header.value(), StandardCharsets.UTF_8);
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw foreign(
          row, "has \"%s\" in header %s, which is no number".formatted(text, REVISION), e);
    }
  }

  private static IllegalStateException foreign(
      ConsumerRecord<?, ?> row, String reason, NumberFormatException cause) {
    return new IllegalStateException(
        "record %s-%d@%d %s: the streams app did not write it"
            .formatted(row.topic(), row.partition(), row.offset(), reason),
        cause);
  }

  private static byte[] text(String value) {
    return value.getBytes(StandardCharsets.UTF_8);
  }
}
