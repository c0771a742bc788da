package io.indexview.verification.live;

/** The process of a verification is killed. */
final class CrashException extends RuntimeException {
  private static final long serialVersionUID = 1L;
}
