package io.indexview.cli.api;

/** What a command's exit code says, for scripts. */
public final class ExitCodes {
  public static final int OK = 0;
  public static final int FAILED = 1;
  public static final int USAGE = 2;
  public static final int NOT_READY = 3;
  public static final int NOT_FOUND = 4;
  public static final int UNAVAILABLE = 5;

  private ExitCodes() {}
}
