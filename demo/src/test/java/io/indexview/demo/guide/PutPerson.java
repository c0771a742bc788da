package io.indexview.demo.guide;

import io.indexview.client.token.FreshnessToken;
import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.client.write.Written;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.open.KvStores;
import io.indexview.schemas.Topics;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;

/** Writes a person, and prints the token of the write: {@code PutPerson STORE BROKER REGISTRY}. */
public final class PutPerson {
  private static final WriterConfig PEOPLE =
      new WriterConfig(
          "people",
          KvKey.ofMajor("Corporate", "people"),
          "indexview.changes.people",
          WriterConfig.DEFAULT_INCARNATION,
          "crm",
          WriterConfig.DEFAULT_MAX_IN_FLIGHT);

  private PutPerson() {}

  public static void main(String[] args) {
    System.out.println(put(args[0], args[1], args[2]));
  }

  /** An application opens store, registry and writer once, and keeps them. */
  public static FreshnessToken put(String storeUri, String brokers, String registryUrl) {
    Map<String, Object> kafka = Map.of("bootstrap.servers", brokers);
    try (KvStore store = KvStores.open(storeUri);
        SchemaRegistry registry =
            SchemaRegistries.create(Map.of("schema.registry.url", registryUrl));
        Writer writer = Writer.connect(store, PEOPLE, kafka, new Topics("indexview"), registry)) {
      GenericRecord person =
          new GenericRecordBuilder(writer.schema())
              .set("name", "Ada Lovelace")
              .set("org", "Support")
              .build();
      Written written = writer.put(KvKey.fromString("/Corporate/people/10012"), person);
      return written.token(); // waits for Kafka; leave it out to go on at once
    }
  }
}
