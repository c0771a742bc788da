package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.queue.FakeEventQueue;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A task between a queue, a bucket and a change topic that are not there. */
abstract class S3SourceTaskScenario {
  static final String TOPIC = "indexview.changes.files";
  static final String STATES = "indexview.source-states";
  private static final Duration VISIBILITY = Duration.ofSeconds(120);

  final ManualClock visibility = new ManualClock();
  final FakeEventQueue queue = new FakeEventQueue(visibility);
  final FakeObjectStore objects = new FakeObjectStore();
  final FakeSourceContext context = new FakeSourceContext();
  final FakeChangeTopic topic = new FakeChangeTopic(Time.SYSTEM);
  final FakeLog log = new FakeLog();
  final S3SourceTask task = new S3SourceTask(config -> queue, config -> objects, config -> topic);

  /** A poll waits itself. */
  @BeforeAll
  static void pollAtOnce() {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(Duration.ofMillis(1));
  }

  @AfterAll
  static void pollAsUsual() {
    Awaitility.reset();
  }

  @AfterEach
  void stop() {
    task.stop();
  }

  @BeforeEach
  void createTopic() {
    topic.holds(log);
  }

  void start(String... more) {
    start(List.of(), more);
  }

  void start(List<String> buckets, String... more) {
    task.initialize(context);
    task.start(properties(buckets, more));
  }

  static Map<String, String> properties(List<String> buckets, String... more) {
    Map<String, String> properties =
        new HashMap<>(
            Map.of(
                "source.name",
                "files",
                "kafka.bootstrap.servers",
                "127.0.0.1:1",
                "s3.topic",
                TOPIC,
                "aws.region",
                "eu-central-1",
                "sqs.queue.url",
                "http://localhost:9324/queue/events",
                "sqs.receive.wait.ms",
                "0",
                "heartbeat.interval.ms",
                "10",
                "s3.buckets",
                String.join(",", buckets)));
    properties.put("schema.registry.url", "mock://s3");
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return S3SourceTaskConfig.taskProperties(properties, buckets, 0, 1);
  }

  /** Polls until so many change events have come. */
  List<SourceRecord> changes(int count) {
    List<SourceRecord> changes = new ArrayList<>();
    await()
        .until(
            () -> {
              poll().filter(r -> r.topic().equals(TOPIC)).forEach(changes::add);
              return changes.size() >= count;
            });
    assertThat(changes).hasSize(count);
    return changes;
  }

  Stream<SourceRecord> poll() throws InterruptedException {
    List<SourceRecord> records = task.poll();
    return records == null ? Stream.empty() : records.stream();
  }

  /** Polls until a source state has come that fulfils the condition. */
  SourceRecord state(Predicate<Struct> condition) {
    List<SourceRecord> found = new ArrayList<>();
    await()
        .until(
            () -> {
              poll()
                  .filter(r -> r.topic().equals(STATES) && condition.test((Struct) r.value()))
                  .forEach(found::add);
              return !found.isEmpty();
            });
    return found.get(0);
  }

  /** Polls until a source state has come that fulfils the condition; Kafka takes every event. */
  SourceRecord stateAcknowledging(Predicate<Struct> condition) {
    List<SourceRecord> found = new ArrayList<>();
    await()
        .until(
            () -> {
              for (SourceRecord record : poll().toList()) {
                if (record.topic().equals(TOPIC)) {
                  acknowledge(record, 0, 0);
                } else if (record.topic().equals(STATES)
                    && condition.test((Struct) record.value())) {
                  found.add(record);
                }
              }
              return !found.isEmpty();
            });
    return found.get(0);
  }

  /** The topic takes the record, and Connect says so. */
  void deliver(SourceRecord record) {
    acknowledge(record, 0, log.append(record));
  }

  void acknowledge(SourceRecord record, int partition, long offset) {
    task.commitRecord(
        record, new RecordMetadata(new TopicPartition(TOPIC, partition), offset, 0, 0, 0, 0));
  }

  /** Polls until these messages are deleted; the change events that came meanwhile. */
  List<SourceRecord> pollUntilDeleted(String... ids) {
    List<SourceRecord> changes = new ArrayList<>();
    await()
        .untilAsserted(
            () -> {
              poll().filter(r -> r.topic().equals(TOPIC)).forEach(changes::add);
              assertThat(queue.deleted()).containsExactlyInAnyOrder(ids);
            });
    return changes;
  }

  /**
   * Polls until the task has given its only message up, which says nothing to Kafka or the queue.
   */
  void pollUntilLeftToTheQueue() {
    await()
        .until(
            () -> {
              assertThat(poll().filter(r -> r.topic().equals(TOPIC))).isEmpty();
              return context.metric("unusable-messages-total") == 1
                  && context.metric("messages-in-flight") == 0;
            });
    assertThat(queue.deleted()).isEmpty();
    assertThat(queue.size()).isOne();
  }

  /** The queue hands out once more what it has, and the task polls. */
  void redeliver() throws InterruptedException {
    visibility.pass(VISIBILITY);
    poll().filter(r -> r.topic().equals(TOPIC)).forEach(record -> acknowledge(record, 0, 0));
  }

  void redeliverUntilDeleted(String... ids) {
    await()
        .untilAsserted(
            () -> {
              redeliver();
              assertThat(queue.deleted()).containsExactlyInAnyOrder(ids);
            });
  }

  void awaitDeleted(String... ids) {
    await().untilAsserted(() -> assertThat(queue.deleted()).containsExactlyInAnyOrder(ids));
  }
}
