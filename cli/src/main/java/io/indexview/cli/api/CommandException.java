package io.indexview.cli.api;

/** A command cannot do what was asked; the message says why, and what to do. */
public abstract class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  private CommandException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** One of {@link ExitCodes}. */
  public int exitCode() {
    return exitCode;
  }

  /** What the user gave cannot be used; the message names the option or argument. */
  public static final class Usage extends CommandException {
    private static final long serialVersionUID = 1L;

    public Usage(String message) {
      this(message, null);
    }

    /**
     * @param cause null: there is none
     */
    public Usage(String message, Throwable cause) {
      super(ExitCodes.USAGE, message, cause);
    }
  }

  /** What was asked for is not there. */
  public static final class NotFound extends CommandException {
    private static final long serialVersionUID = 1L;

    public NotFound(String message) {
      super(ExitCodes.NOT_FOUND, message, null);
    }
  }

  /** Something else was written meanwhile. */
  public static final class Conflict extends CommandException {
    private static final long serialVersionUID = 1L;

    public Conflict(String message) {
      super(ExitCodes.FAILED, message, null);
    }
  }

  /** No server answers, or none is known. */
  public static final class Unavailable extends CommandException {
    private static final long serialVersionUID = 1L;

    /**
     * @param cause null: there is none
     */
    public Unavailable(String message, Throwable cause) {
      super(ExitCodes.UNAVAILABLE, message, cause);
    }
  }

  /** What a command was to print did not get there. */
  public static final class OutputLost extends CommandException {
    private static final long serialVersionUID = 1L;

    public OutputLost() {
      super(
          ExitCodes.FAILED,
          "standard output cannot be written any more: its reader has ended, or its disk is full",
          null);
    }
  }
}
