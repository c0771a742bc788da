package io.indexview.schemas.change;

/** What happened to a primary record; the codes are Debezium's. */
public enum Op {
  CREATE("c"),
  UPDATE("u"),
  DELETE("d"),
  /** A record that was found by a read (snapshot, scan, listing). */
  READ("r");

  private final String code;

  Op(String code) {
    this.code = code;
  }

  public String code() {
    return code;
  }

  /**
   * The operation of an envelope's {@code op} field.
   *
   * @throws IllegalArgumentException for any other code
   */
  public static Op ofCode(String code) {
    for (Op op : values()) {
      if (op.code.equals(code)) {
        return op;
      }
    }
    throw new IllegalArgumentException("op \"" + code + "\" is none of c, u, d, r");
  }

  /**
   * The operation of an event.
   *
   * @param code null: the event has none
   * @throws MalformedEventException if it is no change of a record; the message says what it is
   */
  public static Op ofEvent(String code) throws MalformedEventException {
    if (code == null) {
      throw new MalformedEventException("\"op\" is null: it must be one of c, u, d, r");
    }
    try {
      return ofCode(code);
    } catch (IllegalArgumentException e) {
      String hint =
          switch (code) {
            case "t" ->
                "; a truncate names no record: publish the table again by an ad-hoc snapshot of Debezium and tell so (sources published-again); with skipped.operations=t, Debezium's default, truncates are not published at all";
            case "m" -> "; a logical decoding message is no change: exclude its prefix";
            default -> "";
          };
      String message = e.getMessage() + hint;
      throw code.equals("t")
          ? MalformedEventException.ofEveryRecord(message, e)
          : new MalformedEventException(message, e);
    }
  }
}
