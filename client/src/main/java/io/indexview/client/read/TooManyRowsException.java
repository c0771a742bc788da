package io.indexview.client.read;

import java.util.List;

/** A query whose rows lie in too many places to be sorted by the reader. */
public final class TooManyRowsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param shardKey names of its fields
   */
  public TooManyRowsException(String view, int sortLimit, List<String> shardKey) {
    super(
        ("View \"%s\": the query does not give all fields of the view's shardKey (%s), so that its"
                + " rows lie in many places, and these are more than the %,d that a reader sorts"
                + " (sort.limit); give all of these fields, or define the view with a shorter"
                + " shardKey")
            .formatted(view, String.join(", ", shardKey), sortLimit));
  }
}
