package io.indexview.schemas.control;

import io.indexview.schemas.hash.Sha256;
import java.util.HexFormat;
import java.util.Objects;

/**
 * What lies among the rows of a view and is none of them, as somebody found it.
 *
 * @param id its key in the target, as text
 * @param digest of what it holds, see {@link #digest}; {@link #NO_CONTENT} of a tombstone, of which
 *     the sink tells by itself what it may remove
 */
public record UnexpectedRow(String id, String digest) {
  /** The digest of no content, not even of an empty one. */
  public static final String NO_CONTENT = "";

  public UnexpectedRow {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(digest, "digest");
  }

  /** Whether it holds this. */
  public boolean holds(byte[] content) {
    return digest(content).equals(digest);
  }

  /** The digest of a content: SHA-256 in hex. */
  public static String digest(byte[] content) {
    return HexFormat.of().formatHex(Sha256.newDigest().digest(content));
  }
}
