package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.EnvelopeStructs;
import io.indexview.connect.common.source.SourceDeadLetters;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.serde.Nesting;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Snapshot reads as source records. A record whose value cannot be decoded or is too large becomes
 * a dead letter, and a delete with its version that says so: it leaves the views, which are
 * DEGRADED meanwhile, and the tombstone with a live record's version says to later scans that this
 * very version is in the dead-letter topic. For one thread.
 */
final class SnapshotReadMapper {
  private static final String CONNECTOR = "kvstore";
  private static final long CHANGE_TIME_UNKNOWN = 0;

  private static final String TOO_DEEP =
      "the record nests more than %d levels deep; make it flatter".formatted(Nesting.MAX_LEVELS);

  private static final String GROWS =
      "the record has more than the %d bytes that a change event carries, as Avro with all its fields; make the record smaller"
          .formatted(SourceDeadLetters.MAX_VALUE_BYTES);

  private final KvRecordSet recordSet;
  private final Map<String, ?> sourcePartition;
  private final ValueDecoder decoder;
  private final EnvelopeStructs envelopes;
  private final SourceDeadLetters deadLetters;
  private final ScanProgress progress;
  private final Nesting nesting;
  private final EventSize size;

  SnapshotReadMapper(
      KvRecordSet recordSet,
      ValueDecoder decoder,
      KvStoreSourcePartition sourcePartition,
      String deadLetterTopic,
      ScanProgress progress) {
    this.recordSet = recordSet;
    this.sourcePartition = sourcePartition.toMap();
    this.decoder = decoder;
    this.progress = progress;
    this.envelopes = new EnvelopeStructs(recordSet.schema(), CONNECTOR, sourcePartition.source());
    this.deadLetters = new SourceDeadLetters(deadLetterTopic);
    this.nesting = new Nesting(recordSet.schema());
    this.size = new EventSize(recordSet.values(), SourceDeadLetters.MAX_VALUE_BYTES);
  }

  /**
   * The records to send, in this order; a value that is in the dead-letter topic already is not
   * sent again, and only an ad-hoc snapshot names it.
   *
   * @param sourceOffset what Connect keeps until the scan is complete
   * @param now ms since the epoch
   */
  List<SourceRecord> map(SnapshotRead snapshotRead, Map<String, ?> sourceOffset, long now) {
    if (snapshotRead.op() == Op.DELETE) {
      return List.of(event(snapshotRead, Op.DELETE, null, sourceOffset, now));
    }
    byte[] value = snapshotRead.record().value();
    if (value.length > SourceDeadLetters.MAX_VALUE_BYTES) {
      return refused(snapshotRead, tooLarge(value.length), null, sourceOffset, now);
    }
    try {
      GenericRecord after = decoder.decode(value);
      if (nesting.isTooDeep(after)) {
        return refused(snapshotRead, TOO_DEEP, null, sourceOffset, now);
      }
      if (size.isTooLarge(after)) {
        return refused(snapshotRead, GROWS, null, sourceOffset, now);
      }
      return List.of(event(snapshotRead, snapshotRead.op(), after, sourceOffset, now));
    } catch (UndecodableException | DataException e) {
      return refused(snapshotRead, e.getMessage(), e, sourceOffset, now);
    }
  }

  private static String tooLarge(int bytes) {
    return "the %d bytes are more than the %d that a change event carries; make the record smaller"
        .formatted(bytes, SourceDeadLetters.MAX_VALUE_BYTES);
  }

  private List<SourceRecord> refused(
      SnapshotRead snapshotRead,
      String reason,
      Exception cause,
      Map<String, ?> sourceOffset,
      long now) {
    Origin.SnapshotRead origin = snapshotRead.origin();
    SourceRecord delete = event(unreadable(snapshotRead), Op.DELETE, null, sourceOffset, now);
    if (origin.base().deleted() && origin.version().equals(origin.base().version())) {
      return origin.adHoc() ? List.of(delete) : List.of();
    }
    progress.undecodable(origin.version(), reason);
    SourceRecord deadLetter =
        deadLetters.record(
            sourcePartition,
            sourceOffset,
            new SourceDeadLetters.Unreadable(
                recordSet.name(),
                recordSet.topic(),
                snapshotRead.key(),
                snapshotRead.record().value()),
            reason,
            cause,
            now);
    return List.of(deadLetter, delete);
  }

  private static SnapshotRead unreadable(SnapshotRead read) {
    Origin.SnapshotRead origin = read.origin();
    return new SnapshotRead(
        read.key(),
        Op.DELETE,
        new Origin.SnapshotRead(
            origin.epoch(), origin.sequence(), origin.base(), origin.adHoc(), true),
        read.record());
  }

  private SourceRecord event(
      SnapshotRead snapshotRead,
      Op op,
      GenericRecord after,
      Map<String, ?> sourceOffset,
      long now) {
    SchemaAndValue value =
        envelopes.event(op, now, CHANGE_TIME_UNKNOWN, snapshotRead.origin(), after);
    return new SourceRecord(
        sourcePartition,
        sourceOffset,
        recordSet.topic(),
        null,
        Schema.STRING_SCHEMA,
        snapshotRead.key(),
        value.schema(),
        value.value());
  }
}
