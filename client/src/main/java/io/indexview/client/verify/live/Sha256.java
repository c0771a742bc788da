package io.indexview.client.verify.live;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 of one array of bytes after the other. Not safe for use by several threads. */
final class Sha256 {
  private static final int BYTES = 32;

  private final MessageDigest sha256;
  private final byte[] digest = new byte[BYTES];

  Sha256() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

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
