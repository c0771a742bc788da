package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectStoreException;
import io.indexview.connect.s3.queue.FakeEventQueue;
import io.indexview.connect.s3.queue.QueueException;
import io.indexview.connect.s3.record.SliceOffset;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class S3SourceTaskTest {
  private static final String TOPIC = "indexview.changes.files";
  private static final String STATES = "indexview.source-states";

  private final FakeEventQueue queue = new FakeEventQueue(Clock.systemUTC());
  private final FakeObjectStore objects = new FakeObjectStore();
  private final FakeSourceContext context = new FakeSourceContext();
  private final FakeChangeTopic topic = new FakeChangeTopic();
  private final S3SourceTask task =
      new S3SourceTask(config -> queue, config -> objects, config -> topic);

  @AfterEach
  void stop() {
    task.stop();
  }

  private void start(String... more) {
    start(List.of(), more);
  }

  private void start(List<String> buckets, String... more) {
    Map<String, String> properties =
        new HashMap<>(
            Map.of(
                "source.name",
                "files",
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
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    task.initialize(context);
    task.start(S3SourceTaskConfig.taskProperties(properties, buckets, 0, 1));
  }

  /** Polls until so many change events have come. */
  private List<SourceRecord> changes(int count) {
    List<SourceRecord> changes = new ArrayList<>();
    await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () -> {
              poll().filter(r -> r.topic().equals(TOPIC)).forEach(changes::add);
              return changes.size() >= count;
            });
    assertThat(changes).hasSize(count);
    return changes;
  }

  private Stream<SourceRecord> poll() throws InterruptedException {
    List<SourceRecord> records = task.poll();
    return records == null ? Stream.empty() : records.stream();
  }

  /** Polls until a source state has come that fulfils the condition. */
  private SourceRecord state(Predicate<Struct> condition) {
    List<SourceRecord> found = new ArrayList<>();
    await()
        .atMost(Duration.ofSeconds(10))
        .until(
            () -> {
              poll()
                  .filter(r -> r.topic().equals(STATES) && condition.test((Struct) r.value()))
                  .forEach(found::add);
              return !found.isEmpty();
            });
    return found.get(0);
  }

  private void acknowledge(SourceRecord record, int partition, long offset) {
    task.commitRecord(
        record, new RecordMetadata(new TopicPartition(TOPIC, partition), offset, 0, 0, 0, 0));
  }

  private void awaitDeleted(String... ids) {
    await().untilAsserted(() -> assertThat(queue.deleted()).containsExactlyInAnyOrder(ids));
  }

  @Test
  void makesAChangeEventOfANotification() {
    queue.send("m1", Notifications.created("2017/USER001_FILE+001.txt", "0055AED6DCD90281E5"));
    start();

    SourceRecord record = changes(1).get(0);

    assertThat(record.key()).isEqualTo("documents/2017/USER001_FILE 001.txt");
    assertThat(record.sourceOffset()).isEmpty();
    Struct envelope = (Struct) record.value();
    assertThat(envelope.getString("op")).isEqualTo("c");
    Struct file = envelope.getStruct("after");
    assertThat(file.getString("objectKey")).isEqualTo("2017/USER001_FILE 001.txt");
    assertThat(file.getString("bucketName")).isEqualTo("documents");
    assertThat(file.getString("uploadUser")).isEqualTo("USER001");
    assertThat(file.getString("fileId")).isEqualTo("FILE 001");
    assertThat(file.getString("uploadDate")).isEqualTo("2017-08-20");
    assertThat(file.getInt64("size")).isEqualTo(7);
    assertThat(file.getString("eTag")).isEqualTo("abc");
    assertThat(file.getString("sequencer")).isEqualTo("0055AED6DCD90281E5");
    Struct order = envelope.getStruct("source").getStruct("order");
    assertThat(order.getString("epoch")).isEqualTo("s3");
    assertThat(HexFormat.of().withUpperCase().formatHex(bytes(order.get("sequence"))))
        .isEqualTo("0055AED6DCD90281E5");
    assertThat(order.getStruct("base")).isNull();
    assertThat(envelope.getStruct("source").getString("name")).isEqualTo("files");
  }

  private static byte[] bytes(Object value) {
    return value instanceof ByteBuffer buffer ? buffer.array() : (byte[]) value;
  }

  @Test
  void makesADeleteOfARemoval() {
    queue.send("m1", Notifications.removed("a.txt", "02"));
    start();

    Struct envelope = (Struct) changes(1).get(0).value();

    assertThat(envelope.getString("op")).isEqualTo("d");
    assertThat(envelope.getStruct("after")).isNull();
    assertThat(envelope.getStruct("source").getStruct("order")).isNotNull();
  }

  @Test
  void looksWhatIsThereAfterAVersionWasRemoved() {
    objects.put("documents", "alice_older.txt", 99);
    queue.send("m1", Notifications.versionRemoved("alice_older.txt", "0A"));
    queue.send("m2", Notifications.versionRemoved("alice_gone.txt", "0B"));
    start();

    List<SourceRecord> records = changes(2);

    Struct revealed = (Struct) records.get(0).value();
    assertThat(revealed.getString("op")).isEqualTo("u");
    assertThat(revealed.getStruct("after").getInt64("size")).isEqualTo(99);
    assertThat(revealed.getStruct("after").getString("sequencer")).isEqualTo("0A");
    assertThat(bytes(revealed.getStruct("source").getStruct("order").get("sequence")))
        .containsExactly(0x0A);
    assertThat(((Struct) records.get(1).value()).getString("op")).isEqualTo("d");
  }

  @Test
  void deletesAMessageWhenKafkaHasAllItsRecords() {
    queue.send(
        "m1",
        Notifications.message(
            Notifications.record("ObjectCreated:Put", "a", "", "01"),
            Notifications.record("ObjectCreated:Put", "b", "", "01")));
    start();
    List<SourceRecord> records = changes(2);

    acknowledge(records.get(0), 0, 0);
    assertThat(queue.deleted()).isEmpty();
    task.commitRecord(records.get(1), null);

    awaitDeleted("m1");
  }

  @Test
  void deletesMessagesThatSayNothingAndLeavesThoseItCannotRead() {
    queue.send("test", "{\"Service\":\"Amazon S3\",\"Event\":\"s3:TestEvent\"}");
    queue.send("unknown", Notifications.unknownType("a.txt"));
    queue.send("poison", "garbage");
    queue.send("good", Notifications.created("a.txt", "01"));
    start();

    acknowledge(changes(1).get(0), 0, 0);

    awaitDeleted("test", "unknown", "good");
    assertThat(queue.size()).isEqualTo(1);
  }

  @Test
  void leavesAVersionRemovalToTheQueueWhenNobodyMayLook() {
    objects.failNext(new ObjectStoreException.Permanent("access denied", null));
    queue.send("m1", Notifications.versionRemoved("alice_gone.txt", "0B"));
    start("sqs.visibility.timeout.ms", "2000");

    acknowledge(changes(1).get(0), 0, 0);

    awaitDeleted("m1");
  }

  @Test
  void countsAsCompleteFromItsStartWithoutBuckets() {
    start();

    SourceRecord record = state(state -> true);

    assertThat(record.key()).isEqualTo("files|" + TOPIC + "|queue");
    Struct state = (Struct) record.value();
    assertThat(state.getInt32("slices")).isEqualTo(1);
    assertThat(state.getStruct("lastLook").getArray("offsets")).isEmpty();
    assertThat(state.getInt64("heartbeatAt")).isPositive();
  }

  @Test
  void keepsSayingThatItIsAlive() {
    start();
    long first = ((Struct) state(state -> true).value()).getInt64("heartbeatAt");

    state(state -> state.getInt64("heartbeatAt") > first);
  }

  @Test
  void saysNothingWhileTheQueueDoesNotAnswer() throws InterruptedException {
    queue.failNext(new QueueException.Unavailable("no network", null));
    start(
        "sqs.receivers", "1", "retry.backoff.initial.ms", "60000", "retry.backoff.max.ms", "60000");

    for (int i = 0; i < 3; i++) {
      assertThat(poll()).isEmpty();
    }
  }

  @Test
  void listsABucketAndIsCompleteOnceKafkaHasEverything() {
    for (String key : List.of("a_1", "b_2", "c_3")) {
      objects.put("documents", key, 5);
    }
    start(List.of("documents"));

    List<SourceRecord> records = changes(3);

    assertThat(records)
        .extracting(SourceRecord::key)
        .containsExactly("documents/a_1", "documents/b_2", "documents/c_3");
    Struct envelope = (Struct) records.get(0).value();
    assertThat(envelope.getString("op")).isEqualTo("r");
    assertThat(envelope.getStruct("source").getString("snapshot")).isEqualTo("true");
    Struct order = envelope.getStruct("source").getStruct("order");
    assertThat(order.get("sequence")).isNull();
    assertThat(order.getStruct("base").getBoolean("present")).isTrue();
    assertThat(order.getStruct("base").getBoolean("deleted")).isTrue();
    assertThat(envelope.getStruct("after").getString("uploadDate")).isEqualTo("2017-08-19");
    acknowledge(records.get(0), 0, 10);
    acknowledge(records.get(1), 1, 3);
    assertThat(((Struct) state(state -> true).value()).getStruct("lastLook")).isNull();
    acknowledge(records.get(2), 0, 11);
    SourceRecord complete = state(state -> state.getStruct("lastLook") != null);
    Struct look = ((Struct) complete.value()).getStruct("lastLook");
    assertThat(look.getInt64("records")).isEqualTo(3);
    assertThat(look.<Struct>getArray("offsets"))
        .extracting(end -> end.getInt32("partition"), end -> end.getInt64("end"))
        .containsExactly(tuple(0, 12L), tuple(1, 4L));
    assertThat(complete.sourcePartition())
        .isEqualTo(Map.of("source", "files", "bucket", "documents"));
    assertThat(SliceOffset.fromMap(complete.sourceOffset()).looks().last().ends())
        .isEqualTo(Map.of(0, 12L, 1, 4L));
  }

  @Test
  void doesNotListABucketTwiceAndStillSaysThatItIsComplete() {
    objects.put("documents", "a_1", 5);
    start(List.of("documents"));
    acknowledge(changes(1).get(0), 0, 0);
    SourceRecord complete = state(state -> state.getStruct("lastLook") != null);
    task.stop();
    int listings = objects.listings();
    context.store(complete);

    S3SourceTask again = new S3SourceTask(config -> queue, config -> objects, config -> topic);
    again.initialize(context);
    again.start(
        S3SourceTaskConfig.taskProperties(
            Map.of(
                "source.name",
                "files",
                "s3.topic",
                TOPIC,
                "aws.region",
                "eu-central-1",
                "sqs.queue.url",
                "http://localhost:9324/queue/events",
                "s3.buckets",
                "documents"),
            List.of("documents"),
            0,
            1));
    List<SourceRecord> records = new ArrayList<>();
    await()
        .until(
            () -> {
              List<SourceRecord> polled = again.poll();
              records.addAll(polled == null ? List.of() : polled);
              return !records.isEmpty();
            });

    assertThat(records).extracting(SourceRecord::topic).containsOnly(STATES);
    assertThat(((Struct) records.get(0).value()).getStruct("lastLook").getInt64("records"))
        .isEqualTo(1);
    assertThat(objects.listings()).isEqualTo(listings);
    again.stop();
  }

  @Test
  void publishesABucketAgainWhenItIsAsked() {
    objects.put("documents", "a_1", 5);
    objects.put("documents", "b_2", 5);
    start(List.of("documents"));
    changes(2).forEach(record -> acknowledge(record, 0, 1));
    state(state -> state.getStruct("lastLook") != null);
    topic.request(4);
    topic.setEnds(Map.of(0, 10L, 1, 7L));

    List<SourceRecord> again = changes(2);
    assertThat(again)
        .extracting(SourceRecord::key)
        .containsExactly("documents/a_1", "documents/b_2");
    Struct order = ((Struct) again.get(0).value()).getStruct("source").getStruct("order");
    assertThat(order.getBoolean("force")).isTrue();
    assertThat(SliceOffset.fromMap(again.get(0).sourceOffset()).looks().last().number()).isOne();
    again.forEach(record -> acknowledge(record, 0, 15));
    topic.setEnds(Map.of(0, 12L, 1, 9L));

    SourceRecord answered = state(state -> state.getStruct("lastForced") != null);
    Struct look = ((Struct) answered.value()).getStruct("lastForced");
    assertThat(look.getInt64("request")).isEqualTo(4);
    assertThat(look.getInt64("number")).isEqualTo(2);
    assertThat(look.<Struct>getArray("offsets"))
        .extracting(
            end -> end.getInt32("partition"),
            end -> end.getInt64("begin"),
            end -> end.getInt64("end"))
        .containsExactly(tuple(0, 10L, 16L), tuple(1, 7L, 9L));
    SliceOffset stored = SliceOffset.fromMap(answered.sourceOffset());
    assertThat(stored.looks().answered()).isEqualTo(4);
    assertThat(((Struct) state(state -> true).value()).getStruct("lastForced")).isEqualTo(look);
  }

  @Test
  void goesOnListingWhenTheBucketAnswersAgain() {
    objects.put("documents", "a_1", 5);
    objects.failNext(new ObjectStoreException.Unavailable("no network", null));
    start(List.of("documents"), "retry.backoff.initial.ms", "1");

    assertThat(changes(1)).hasSize(1);
  }

  @Test
  void endsWhenABucketCannotBeListed() {
    objects.failNext(new ObjectStoreException.Permanent("bucket documents: access denied", null));
    start(List.of("documents"));

    assertThatThrownBy(task::poll)
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("access denied")
        .hasMessageContaining("s3.buckets");
  }

  @Test
  void endsWhenTheQueueWillNeverAnswer() {
    queue.failNext(new QueueException.Permanent("queue x: access denied", null));
    start();

    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(task::poll)
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("access denied"));
  }

  @Test
  void refusesAStoredOffsetThatItCannotRead() {
    context.store(SliceOffset.bucketPartition("files", "documents"), Map.of("complete", "perhaps"));

    assertThatThrownBy(() -> start(List.of("documents")))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("complete: perhaps");
  }

  @Test
  void closesWhatItOpenedAndDeletesWhatIsDone() {
    queue.send("m1", Notifications.created("a.txt", "01"));
    start();
    acknowledge(changes(1).get(0), 0, 0);

    task.stop();

    assertThat(queue.deleted()).containsExactly("m1");
    assertThat(queue.closed()).isTrue();
    assertThat(objects.closed()).isTrue();
    assertThat(topic.closed()).isTrue();
  }
}
