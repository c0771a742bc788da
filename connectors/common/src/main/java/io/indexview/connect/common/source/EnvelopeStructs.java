package io.indexview.connect.common.source;

import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.schemas.change.EnvelopeWriter;
import io.indexview.schemas.change.EnvelopeWriter.SourceInfo;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;

/** Change envelopes of one record schema as Connect data. Thread-safe. */
public final class EnvelopeStructs {
  private final EnvelopeWriter writer;
  private final ConnectData connectData = new ConnectData();

  /**
   * @param connector kind of source: {@code kvstore}, {@code s3}
   * @param sourceName source identity, as on source-states
   */
  public EnvelopeStructs(Schema recordSchema, String connector, String sourceName) {
    this.writer =
        new EnvelopeWriter(
            recordSchema, new SourceInfo(connector, sourceName, PluginVersion.get()));
  }

  /**
   * One event.
   *
   * @param seenAt when the source saw the change, ms since the epoch
   * @param changedAt when it was made at the source, ms since the epoch; 0 = unknown
   * @param after null exactly for a delete
   * @throws DataException if a field's value is none of its logical type, which Avro does not look
   *     at; shows no value
   */
  public SchemaAndValue event(
      Op op, long seenAt, long changedAt, Origin origin, GenericRecord after) {
    try {
      return connectData.of(writer.write(op, seenAt, changedAt, origin, after));
    } catch (DataException | ArithmeticException | IllegalArgumentException e) {
      throw new DataException(
          "a field's value is none of its logical type, such as a decimal without a byte, or a time"
              + " of day beyond the day",
          e);
    }
  }
}
