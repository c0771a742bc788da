package io.indexview.connect.common.metadata;

import io.indexview.connect.common.avro.StructRecords;
import io.indexview.connect.common.errors.RecordErrors;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.serde.ControlSchemas;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * What one record of view-states says.
 *
 * @param state empty: the view is gone, with all its rows
 */
public record ViewStateChange(String view, Optional<ViewState> state) {
  public ViewStateChange {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(state, "state");
  }

  /**
   * Reads a record.
   *
   * @throws DataException if it is none of view-states, or of a newer release. It must not be put
   *     aside: a sink that commits it says that the state is applied.
   */
  public static ViewStateChange of(SinkRecord record) {
    if (!(record.key() instanceof String view)) {
      throw unreadable(record, "the key is no text", null);
    }
    if (record.value() == null) {
      return new ViewStateChange(view, Optional.empty());
    }
    if (!(record.value() instanceof Struct struct)) {
      throw unreadable(record, "the value is no record with fields", null);
    }
    try {
      ViewState state = ViewState.of(StructRecords.of(struct, ControlSchemas.VIEW_STATE));
      return new ViewStateChange(view, Optional.of(state));
    } catch (DataException | IllegalArgumentException e) {
      throw unreadable(record, e.getMessage(), e);
    }
  }

  private static DataException unreadable(SinkRecord record, String reason, Exception cause) {
    return new DataException(
        "%s: no view state: %s; use io.indexview.connect.common.avro.AvroConverter for keys and values, and upgrade this connector before the app"
            .formatted(RecordErrors.coordinates(record), reason),
        cause);
  }
}
