package io.indexview.schemas;

import java.nio.charset.StandardCharsets;
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

  /** Not to be changed by the caller. */
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

  private static byte[] text(String value) {
    return value.getBytes(StandardCharsets.UTF_8);
  }
}
