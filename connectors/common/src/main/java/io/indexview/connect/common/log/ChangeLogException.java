package io.indexview.connect.common.log;

import org.apache.kafka.common.KafkaException;

/** The topic cannot be read now. */
public class ChangeLogException extends KafkaException {
  private static final long serialVersionUID = 1L;

  public ChangeLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
