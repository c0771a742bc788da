package io.indexview.client.page;

import java.security.GeneralSecurityException;

/** Algorithms that every Java platform has. */
final class Digests {
  private Digests() {}

  interface Algorithm<T> {
    T get() throws GeneralSecurityException;
  }

  static <T> T ofPlatform(Algorithm<T> algorithm) {
    try {
      return algorithm.get();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
