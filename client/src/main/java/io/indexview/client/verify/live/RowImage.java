package io.indexview.client.verify.live;

import io.indexview.client.verify.RowContent;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What two rows are compared by.
 *
 * @param revision empty where rows hold none
 * @param content the first 128 bits of SHA-256 over {@link RowContent#content}
 */
record RowImage(String primaryKey, OptionalLong revision, ByteBuffer content) {
  static final int CONTENT_BYTES = 16;

  static RowImage of(RowContent row) {
    return new RowImage(
        row.primaryKey(),
        row.revision(),
        ByteBuffer.wrap(new Sha256().of(row.content()), 0, CONTENT_BYTES).slice());
  }

  static OptionalLong revision(Optional<RowImage> row) {
    return row.map(RowImage::revision).orElse(OptionalLong.empty());
  }
}
