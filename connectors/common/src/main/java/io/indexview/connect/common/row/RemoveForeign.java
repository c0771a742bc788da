package io.indexview.connect.common.row;

import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.layout.ForeignRemoval;
import java.util.Optional;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/** The record of a view topic that has removed what is no row of the view. */
public final class RemoveForeign {
  private static final String SCHEMA = ControlSchemas.VIEW_TOPIC_CONTROL.getFullName();

  private RemoveForeign() {}

  /**
   * What is to be removed; empty if the record is another one. To be asked before {@link
   * RemoveRows}.
   *
   * @throws DataException if the record is of a newer release
   */
  public static Optional<ForeignRemoval> of(SinkRecord record) {
    if (record.keySchema() == null
        || !SCHEMA.equals(record.keySchema().name())
        || !(record.key() instanceof Struct key)
        || !ForeignRemoval.COMMAND.equals(key.getString("command"))) {
      return Optional.empty();
    }
    try {
      return Optional.of(ForeignRemoval.fromJson(key.getString("description")));
    } catch (IllegalArgumentException e) {
      throw RemoveRows.unknown(record, e.getMessage(), e);
    }
  }
}
