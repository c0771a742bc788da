package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** What somebody else writes who may write anything. */
final class OutsideWrites {
  private OutsideWrites() {}

  /** The rows of all views in the KV store. */
  static void removeRows(String storeUri) {
    try (KvStore store = KvStores.open(KvStoreConfig.of(storeUri))) {
      List<KvKey> keys = new ArrayList<>();
      try (KvIterator<KvKey> found =
          store.storeKeysIterator(KvScan.under(KvKey.fromString("/IDX")))) {
        found.forEachRemaining(keys::add);
      }
      assertThat(keys).isNotEmpty();
      keys.forEach(store::delete);
    }
  }

  /** A record for the source, an event for the app and a row for the sink: all dead letters. */
  static void putUnreadable(String storeUri, Map<String, Object> kafka) throws Exception {
    try (KvStore store = KvStores.open(KvStoreConfig.of(storeUri))) {
      store.put(KvKey.fromString("/Corporate/people/2"), new byte[] {1});
    }
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(kafka, new ByteArraySerializer(), new ByteArraySerializer())) {
      byte[] junk = {1};
      byte[] key = "/Corporate/people/1".getBytes(StandardCharsets.UTF_8);
      producer.send(new ProducerRecord<>("indexview.changes.people", key, junk)).get();
      producer.send(new ProducerRecord<>("indexview.view.kv.by-org.3", junk, junk)).get();
    }
  }
}
