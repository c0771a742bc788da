package io.indexview.kvstore.value;

import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/** Values of the tests, and what writes them. */
final class Values {
  /** As it was written first. */
  static final Schema OLD =
      SchemaBuilder.record("Person")
          .namespace("test")
          .fields()
          .requiredString("name")
          .requiredInt("cost")
          .endRecord();

  /** As it is wanted now. */
  static final Schema PERSON =
      SchemaBuilder.record("Person")
          .namespace("test")
          .fields()
          .requiredString("name")
          .requiredLong("cost")
          .name("org")
          .type()
          .stringType()
          .stringDefault("none")
          .endRecord();

  private Values() {}

  static SchemaRegistry registry() {
    return SchemaRegistries.create(Map.of("schema.registry.url", "mock://" + UUID.randomUUID()));
  }

  static ValueDecoder decoder(ValueFormat format, Schema schema) {
    return decoder(ValueConfig.of(format, schema), registry());
  }

  static ValueDecoder decoder(ValueConfig values, SchemaRegistry registry) {
    return ValueDecoder.of(values, registry, Time.SYSTEM);
  }

  static GenericRecord old(String name, int cost) {
    return new GenericRecordBuilder(OLD).set("name", name).set("cost", cost).build();
  }

  static GenericRecord person(String name, long cost, String org) {
    return new GenericRecordBuilder(PERSON)
        .set("name", name)
        .set("cost", cost)
        .set("org", org)
        .build();
  }

  static byte[] avro(GenericRecord record) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    try {
      new GenericDatumWriter<GenericRecord>(record.getSchema()).write(record, encoder);
      encoder.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
