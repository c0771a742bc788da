package io.indexview.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.PrimaryKeys;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A record has one key in Kafka, whether the writer tells of it or the source finds it. */
class EventKeyPropertyTest {
  private static final int PARTITIONS = 12;

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  private final ChangePublisher publisher =
      new ChangePublisher(People.config(10), People.SCHEMA, producer, registry, Clock.systemUTC());

  @Property(tries = 500)
  void eventKeyOfTheWriterEqualsThatOfTheSource(@ForAll("keys") KvKey key) throws Exception {
    publisher.reserve(1);
    publisher.call().publish(key, Op.DELETE, new KvVersion("1", 5), null);
    ProducerRecord<byte[], byte[]> record = producer.history().get(producer.history().size() - 1);

    // What Connect's StringConverter makes of the source's key.
    byte[] ofSource = new StringSerializer().serialize(People.TOPIC, key.toString());
    assertThat(record.key()).isEqualTo(ofSource);
    assertThat(record.partition()).isNull();
    assertThat(BuiltInPartitioner.partitionForKey(record.key(), PARTITIONS))
        .isEqualTo(BuiltInPartitioner.partitionForKey(ofSource, PARTITIONS));
    // And back: as the app and the readers take it.
    String text = new PrimaryKeys(registry).text(record.key());
    assertThat(text.getBytes(StandardCharsets.UTF_8)).isEqualTo(record.key());
    assertThat(KvKey.fromString(text)).isEqualTo(key);
  }

  @Provide
  Arbitrary<KvKey> keys() {
    Arbitrary<String> component =
        Arbitraries.oneOf(
            Arbitraries.of(
                "", "-", "/", "%", "%2F", "a/b", " ", "ü", "𝄞", "日本", "\u0000", "\n", "."),
            Arbitraries.strings().ofMaxLength(8).filter(EventKeyPropertyTest::isUnicode));
    return Combinators.combine(component.list().ofMaxSize(3), component.list().ofMaxSize(3))
        .as(
            (major, minor) -> {
              List<String> full = new ArrayList<>(People.PREFIX.major());
              full.addAll(major);
              return new KvKey(full, minor);
            });
  }

  private static boolean isUnicode(String text) {
    return StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }
}
