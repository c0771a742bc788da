package io.indexview.connect.common.row;

import io.indexview.connect.common.errors.RecordErrors;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.ViewGeneration;
import java.util.Optional;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/** The last record of a view topic, which is no row: all rows of a generation are to be removed. */
public final class RemoveRows {
  private static final String SCHEMA = ControlSchemas.VIEW_TOPIC_CONTROL.getFullName();
  private static final String COMMAND = "remove-rows";

  private RemoveRows() {}

  /**
   * The generation whose rows are to be removed; empty if the record is a row.
   *
   * @throws DataException if it is a command of a newer release. It must not be put aside: a sink
   *     that commits it says that the rows are gone.
   */
  public static Optional<ViewGeneration> of(SinkRecord record) {
    if (record.keySchema() == null
        || !SCHEMA.equals(record.keySchema().name())
        || !(record.key() instanceof Struct key)) {
      return Optional.empty();
    }
    if (!COMMAND.equals(key.getString("command"))) {
      throw unknown(record, "command " + key.getString("command"), null);
    }
    try {
      return Optional.of(ViewGeneration.fromJson(key.getString("description")));
    } catch (IllegalArgumentException e) {
      throw unknown(record, e.getMessage(), e);
    }
  }

  static DataException unknown(SinkRecord record, String what, Exception cause) {
    return new DataException(
        "%s: %s is not known to this release; upgrade this connector before the app"
            .formatted(RecordErrors.coordinates(record), what),
        cause);
  }
}
