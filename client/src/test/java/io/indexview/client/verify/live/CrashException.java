package io.indexview.client.verify.live;

/** The process of a verification is killed. */
final class CrashException extends RuntimeException {
  private static final long serialVersionUID = 1L;
}
