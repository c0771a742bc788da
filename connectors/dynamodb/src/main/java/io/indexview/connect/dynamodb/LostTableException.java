package io.indexview.connect.dynamodb;

import org.apache.kafka.connect.errors.DataException;

/** The rows that were written before are gone with their table: no row makes it right again. */
final class LostTableException extends DataException {
  private static final long serialVersionUID = 1L;

  LostTableException(String reason) {
    super(reason);
  }
}
