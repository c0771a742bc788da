package io.indexview.schemas.change;

import io.indexview.schemas.serde.ControlSchemas;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Builds the envelopes of one record schema, as {@link ChangeEventReader} reads them; {@code
 * before} stays empty. Thread-safe.
 */
public final class EnvelopeWriter {
  private static final Schema ORDER = branch(ControlSchemas.SOURCE, "order");
  private static final Schema BASE = branch(ORDER, "base");

  private final Schema recordSchema;
  private final Schema envelope;
  private final SourceInfo info;

  /**
   * What every envelope says of its source.
   *
   * @param connector kind of source: kvstore, s3, writer
   * @param name source identity, as on the source-states topic
   * @param version of the connector
   */
  public record SourceInfo(String connector, String name, String version) {
    public SourceInfo {
      Objects.requireNonNull(connector, "connector");
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(version, "version");
    }
  }

  public EnvelopeWriter(Schema recordSchema, SourceInfo info) {
    this.recordSchema = recordSchema;
    this.envelope = EnvelopeSchemas.envelope(recordSchema);
    this.info = Objects.requireNonNull(info, "info");
  }

  /** The schema of the envelopes. */
  public Schema schema() {
    return envelope;
  }

  /**
   * One envelope.
   *
   * @param tsMs when the source writes the event, ms since the epoch
   * @param changedMs when the change was made at the source, ms since the epoch; 0 = unknown
   * @param after the record; null exactly for {@link Op#DELETE}
   */
  public GenericRecord write(Op op, long tsMs, long changedMs, Origin origin, GenericRecord after) {
    if ((op == Op.DELETE) != (after == null)) {
      throw new IllegalArgumentException(
          op == Op.DELETE ? "a delete carries no record" : "op " + op.code() + " without a record");
    }
    if (after != null && !after.getSchema().equals(recordSchema)) {
      throw new IllegalArgumentException(
          "a record of schema %s, not of this envelope's %s"
              .formatted(after.getSchema().getFullName(), recordSchema.getFullName()));
    }
    GenericRecord event = new GenericData.Record(envelope);
    event.put(EnvelopeSchemas.OP, op.code());
    event.put(EnvelopeSchemas.TS_MS, tsMs);
    event.put(EnvelopeSchemas.SOURCE, source(op, changedMs, origin));
    event.put(EnvelopeSchemas.AFTER, after);
    return event;
  }

  private GenericRecord source(Op op, long changedMs, Origin origin) {
    GenericRecord source = new GenericData.Record(ControlSchemas.SOURCE);
    source.put("version", info.version());
    source.put("connector", info.connector());
    source.put("name", info.name());
    source.put("ts_ms", changedMs);
    source.put("snapshot", Boolean.toString(op == Op.READ));
    source.put("order", order(origin));
    return source;
  }

  private static GenericRecord order(Origin origin) {
    if (origin instanceof Origin.Unordered) {
      return null;
    }
    GenericRecord order = new GenericData.Record(ORDER);
    if (origin instanceof Origin.Versioned versioned) {
      order.put("epoch", versioned.version().epoch());
      order.put("sequence", ByteBuffer.wrap(versioned.version().sequence()));
      order.put("adHoc", false);
      order.put("unreadable", false);
    } else if (origin instanceof Origin.SnapshotRead read) {
      order.put("epoch", read.epoch());
      order.put("sequence", wrap(read.sequence()));
      order.put("base", base(read.base()));
      order.put("adHoc", read.adHoc());
      order.put("unreadable", read.unreadable());
    }
    return order;
  }

  private static GenericRecord base(Origin.Base base) {
    GenericRecord record = new GenericData.Record(BASE);
    record.put("present", base.present());
    record.put("deleted", base.deleted());
    if (base.version() != null) {
      record.put("epoch", base.version().epoch());
      record.put("sequence", ByteBuffer.wrap(base.version().sequence()));
    }
    return record;
  }

  private static ByteBuffer wrap(byte[] bytes) {
    return bytes == null ? null : ByteBuffer.wrap(bytes);
  }

  private static Schema branch(Schema record, String field) {
    return record.getField(field).schema().getTypes().get(1);
  }
}
