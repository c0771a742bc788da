package io.indexview.verification.live;

import io.indexview.schemas.hash.Sha256;
import io.indexview.verification.RowContent;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
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
        ByteBuffer.wrap(new ContentDigest().of(row.content()), 0, CONTENT_BYTES).slice());
  }

  static OptionalLong revision(Optional<RowImage> row) {
    return row.map(RowImage::revision).orElse(OptionalLong.empty());
  }

  /** SHA-256 of one array of bytes after the other. Not safe for use by several threads. */
  static final class ContentDigest {
    private static final int BYTES = 32;

    private final MessageDigest sha256 = Sha256.newDigest();
    private final byte[] digest = new byte[BYTES];

    /** The digest; valid until the next one. */
    byte[] of(byte[] bytes) {
      try {
        sha256.update(bytes);
        sha256.digest(digest, 0, BYTES);
        return digest;
      } catch (DigestException e) {
        throw new IllegalStateException("a digest takes %d bytes".formatted(BYTES), e);
      }
    }
  }
}
