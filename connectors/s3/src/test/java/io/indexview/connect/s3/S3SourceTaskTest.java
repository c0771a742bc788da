package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.docs.ComputedPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class S3SourceTaskTest extends S3SourceTaskScenario {
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

    // Looked up at the same time: either may come first.
    Map<Object, Struct> events =
        changes(2).stream()
            .collect(Collectors.toMap(SourceRecord::key, record -> (Struct) record.value()));

    Struct revealed = events.get("documents/alice_older.txt");
    assertThat(revealed.getString("op")).isEqualTo("u");
    assertThat(revealed.getStruct("after").getInt64("size")).isEqualTo(99);
    assertThat(revealed.getStruct("after").getString("sequencer")).isEqualTo("0A");
    byte[] sequence = bytes(revealed.getStruct("source").getStruct("order").get("sequence"));
    assertThat(SourceVersion.compareSequences(sequence, new byte[] {0x0A}))
        .as("behind the version, if it is that one's")
        .isPositive();
    assertThat(SourceVersion.compareSequences(sequence, new byte[] {0x0A, 0, 0, 0, 0, 0, 0, 0, 1}))
        .isNegative();
    assertThat(events.get("documents/alice_gone.txt").getString("op")).isEqualTo("d");
  }

  @Test
  void deletesAMessageWhenKafkaHasAllItsRecords() {
    queue.send(
        "m1",
        Notifications.message(
            Notifications.record("ObjectCreated:Put", "a", "", "01"),
            Notifications.record("ObjectCreated:Put", "b", "", "01")));
    queue.send("m2", Notifications.created("c", "01"));
    start();
    Map<Object, SourceRecord> records =
        changes(3).stream().collect(Collectors.toMap(SourceRecord::key, record -> record));

    acknowledge(records.get("documents/a"), 0, 0);
    acknowledge(records.get("documents/c"), 0, 1);
    awaitDeleted("m2");
    task.commitRecord(records.get("documents/b"), null);

    awaitDeleted("m1", "m2");
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
    assertThat(context.metric("unusable-messages-total")).isOne();
    assertThat(context.metric("skipped-events-total")).isOne();
    await().until(() -> context.metric("messages-in-flight") == 0);
  }

  @Test
  void theGuideTellsTheMetricsThatThereAre() throws IOException {
    start();
    ComputedPage guide = new ComputedPage("metrics.md", getClass().getSimpleName());

    assertThat(context.shown()).isEqualTo(guide.firstColumn("Metrics of the S3 source"));
  }

  @Test
  void countsAMessageThatItCannotReadEachTimeItComesBack() {
    queue.send("poison", "garbage");
    start();

    await()
        .until(
            () -> {
              redeliver();
              return context.metric("unusable-messages-total") >= 3;
            });
    assertThat(queue.deleted()).isEmpty();
  }

  /** Polls until there are dead letters. */
  private List<SourceRecord> deadLetters() {
    List<SourceRecord> deadLetters = new ArrayList<>();
    await()
        .until(
            () -> {
              poll()
                  .filter(r -> r.topic().equals("indexview.dead-letters"))
                  .forEach(deadLetters::add);
              return !deadLetters.isEmpty();
            });
    return deadLetters;
  }

  @Test
  void makesADeadLetterOfWhatItCannotReadAndDeletesItWhenAsked() {
    queue.send("poison", "garbage");
    start("sqs.unreadable.messages", "dead_letter");
    List<SourceRecord> deadLetters = deadLetters();
    queue.send("good", Notifications.created("a.txt", "01"));
    acknowledge(changes(1).get(0), 0, 0);

    SourceRecord deadLetter = deadLetters.get(0);
    assertThat(deadLetter.key()).isEqualTo("poison");
    Struct value = (Struct) deadLetter.value();
    assertThat(value.getString("reason")).contains("not JSON");
    assertThat(value.getString("topic")).isEqualTo(TOPIC);
    assertThat(new String(bytes(value.get("value")), StandardCharsets.UTF_8)).isEqualTo("garbage");
    awaitDeleted("good");
    acknowledge(deadLetter, 0, 0);
    awaitDeleted("good", "poison");
  }

  @Test
  void leavesAnEventWithoutASequencerToTheQueueThoughDeadLettersAreAskedFor() {
    queue.send("m1", Notifications.expired("alice_old.txt"));
    queue.send("m2", "garbage");
    start("sqs.unreadable.messages", "dead_letter");
    List<SourceRecord> deadLetters = deadLetters();
    deadLetters.forEach(deadLetter -> acknowledge(deadLetter, 0, 0));

    awaitDeleted("m2");
    assertThat(deadLetters).extracting(SourceRecord::key).containsExactly("m2");
    assertThat(queue.size()).isEqualTo(1);
  }

  @Test
  void leavesAVersionRemovalToTheQueueWhenNobodyMayRead() {
    objects.refuse("alice_gone.txt");
    queue.send("m1", Notifications.versionRemoved("alice_gone.txt", "0B"));
    start();
    pollUntilLeftToTheQueue();

    objects.allow("alice_gone.txt");

    redeliverUntilDeleted("m1");
  }

  @Test
  void keepsSayingThatItIsAlive() {
    start();
    long first = ((Struct) state(state -> true).value()).getInt64("heartbeatAt");

    state(state -> state.getInt64("heartbeatAt") > first);
  }

  @Test
  void saysNothingWhileTheQueueDoesNotAnswer() throws InterruptedException {
    queue.failNext(new AwsRequestException.Unavailable("no network", null));
    start(
        "sqs.receivers", "1", "retry.backoff.initial.ms", "60000", "retry.backoff.max.ms", "60000");

    for (int i = 0; i < 3; i++) {
      assertThat(poll()).isEmpty();
    }
  }

  @Test
  void endsWhenTheQueueWillNeverAnswer() {
    queue.failNext(new AwsRequestException.Permanent("queue x: access denied", null));
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
    context.store(
        ListingOffset.bucketPartition("files", "documents"), Map.of("complete", "perhaps"));

    assertThatThrownBy(() -> start(List.of("documents")))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("complete: perhaps");
  }

  @Test
  void closesWhatItOpenedWhenItCannotStart(@TempDir Path directory) {
    String[] withAnIndex = {
      "index.dir",
      directory.toString(),
      "schema.registry.url",
      "https://localhost:1",
      "schema.registry.ssl.truststore.location",
      directory.resolve("missing").toString()
    };

    assertThatThrownBy(() -> start(withAnIndex)).isInstanceOf(ConfigException.class);

    assertThat(queue.closed()).isTrue();
    assertThat(objects.closed()).isTrue();
    assertThat(topic.closed()).isTrue();
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

  @Test
  void closesWhatItOpenedAndSaysWhatHelpsWhereClassesAreMissing() {
    S3SourceTask broken =
        new S3SourceTask(
            config -> queue,
            config -> {
              throw new NoClassDefFoundError("io/netty/Missing");
            },
            config -> topic);
    broken.initialize(context);

    assertThatThrownBy(() -> broken.start(properties(List.of())))
        .isInstanceOf(ConnectException.class)
        .hasMessageContainingAll("io/netty/Missing", "runs on Kafka Connect from 3.9");
    assertThat(queue.closed()).isTrue();
  }

  @Test
  void leavesEventsOfBucketsThatAreNotItsOwnToTheQueue() {
    queue.send("foreign", Notifications.created("a.txt", "01"));
    start(List.of("others"));

    pollUntilLeftToTheQueue();
  }

  @Test
  void takesEventsOfItsOwnBuckets() {
    queue.send("own", Notifications.created("a.txt", "01"));
    start(List.of("others", "documents"));

    assertThat(changes(1).get(0).key()).isEqualTo("documents/a.txt");
  }

  @Test
  void makesADeadLetterOfAKeyThatNoRecordHolds() {
    queue.send("huge", Notifications.created("a".repeat(500_000), "01"));
    queue.send("good", Notifications.created("a.txt", "01"));
    start("sqs.unreadable.messages", "dead_letter");

    List<SourceRecord> records = new ArrayList<>();
    await()
        .until(
            () -> {
              poll().filter(r -> !r.topic().equals(STATES)).forEach(records::add);
              return records.size() >= 2;
            });

    assertThat(records)
        .extracting(SourceRecord::topic)
        .containsExactlyInAnyOrder("indexview.dead-letters", TOPIC);
    SourceRecord dead =
        records.stream().filter(r -> !r.topic().equals(TOPIC)).findFirst().orElseThrow();
    assertThat(dead.key()).isEqualTo("huge");
    assertThat(((Struct) dead.value()).getString("reason")).contains("key", "1024 bytes");
  }
}
