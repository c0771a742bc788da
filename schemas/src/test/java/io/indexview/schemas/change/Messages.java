package io.indexview.schemas.change;

import io.indexview.schemas.serde.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/** Records and messages for tests. */
final class Messages {
  static final Schema PERSON =
      SchemaBuilder.record("Person")
          .namespace("test")
          .fields()
          .requiredString("name")
          .requiredInt("age")
          .name("tags")
          .type()
          .array()
          .items()
          .stringType()
          .noDefault()
          .endRecord();

  /** Fields, names and order as Debezium's PostgreSQL connector has them, shortened. */
  static final Schema DEBEZIUM =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Envelope", "namespace": "server.public.person",
               "connect.name": "server.public.person.Envelope", "fields": [
                {"name": "before", "default": null, "type": ["null", %s]},
                {"name": "after", "default": null, "type": ["null", "test.Person"]},
                {"name": "source", "type": {"type": "record", "name": "Source",
                  "namespace": "io.debezium.connector.postgresql", "fields": [
                    {"name": "version", "type": "string"},
                    {"name": "ts_ms", "type": "long"},
                    {"name": "snapshot", "type": ["string", "null"], "default": "false"},
                    {"name": "lsn", "type": ["null", "long"], "default": null}]}},
                {"name": "transaction", "default": null, "type": ["null",
                  {"type": "record", "name": "block", "namespace": "event", "fields": [
                    {"name": "id", "type": "string"},
                    {"name": "total_order", "type": "long"}]}]},
                {"name": "op", "type": "string"},
                {"name": "ts_ms", "type": ["null", "long"], "default": null},
                {"name": "ts_us", "type": ["null", "long"], "default": null}]}
              """
                  .formatted(PERSON));

  private Messages() {}

  static GenericRecord person(String name, int age) {
    GenericRecord person = new GenericData.Record(PERSON);
    person.put("name", name);
    person.put("age", age);
    person.put("tags", List.of("a", "b", name));
    return person;
  }

  static GenericRecord debezium(String op, GenericRecord before, GenericRecord after) {
    GenericRecord source = new GenericData.Record(DEBEZIUM.getField("source").schema());
    source.put("version", "3.6.0.Final");
    source.put("ts_ms", 77L);
    source.put("snapshot", "false");
    source.put("lsn", 4711L);
    Schema block = DEBEZIUM.getField("transaction").schema().getTypes().get(1);
    GenericRecord transaction = new GenericData.Record(block);
    transaction.put("id", "571:4711");
    transaction.put("total_order", 1L);
    GenericRecord event = new GenericData.Record(DEBEZIUM);
    event.put("before", before);
    event.put("after", after);
    event.put("source", source);
    event.put("transaction", transaction);
    event.put("op", op);
    event.put("ts_ms", 78L);
    return event;
  }

  static byte[] frame(int schemaId, GenericRecord record) {
    return frame(schemaId, record.getSchema(), record);
  }

  static byte[] frame(int schemaId, Schema schema, Object datum) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    try {
      new GenericDatumWriter<>(schema).write(datum, encoder);
      encoder.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return WireFormat.frame(schemaId, out.toByteArray());
  }

  static GenericRecord decode(FramedValue value, Schema schema) {
    GenericDatumReader<GenericRecord> reader = new GenericDatumReader<>(schema);
    try {
      return reader.read(
          null,
          DecoderFactory.get().binaryDecoder(value.buffer(), value.offset(), value.length(), null));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
