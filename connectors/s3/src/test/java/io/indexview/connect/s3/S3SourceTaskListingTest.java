package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.common.source.Scans;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.SourceState.Scan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

/** How a task lists buckets. */
class S3SourceTaskListingTest extends S3SourceTaskScenario {
  @Test
  void countsAsCompleteFromItsStartWithoutBuckets() {
    start();

    SourceRecord record = state(state -> state.getStruct("lastScan") != null);

    assertThat(record.key()).isEqualTo("files|" + TOPIC + "|queue");
    Struct state = (Struct) record.value();
    assertThat(state.getInt32("sourcePartitions")).isEqualTo(1);
    assertThat(state.getStruct("scanRequests").getString("refused")).contains("s3.buckets");
    assertThat(state.getStruct("lastScan").getArray("offsets")).isEmpty();
    assertThat(state.getInt64("heartbeatAt")).isPositive();
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
    assertThat(((Struct) state(state -> true).value()).getStruct("lastScan")).isNull();
    acknowledge(records.get(2), 0, 11);
    SourceRecord complete = state(state -> state.getStruct("lastScan") != null);
    Struct scan = ((Struct) complete.value()).getStruct("lastScan");
    assertThat(scan.getInt64("records")).isEqualTo(3);
    assertThat(scan.<Struct>getArray("offsets"))
        .extracting(end -> end.getInt32("partition"), end -> end.getInt64("end"))
        .containsExactly(tuple(0, 12L), tuple(1, 4L));
    assertThat(complete.sourcePartition())
        .isEqualTo(Map.of("source", "files", "bucket", "documents"));
    assertThat(ListingOffset.fromMap(complete.sourceOffset()).scans().last().ends())
        .isEqualTo(Map.of(0, 12L, 1, 4L));
  }

  @Test
  void doesNotListABucketTwiceAndStillSaysThatItIsComplete() {
    objects.put("documents", "a_1", 5);
    start(List.of("documents"));
    acknowledge(changes(1).get(0), 0, 0);
    SourceRecord complete = state(state -> state.getStruct("lastScan") != null);
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
                "kafka.bootstrap.servers",
                "127.0.0.1:1",
                "schema.registry.url",
                "mock://s3",
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
    assertThat(((Struct) records.get(0).value()).getStruct("lastScan").getInt64("records"))
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
    state(state -> state.getStruct("lastScan") != null);
    topic.request(4);
    topic.setEnds(Map.of(0, 10L, 1, 7L));

    List<SourceRecord> again = changes(2);
    assertThat(again)
        .extracting(SourceRecord::key)
        .containsExactly("documents/a_1", "documents/b_2");
    Struct order = ((Struct) again.get(0).value()).getStruct("source").getStruct("order");
    assertThat(order.getBoolean("adHoc")).isTrue();
    assertThat(ListingOffset.fromMap(again.get(0).sourceOffset()).scans().last().number()).isOne();
    again.forEach(record -> acknowledge(record, 0, 15));
    topic.setEnds(Map.of(0, 12L, 1, 9L));

    SourceRecord answered = state(state -> state.getStruct("lastAdHocSnapshot") != null);
    Struct scan = ((Struct) answered.value()).getStruct("lastAdHocSnapshot");
    assertThat(scan.getInt64("request")).isEqualTo(4);
    assertThat(scan.getInt64("number")).isEqualTo(2);
    assertThat(scan.<Struct>getArray("offsets"))
        .extracting(
            end -> end.getInt32("partition"),
            end -> end.getInt64("begin"),
            end -> end.getInt64("end"))
        .containsExactly(tuple(0, 10L, 16L), tuple(1, 7L, 9L));
    ListingOffset stored = ListingOffset.fromMap(answered.sourceOffset());
    assertThat(stored.scans().answered()).isEqualTo(4);
    assertThat(((Struct) state(state -> true).value()).getStruct("lastAdHocSnapshot"))
        .isEqualTo(scan);
  }

  @Test
  void tellsWhichTopicItLookedAtAndForWhichKeysItAnswers() {
    objects.put("documents", "a_1", 5);
    start(List.of("documents"));
    acknowledge(changes(1).get(0), 0, 0);

    SourceRecord complete = state(state -> state.getStruct("lastScan") != null);

    Struct state = (Struct) complete.value();
    assertThat(state.getString("topicId")).isEqualTo("topic-1");
    assertThat(state.getStruct("scanRequests").getString("refused"))
        .contains("s3.listing.interval.ms=0");
    Struct scope = state.getStruct("lastScan").getStruct("scope");
    assertThat(scope.getString("prefix")).isEqualTo("documents");
    assertThat(scope.get("exceptEnding")).isNull();
    ListingOffset stored = ListingOffset.fromMap(complete.sourceOffset());
    assertThat(stored.topicId()).isEqualTo("topic-1");
    assertThat(stored.scans().last().scope()).hasValue(new KeyScope("documents", null));
  }

