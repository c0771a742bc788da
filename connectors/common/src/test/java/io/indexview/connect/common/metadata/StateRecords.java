package io.indexview.connect.common.metadata;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.views.definition.ViewGeneration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.sink.SinkRecord;

/** Control records as the worker hands them to a sink: through registry and converter. */
public final class StateRecords {
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  private static final Schema TEXT = Schema.create(Schema.Type.STRING);

  private final AvroConverter keys = new AvroConverter();
  private final AvroConverter values = new AvroConverter();
  private final MessageWriter keyWriter;
  private final MessageWriter valueWriter;
  private final Map<String, Long> offsets = new HashMap<>();

  public StateRecords() {
    Map<String, String> config = Map.of("schema.registry.url", "mock://" + UUID.randomUUID());
    SchemaRegistry registry = SchemaRegistries.create(config);
    keyWriter = new MessageWriter(registry, true);
    valueWriter = new MessageWriter(registry, false);
    keys.configure(config, true);
    values.configure(config, false);
  }

  /** A record of view-states. */
  public SinkRecord of(ViewStateChange change) {
    SinkRecord record =
        record(
            TOPICS.viewStates(),
            TEXT,
            change.view(),
            change.state().map(ViewState::toAvro).orElse(null));
    if (change.state().isEmpty()) {
      change.uid().ifPresent(uid -> record.headers().addString(ViewState.UID_HEADER, uid));
    }
    return record;
  }

  /** A record of view-states. */
  public SinkRecord of(ViewState state) {
    return of(ViewStateChange.of(state));
  }

  /** The control record at the end of a generation's view topic. */
  public SinkRecord removeRows(ViewGeneration generation, long offset) {
    return command("remove-rows", generation.viewTopic(), generation.toJson(), offset);
  }

  /** A control record as {@link #removeRows}, with any command. */
  public SinkRecord command(String command, String topic, String description, long offset) {
    GenericRecord key = new GenericData.Record(ControlSchemas.VIEW_TOPIC_CONTROL);
    key.put("command", command);
    key.put("description", description);
    offsets.put(topic, offset);
    return record(topic, ControlSchemas.VIEW_TOPIC_CONTROL, key, null);
  }

  private SinkRecord record(String topic, Schema keySchema, Object key, GenericRecord value) {
    SchemaAndValue keyData = keys.toConnectData(topic, keyWriter.write(topic, keySchema, key));
    SchemaAndValue valueData =
        values.toConnectData(
            topic, value == null ? null : valueWriter.write(topic, value.getSchema(), value));
    return new SinkRecord(
        topic,
        0,
        keyData.schema(),
        keyData.value(),
        valueData.schema(),
        valueData.value(),
        offsets.merge(topic, 1L, Long::sum) - 1);
  }
}
