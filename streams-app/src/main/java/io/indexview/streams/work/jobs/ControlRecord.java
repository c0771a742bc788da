package io.indexview.streams.work.jobs;

import io.indexview.schemas.Topics;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.topology.RowHeaders;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.SerializationException;

/** Writes the one record of a view topic that is no row. Thread-safe. */
final class ControlRecord {
  /** Where it lies in a view topic. */
  static final int PARTITION = 0;

  private static final String REMOVE_ROWS = "remove-rows";

  private final String subject;
  private final SchemaRegistry registry;
  private final MessageWriter keys;
  private final MessageWriter values;

  /**
   * @param registry stays open
   */
  ControlRecord(Topics topics, SchemaRegistry registry) {
    // Not the subject of the view topic: there the key schema of the rows is the one version.
    this.subject = topics.prefix() + ".view-topic-control";
    this.registry = registry;
    this.keys = new MessageWriter(registry, true);
    this.values = new MessageWriter(registry, false);
  }

  /**
   * Tells the sink to remove the rows of a generation.
   *
   * @param nowMs ms since the epoch
   */
  ProducerRecord<byte[], byte[]> removeRows(Work.RemoveRows work, long nowMs) {
    // A value that is not null: compaction would drop the record as a tombstone.
    return new ProducerRecord<>(
        work.viewTopic(),
        PARTITION,
        keys.write(subject, ControlSchemas.VIEW_TOPIC_CONTROL, command(work.description())),
        values.write(subject, ControlSchemas.VIEW_TOPIC_CONTROL, command("")),
        new RowHeaders().of(nowMs, work.generation()));
  }

  private static GenericRecord command(String description) {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_TOPIC_CONTROL);
    record.put("command", REMOVE_ROWS);
    record.put("description", description);
    return record;
  }

  /** Whether the key of a record of a view topic says that it is such a record. */
  boolean isOne(byte[] key) {
    try {
      return key != null
          && registry
              .byId(WireFormat.schemaId(key))
              .getFullName()
              .equals(ControlSchemas.VIEW_TOPIC_CONTROL.getFullName());
    } catch (SerializationException e) {
      return false;
    }
  }
}
