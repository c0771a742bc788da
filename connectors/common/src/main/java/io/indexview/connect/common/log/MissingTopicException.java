package io.indexview.connect.common.log;

/** There is no such topic, by now. */
public final class MissingTopicException extends ChangeLogException {
  private static final long serialVersionUID = 1L;

  public MissingTopicException(String topic, Throwable cause) {
    super(
        "topic %s does not exist; create it with the partitions and the retention that the views need"
            .formatted(topic),
        cause);
  }
}
