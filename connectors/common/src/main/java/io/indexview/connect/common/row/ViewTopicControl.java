package io.indexview.connect.common.row;

import io.indexview.connect.common.errors.RecordErrors;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.UnexpectedRemoval;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * The records of a view topic that are no rows, but commands to the sink. Every method throws
 * {@link DataException} if a record is a command of a newer release. Such a record must not be put
 * aside: a sink that commits it says that it has carried it out.
 */
public final class ViewTopicControl {
  private static final String SCHEMA = ControlSchemas.VIEW_TOPIC_CONTROL.getFullName();
  private static final String REMOVE_ROWS = "remove-rows";
  private static final String END_ROWS = "end-rows";
  private static final Set<String> COMMANDS =
      Set.of(REMOVE_ROWS, END_ROWS, UnexpectedRemoval.COMMAND);

  private ViewTopicControl() {}

  /**
   * The generation whose rows are all to be removed, which is the last record of its topic; empty
   * if the record is a row or another command.
   */
  public static Optional<ViewGeneration> retired(SinkRecord record) {
    return read(record, REMOVE_ROWS, ViewGeneration::fromJson);
  }

  /** What is no row of the view and is to be removed; empty if the record is another one. */
  public static Optional<UnexpectedRemoval> unexpected(SinkRecord record) {
    return read(record, UnexpectedRemoval.COMMAND, UnexpectedRemoval::fromJson);
  }

  /**
   * Whether a record says that no row comes after it in its partition, as all are to be removed.
   */
  public static boolean isEnd(SinkRecord record) {
    return read(record, END_ROWS, description -> description).isPresent();
  }

  private static <T> Optional<T> read(
      SinkRecord record, String wanted, Function<String, T> description) {
    if (record.keySchema() == null
        || !SCHEMA.equals(record.keySchema().name())
        || !(record.key() instanceof Struct key)) {
      return Optional.empty();
    }
    String command = key.getString("command");
    if (!COMMANDS.contains(command)) {
      throw unknown(record, "command " + command, null);
    }
    try {
      return command.equals(wanted)
          ? Optional.of(description.apply(key.getString("description")))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      throw unknown(record, e.getMessage(), e);
    }
  }

  private static DataException unknown(SinkRecord record, String what, Exception cause) {
    return new DataException(
        "%s: %s is not known to this release; upgrade this connector before the app"
            .formatted(RecordErrors.coordinates(record), what),
        cause);
  }
}
