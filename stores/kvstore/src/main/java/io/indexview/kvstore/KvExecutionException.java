package io.indexview.kvstore;

/** A condition of {@link KvStore#execute} did not hold; nothing of the call was done. */
public final class KvExecutionException extends KvStoreException {
  private static final long serialVersionUID = 1L;

  private final int index;
  private final transient KvOperation operation;
  private final String actual;

  /**
   * @param index of the operation in the call's list
   * @param actual what the key holds instead, for the message
   */
  public KvExecutionException(int index, KvOperation operation, String actual, Throwable cause) {
    super(
        "Operation %d (%s %s) did not hold: %s. Nothing was changed."
            .formatted(index, operation.getClass().getSimpleName(), operation.key(), actual),
        cause);
    this.index = index;
    this.operation = operation;
    this.actual = actual;
  }

  /** Where the operation stands in the list that was given. */
  public int index() {
    return index;
  }

  public KvOperation operation() {
    return operation;
  }

  /** What the key holds instead. */
  public String actual() {
    return actual;
  }
}
