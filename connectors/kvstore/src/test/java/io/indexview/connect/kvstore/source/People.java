package io.indexview.connect.kvstore.source;

import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
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
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/** The record set of the tests. */
public final class People {
  public static final Schema SCHEMA =
      SchemaBuilder.record("Person")
          .namespace("test")
          .fields()
          .requiredString("name")
          .requiredString("org")
          .endRecord();
  public static final String TOPIC = "indexview.changes.people";
  public static final KvRecordSet RECORD_SET =
      new KvRecordSet(
          "people",
          KvKeySet.under(KvKey.ofMajor("Corporate", "people")),
          TOPIC,
          ValueConfig.of(ValueFormat.AVRO, SCHEMA));

  /** Bytes that are no person: a length of more than there is. */
  static final byte[] UNREADABLE = {100, 1, 2};

  private People() {}

  public static KvKey key(int number) {
    return KvKey.ofMajor("Corporate", "people", Integer.toString(number));
  }

  public static GenericRecord person(String name) {
    GenericRecord person = new GenericData.Record(SCHEMA);
    person.put("name", name);
    person.put("org", "Support");
    return person;
  }

  public static byte[] bytes(String name) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    try {
      new GenericDatumWriter<GenericRecord>(SCHEMA).write(person(name), encoder);
      encoder.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** The name in such bytes. */
  public static String name(byte[] bytes) {
    try {
      return new GenericDatumReader<GenericRecord>(SCHEMA)
          .read(null, DecoderFactory.get().binaryDecoder(bytes, null))
          .get("name")
          .toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Operations and numbers of the people among some events, in order. */
  static List<String> ops(List<SourceRecord> events) {
    return events.stream()
        .filter(record -> record.topic().equals(TOPIC))
        .map(
            record ->
                ((Struct) record.value()).getString("op")
                    + " "
                    + KvKey.fromString((String) record.key()).major().get(2))
        .sorted()
        .toList();
  }
}
