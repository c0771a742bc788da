package io.indexview.connect.common.log;

import org.apache.kafka.common.KafkaException;

/** The topic cannot be read now. */
public class ChangeLogException extends KafkaException {
  private static final long serialVersionUID = 1L;

  public ChangeLogException(String message, Throwable cause) {
    super(message, cause);
  }

  /** There is no such topic, by now. */
  public static final class MissingTopicException extends ChangeLogException {
    private static final long serialVersionUID = 1L;

    public MissingTopicException(String topic, Throwable cause) {
      super(
          "topic %s does not exist; create it with the partitions and the retention that the views need"
              .formatted(topic),
          cause);
    }
  }
}
