package io.indexview.connect.common.errors;

import java.util.Objects;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.ErrantRecordReporter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;

/**
 * What becomes of a record that a sink cannot apply: the dead-letter topic when the connector has
 * one, else the end of the task. Coordinates are those of the topic, before any transformation.
 */
public final class RecordErrors {
  private final ErrantRecordReporter reporter;
  private long rejected;

  /**
   * @param reporter null when the connector has no dead-letter topic and tolerates no errors
   */
  public RecordErrors(ErrantRecordReporter reporter) {
    this.reporter = reporter;
  }

  public static RecordErrors of(SinkTaskContext context) {
    return new RecordErrors(context.errantRecordReporter());
  }

  /**
   * Reports the record. The framework finishes the report before it commits the record's offset.
   *
   * @param reason what is wrong and what helps; no value of the record
   * @param cause may be null
   * @throws DataException if nobody takes reports
   */
  public void reject(SinkRecord record, String reason, Throwable cause) {
    Objects.requireNonNull(reason, "reason");
    DataException error = new DataException(coordinates(record) + ": " + reason, cause);
    if (reporter == null) {
      throw error;
    }
    reporter.report(record, error);
    rejected++;
  }

  /** Records reported so far. */
  public long rejected() {
    return rejected;
  }

  /** {@code topic-partition@offset}. */
  public static String coordinates(SinkRecord record) {
    return record.originalTopic()
        + "-"
        + record.originalKafkaPartition()
        + "@"
        + record.originalKafkaOffset();
  }
}
