package io.indexview.schemas.hash;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** SHA-256, which every Java platform has. */
public final class Sha256 {
  private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

  private Sha256() {}

  /**
   * Creates a digest for repeated use by one thread at a time: to create one takes longer than a
   * short digest.
   */
  public static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The hash of bytes as 43 characters that are safe in URLs, file names and keys. */
  public static String text(byte[] bytes) {
    return TEXT.encodeToString(newDigest().digest(bytes));
  }
}
