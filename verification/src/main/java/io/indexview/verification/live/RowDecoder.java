package io.indexview.verification.live;

import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.verification.RowContent;
import io.indexview.verification.TargetReader;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import java.io.IOException;
import java.util.Optional;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The records of a generation's topic as rows. Not safe for use by several threads. */
public final class RowDecoder {
  private final int keySchema;
  private final TargetReader target;
  private final GenericDatumReader<GenericRecord> keys;
  private final GenericDatumReader<GenericRecord> values;
  private BinaryDecoder decoder;

  /**
   * @param keySchema id in the registry
   * @param target knows which row of the target a record is
   */
  public RowDecoder(ViewGeneration generation, int keySchema, TargetReader target) {
    this.keySchema = keySchema;
    this.target = target;
    CompiledView view = CompiledView.compile(generation, generation.recordSet().schema());
    this.keys = new GenericDatumReader<>(view.keySchema());
    this.values = new GenericDatumReader<>(view.valueSchema());
  }

  /**
   * Passes on the change that a record is. What is no row of the generation is the command to
   * remove them, or nobody's, and passed over.
   *
   * @throws IllegalStateException if the streams app did not write it
   */
  public void decode(ConsumerRecord<byte[], byte[]> message, RowLog.Visitor visitor) {
    if (message.key() == null || WireFormat.schemaId(message.key()) != keySchema) {
      return;
    }
    GenericRecord key = decode(keys, message, message.key());
    if (message.value() == null) {
      visitor.change(target.id(key), Optional.empty());
      return;
    }
    RowContent row =
        target.derived(key, decode(values, message, message.value()), RowHeaders.revision(message));
    visitor.change(row.id(), Optional.of(row));
  }

  private GenericRecord decode(
      GenericDatumReader<GenericRecord> schema, ConsumerRecord<?, ?> message, byte[] bytes) {
    try {
      decoder =
          DecoderFactory.get()
              .binaryDecoder(
                  bytes,
                  WireFormat.HEADER_LENGTH,
                  bytes.length - WireFormat.HEADER_LENGTH,
                  decoder);
      return schema.read(null, decoder);
    } catch (IOException e) {
      throw new IllegalStateException(
          "a record of topic %s is none of the view's: the streams app did not write it"
              .formatted(message.topic()),
          e);
    }
  }
}
