package io.indexview.client.write;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A primary-change topic of one partition whose producers' sends arrive when a test says so. */
final class FakeBroker {
  final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final List<Arrived> log = new ArrayList<>();
  private final ChangeEventReader reader = new ChangeEventReader(registry, RecordFormat.ENVELOPE);

  /** One event of the topic. */
  record Arrived(String key, ChangeEvent event) {}

  List<Arrived> log() {
    return log;
  }

  void append(String key, ChangeEvent event) {
    log.add(new Arrived(key, event));
  }

  Client client() {
    return new Client();
  }

  /** A producer and what it has under way. */
  final class Client {
    private final Deque<Sent> underWay = new ArrayDeque<>();
    private RuntimeException refusal;
    private int refused;

    private record Sent(ProducerRecord<byte[], byte[]> record, Callback callback) {}

    synchronized int underWay() {
      return underWay.size();
    }

    /**
     * From now on, sending fails, as with Kafka's producer: errors of its API go to the callback,
     * others are thrown. Null: no more.
     */
    void refuse(RuntimeException failure) {
      refusal = failure;
    }

    /** How often sending was refused. */
    int refused() {
      return refused;
    }

    /** The oldest event arrives, and is acknowledged. */
    void arrive() {
      Sent sent = take();
      append(sent.record());
      acknowledge(sent);
    }

    /** The oldest event arrives twice, as from a producer that is not idempotent. */
    void arriveTwice() {
      Sent sent = take();
      append(sent.record());
      append(sent.record());
      acknowledge(sent);
    }

    /** The oldest event arrives, and the writer learns that it did not. */
    void arriveUnacknowledged() {
      Sent sent = take();
      append(sent.record());
      sent.callback().onCompletion(null, new TimeoutException("no answer"));
    }

    /** The oldest event is lost. */
    void lose() {
      take().callback().onCompletion(null, new TimeoutException("no answer"));
    }

    private synchronized Sent take() {
      return underWay.removeFirst();
    }

    private void acknowledge(Sent sent) {
      sent.callback()
          .onCompletion(
              new RecordMetadata(
                  new TopicPartition(sent.record().topic(), 0), log.size() - 1L, 0, 0, 0, 0),
              null);
    }

    private void append(ProducerRecord<byte[], byte[]> record) {
      try {
        FakeBroker.this.append(
            new String(record.key(), StandardCharsets.UTF_8),
            reader.read(record.value(), 1).orElseThrow());
      } catch (MalformedEventException e) {
        throw new AssertionError(e);
      }
    }

    Producer<byte[], byte[]> producer() {
      return new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
        @Override
        public Future<RecordMetadata> send(
            ProducerRecord<byte[], byte[]> record, Callback callback) {
          if (refusal != null) {
            refused++;
            if (refusal instanceof ApiException) {
              callback.onCompletion(null, refusal);
              return null;
            }
            throw refusal;
          }
          synchronized (Client.this) {
            underWay.addLast(new Sent(record, callback));
          }
          return null;
        }

        @Override
        public void flush() {
          while (underWay() > 0) {
            arrive();
          }
        }
      };
    }
  }

  static KafkaException down() {
    return new KafkaException("brokers are down");
  }
}
