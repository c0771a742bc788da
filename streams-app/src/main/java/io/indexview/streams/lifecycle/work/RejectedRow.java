package io.indexview.streams.lifecycle.work;

import java.util.Objects;

/**
 * A record of a view topic that the sink could not apply.
 *
 * @param row stands for the row's key: the same for the same key bytes, of bounded length; no
 *     content
 * @param partition of the view topic
 * @param offset in that partition
 * @param reason what is wrong with it; never its content
 */
public record RejectedRow(String row, int partition, long offset, String reason) {
  public RejectedRow {
    Objects.requireNonNull(row, "row");
    Objects.requireNonNull(reason, "reason");
  }
}
