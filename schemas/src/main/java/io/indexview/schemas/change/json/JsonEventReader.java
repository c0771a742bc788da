package io.indexview.schemas.change.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.change.EventReader;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;

/**
 * Reads messages of Kafka Connect's JsonConverter, with schemas or without, which may take turns on
 * a topic. Records become Avro as they come in: of the schema beside them, which is registered as
 * that of the topic's values, or else of the one that is given, which has a subject of its own. So
 * all behind this reader is as with an Avro converter.
 */
public final class JsonEventReader implements EventReader {
  private static final int MAX_SCHEMAS = 100;
  private static final byte AVRO_MAGIC = 0;
  private static final String DOCUMENT = "value: " + EnvelopeSchemas.DOCUMENT;

  private final SchemaRegistry registry;
  private final String topic;
  private final RecordFormat format;
  private final Optional<Schema> recordSchema;
  private final JsonKeys keys = new JsonKeys();
  private final ConnectJson<Beside> messages = new ConnectJson<>("value", Beside::new);
  private final Map<JsonNode, Plan> plans = new HashMap<>();
  private Plan ofRecordSchema;

  /** How records of one schema are written. */
  private record Plan(int schemaId, JsonRecords records) {}

  /**
   * A schema beside records. It is made use of when a record is to be written: deletes need none.
   */
  private final class Beside {
    private final JsonNode schema;
    private Plan plan;

    Beside(JsonNode schema) {
      this.schema = schema;
    }

    Plan plan() throws MalformedEventException {
      if (plan == null) {
        plan = JsonEventReader.this.plan(schema);
      }
      return plan;
    }
  }

  /**
   * @param recordSchema of records without a schema beside them; empty: there must be one
   */
  public JsonEventReader(
      SchemaRegistry registry, String topic, RecordFormat format, Optional<Schema> recordSchema) {
    this.registry = Objects.requireNonNull(registry, "registry");
    this.topic = Objects.requireNonNull(topic, "topic");
    this.format = Objects.requireNonNull(format, "format");
    this.recordSchema = Objects.requireNonNull(recordSchema, "recordSchema");
  }

  /**
   * What is wrong with a record schema for JSON; empty: nothing.
   *
   * @param schema a record
   */
  public static Optional<String> problem(Schema schema) {
    try {
      new JsonRecords(schema);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(e.getMessage());
    }
  }

  /** {@code source.snapshot} of an envelope of Debezium; empty: it has none, or is no envelope. */
  public static Optional<String> snapshot(byte[] value) {
    try (JsonParser in = new ConnectJson<>("value", schema -> schema).payload(value).parser()) {
      in.nextToken();
      return reaches(in, EnvelopeSchemas.SOURCE) && reaches(in, "snapshot")
          ? Optional.ofNullable(in.getValueAsString())
          : Optional.empty();
    } catch (IOException | MalformedEventException e) {
      return Optional.empty();
    }
  }