  @Test
  void listsAgainWhenTheTopicIsAnotherOne() {
    objects.put("documents", "a_1", 5);
    start(List.of("documents"));
    acknowledge(changes(1).get(0), 0, 7);
    state(state -> state.getStruct("lastScan") != null);
    topic.request(3);
    acknowledge(changes(1).get(0), 0, 8);
    state(state -> state.getStruct("lastAdHocSnapshot") != null);

    topic.become("topic-2");
    topic.outdateAnswer();
    SourceRecord again = changes(1).get(0);
    assertThat(((Struct) state(state -> true).value()).getString("topicId")).isEqualTo("topic-1");
    acknowledge(again, 0, 0);

    Struct state = (Struct) state(s -> "topic-2".equals(s.getString("topicId"))).value();
    assertThat(state.getStruct("lastScan").<Struct>getArray("offsets"))
        .extracting(end -> end.getInt32("partition"), end -> end.getInt64("end"))
        .containsExactly(tuple(0, 1L));
    assertThat(state.getStruct("lastAdHocSnapshot")).isNull();
  }

  @Test
  void listsAgainWhenTheTopicBecameAnotherOneMeanwhile() {
    objects.put("documents", "a_1", 5);
    start(List.of("documents"));
    SourceRecord lost = changes(1).get(0);
    topic.become("topic-2");
    acknowledge(lost, 0, 7);

    acknowledge(changes(1).get(0), 0, 0);
    Struct state = (Struct) state(s -> s.getStruct("lastScan") != null).value();
    assertThat(state.getString("topicId")).isEqualTo("topic-2");
  }

  @Test
  void listsAgainWhatAReleaseListedThatDidNotKnowTheTopic() {
    Map<String, Object> before =
        new ListingOffset(
                null,
                Scans.NONE.and(
                    new Scan(1, 2, 3, 4, false, 0, Optional.empty(), Map.of(0, 0L), Map.of(0, 9L))))
            .toMap();
    context.store(ListingOffset.bucketPartition("files", "documents"), before);
    objects.put("documents", "a_1", 5);
    start(List.of("documents"));

    acknowledge(changes(1).get(0), 0, 0);
    Struct state = (Struct) state(s -> s.get("topicId") != null).value();
    assertThat(state.getStruct("lastScan").getInt64("records")).isOne();
  }

  @Test
  void listsInAnAdHocSnapshotWhatAnEarlierTaskCouldNotCompleteAndNothingElseWouldList() {
    Scans scans =
        Scans.NONE.and(
            new Scan(1, 2, 3, 4, false, 0, Optional.empty(), Map.of(0, 0L), Map.of(0, 9L)));
    context.store(
        ListingOffset.bucketPartition("files", "documents"),
        new ListingOffset("topic-1", scans, "an object is locked", 0).toMap());
    objects.put("documents", "a_1", 5);
    start(List.of("documents"));

    acknowledge(changes(1).get(0), 0, 0);

    Struct state = (Struct) state(s -> s.getStruct("lastAdHocSnapshot") != null).value();
    assertThat(state.getString("problem")).isNull();
    assertThat(state.getStruct("lastAdHocSnapshot").getInt64("request")).isZero();
  }

  @Test
  void saysNothingOfATopicThatIsNotKnown() {
    topic.become(null);
    start();

    assertThat(((Struct) state(state -> true).value()).getStruct("lastScan")).isNull();
    topic.become("topic-1");
    state(state -> state.getStruct("lastScan") != null);
  }

  @Test
  void goesOnListingWhenTheBucketAnswersAgain() {
    objects.put("documents", "a_1", 5);
    objects.failNext(new AwsRequestException.Unavailable("no network", null));
    start(List.of("documents"), "retry.backoff.initial.ms", "1");

    assertThat(changes(1)).hasSize(1);
  }

  @Test
  void endsWhenABucketCannotBeListed() {
    objects.failNext(new AwsRequestException.Permanent("bucket documents: access denied", null));
    start(List.of("documents"));

    assertThatThrownBy(() -> changes(1))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("access denied")
        .hasMessageContaining("s3.buckets");
  }
}
