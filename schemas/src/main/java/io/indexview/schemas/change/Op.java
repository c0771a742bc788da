package io.indexview.schemas.change;

/** What happened to a primary record; the codes are Debezium's. */
public enum Op {
  CREATE("c"),
  UPDATE("u"),
  DELETE("d"),
  /** Found by a read of what there is (snapshot, scan, listing). */
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
}