  /**
   * Goes on to the value of a field of the object that a parser stands at; false: there is none.
   */
  private static boolean reaches(JsonParser in, String field) throws IOException {
    if (!in.isExpectedStartObjectToken()) {
      return false;
    }
    for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
      in.nextToken();
      if (name.equals(field)) {
        return true;
      }
      in.skipChildren();
    }
    return false;
  }

  /**
   * Registers the schema of a value: that beside it, or else the one that is given.
   *
   * @param value not null
   * @throws MalformedEventException if there is none, or none of use, or the value is no JSON
   */
  public void register(byte[] value) throws MalformedEventException {
    Beside beside = payload(value).schema();
    if (beside == null) {
      ofRecordSchema();
    } else {
      beside.plan();
    }
  }

  @Override
  public String encoding() {
    return "json";
  }

  @Override
  public byte[] key(byte[] key) throws MalformedEventException {
    return key == null ? null : keys.key(key);
  }

  @Override
  public Optional<ChangeEvent> read(byte[] value, long recordTimestampMs)
      throws MalformedEventException {
    if (value == null) {
      return tombstone(recordTimestampMs);
    }
    ConnectJson.Payload<Beside> payload = payload(value);
    try {
      return format == RecordFormat.ENVELOPE
          ? readEnvelope(payload, recordTimestampMs)
          : readFlat(payload, recordTimestampMs);
    } catch (IOException e) {
      throw noJson(value, e);
    }
  }

  private ConnectJson.Payload<Beside> payload(byte[] value) throws MalformedEventException {
    try {
      return messages.payload(value);
    } catch (IOException e) {
      throw noJson(value, e);
    }
  }

  private static MalformedEventException noJson(byte[] value, IOException cause) {
    return new MalformedEventException(
        value.length > 0 && value[0] == AVRO_MAGIC
            ? "value: no JSON but, as it begins with a byte 0, perhaps Avro: such events take encoding=avro"
            : "value: no JSON; with encoding=json values must be written by JsonConverter (value.converter)",
        cause);
  }

  /** A delete, or what a compacted topic has left of one. */
  private static Optional<ChangeEvent> tombstone(long timestampMs) {
    return Optional.of(new ChangeEvent(Op.DELETE, timestampMs, Origin.Unordered.INSTANCE, null));
  }

  private Optional<ChangeEvent> readFlat(ConnectJson.Payload<Beside> payload, long timestampMs)
      throws IOException, MalformedEventException {
    JsonNode record = messages.tree(payload);
    return record.isNull() || isRewrittenDeletion(record)
        ? tombstone(timestampMs)
        : Optional.of(event(Op.READ, payload.schema(), record, timestampMs));
  }

  /**
   * Whether Debezium's transformation marked the record as deleted ({@code
   * delete.tombstone.handling.mode=rewrite}).
   */
  private static boolean isRewrittenDeletion(JsonNode record) {
    return record.path(EnvelopeSchemas.DELETED).asText().equals("true");
  }

  private Optional<ChangeEvent> readEnvelope(ConnectJson.Payload<Beside> payload, long timestampMs)
      throws IOException, MalformedEventException {
    String code = null;
    JsonNode after = null;
    Set<String> others = new HashSet<>();
    try (JsonParser in = payload.parser()) {
      JsonToken first = in.nextToken();
      if (first == JsonToken.VALUE_NULL) {
        return tombstone(timestampMs);
      }
      if (first != JsonToken.START_OBJECT) {
        throw new MalformedEventException("value: the JSON is no object, so no change envelope");
      }
      for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
        JsonToken token = in.nextToken();
        if (name.equals(EnvelopeSchemas.AFTER)) {
          after = messages.tree(in);
        } else if (name.equals(EnvelopeSchemas.OP) && token == JsonToken.VALUE_STRING) {
          code = in.getText();
        } else {
          in.skipChildren();
          others.add(name);
        }
      }
      ConnectJson.requireEnd(in);
    }
    if (code == null) {
      throw new MalformedEventException(noEnvelope(others));
    }
    Op op = Op.ofEvent(code);
    if (op == Op.DELETE) {
      return Optional.of(new ChangeEvent(op, timestampMs, Origin.Unordered.INSTANCE, null));
    }
    if (after == null || after.isNull()) {
      if (others.contains("updateDescription")) {
        throw new MalformedEventException(DOCUMENT);
      }
      throw new MalformedEventException(
          "op \"%s\" with \"after\" null: only a delete (\"d\") has none".formatted(code));
    }
    if (after.isTextual()) {
      throw new MalformedEventException(DOCUMENT);
    }
    return Optional.of(event(op, payload.schema(), after, timestampMs));
  }

  private static String noEnvelope(Set<String> fields) {
    return "value: no change envelope, as it has no field \"op\": "
        + EnvelopeSchemas.insteadOfEnvelope(fields);
  }

  private ChangeEvent event(Op op, Beside beside, JsonNode record, long timestampMs)
      throws MalformedEventException {
    Plan used = beside == null ? ofRecordSchema() : beside.plan();
    byte[] bytes = used.records().write(record);
    return new ChangeEvent(
        op,
        timestampMs,
        Origin.Unordered.INSTANCE,
        new FramedValue(used.schemaId(), bytes, 0, bytes.length));
  }

  private Plan ofRecordSchema() throws MalformedEventException {
    if (ofRecordSchema == null) {
      Schema schema =
          recordSchema.orElseThrow(
              () ->
                  new MalformedEventException(
                      "value: JSON without a schema, and nobody says what the record's fields are: set schema.file of the record set, or value.converter.schemas.enable=true in the connector"));
      String name = EnvelopeSchemas.fullName(schema);
      // Values that bring schemas must not be held to this one.
      ofRecordSchema = plan(schema, name, topic + "-" + name);
    }
    return ofRecordSchema;
  }

  private Plan plan(JsonNode schema) throws MalformedEventException {
    Plan known = plans.get(schema);
    if (known == null) {
      known = newPlan(schema);
      if (plans.size() >= MAX_SCHEMAS) {
        plans.clear();
      }
      plans.put(schema, known);
    }
    return known;
  }

  private Plan newPlan(JsonNode schema) throws MalformedEventException {
    String name = ConnectSchemas.fullName(schema.path("name").asText("Envelope"));
    JsonNode struct = format == RecordFormat.FLAT ? schema : after(schema);
    if (format == RecordFormat.ENVELOPE && struct.path("type").asText().equals("string")) {
      throw new MalformedEventException(DOCUMENT);
    }
    try {
      return plan(new ConnectSchemas().record(struct), name, Subjects.value(topic));
    } catch (IllegalArgumentException | AvroRuntimeException e) {
      throw new MalformedEventException("value: its schema: " + e.getMessage(), e);
    }
  }

  private static JsonNode after(JsonNode envelope) throws MalformedEventException {
    Set<String> others = new HashSet<>();
    for (JsonNode field : envelope.path("fields")) {
      String name = field.path("field").asText();
      if (name.equals(EnvelopeSchemas.AFTER)) {
        return field;
      }
      others.add(name);
    }
    throw new MalformedEventException(noEnvelope(others));
  }

  private Plan plan(Schema record, String envelopeName, String subject)
      throws MalformedEventException {
    JsonRecords records = new JsonRecords(record);
    Schema framing =
        format == RecordFormat.FLAT ? record : EnvelopeSchemas.least(envelopeName, record);
    try {
      return new Plan(registry.register(subject, framing), records);
    } catch (RegistryException e) {
      if (e.isOutage()) {
        throw e;
      }
      throw new MalformedEventException(
          "value: the registry does not take the record's schema under subject %s (%s); change the subject's compatibility, and let the record be written once more"
              .formatted(subject, e.getMessage()),
          e);
    }
  }
}
