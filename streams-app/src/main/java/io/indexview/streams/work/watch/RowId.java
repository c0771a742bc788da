package io.indexview.streams.work.watch;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** What stands for the key of a row where its bytes must not, or need not, be. */
final class RowId {
  private static final byte[] NO_KEY = {};

  private RowId() {}

  /** The same text for the same bytes, of 43 characters. */
  static String of(byte[] key) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(key == null ? NO_KEY : key);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
