package io.indexview.client.write;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.kvstore.value.ValueEncoder;
import java.nio.file.Path;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** The record set of the tests. */
final class People {
  static final Schema SCHEMA =
      SchemaBuilder.record("Person")
          .namespace("test")
          .fields()
          .requiredString("name")
          .requiredLong("cost")
          .endRecord();
  static final KvKey PREFIX = KvKey.ofMajor("Corporate", "people");
  static final String TOPIC = "test.changes.people";
  static final ValueEncoder CODEC = ValueEncoder.avro(SCHEMA);

  private People() {}

  static WriterConfig config(int maxInFlight) {
    return new WriterConfig("people", PREFIX, TOPIC, "7", "tests", maxInFlight);
  }

  static KvKey key(String name) {
    return KvKey.ofMajor("Corporate", "people", name);
  }

  static GenericRecord person(String name, long cost) {
    GenericRecord person = new GenericData.Record(SCHEMA);
    person.put("name", name);
    person.put("cost", cost);
    return person;
  }

  static KvStore open(Path directory) {
    return KvStores.open(
        KvStoreConfig.of("embedded:" + directory)
            .withCacheBytes(8L << 20)
            .withDurability(KvDurability.WRITE_NO_SYNC));
  }
}
