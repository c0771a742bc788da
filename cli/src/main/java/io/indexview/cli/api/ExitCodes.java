package io.indexview.cli.api;

/** What a command's exit code says, for scripts. */
public final class ExitCodes {
  public static final int OK = 0;
  public static final int FAILED = 1;
  public static final int USAGE = 2;
  public static final int NOT_READY = 3;
  public static final int NOT_FOUND = 4;
  public static final int UNAVAILABLE = 5;

  /** Heading of the list in a command's help. */
  public static final String HEADING = "%nExit codes:%n";

  public static final String OK_HELP = "0:it is done";
  public static final String FAILED_HELP = "1:it failed, or something else was written meanwhile";
  public static final String USAGE_HELP = "2:the command line or what it names is wrong";
  public static final String NOT_READY_HELP = "3:the view is not ready, or not fresh enough";
  public static final String NOT_FOUND_HELP = "4:there is no such view, source, record or file";
  public static final String UNAVAILABLE_HELP = "5:the server, or what it needs, does not answer";

  private ExitCodes() {}
}
