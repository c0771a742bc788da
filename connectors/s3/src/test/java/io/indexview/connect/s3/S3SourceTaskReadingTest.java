package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.s3.client.AwsRequestException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a task finds by snapshot reads, as no event with an order came of it. */
class S3SourceTaskReadingTest extends S3SourceTaskScenario {
  @TempDir private Path directory;

  private void startWithIndex(String... more) {
    Stream<String> settings =
        Stream.of(
            "index.dir",
            directory.toString(),
            "schema.registry.url",
            FakeLog.REGISTRY,
            "s3.listing.grace.ms",
            "1");
    start(List.of("documents"), Stream.concat(settings, Stream.of(more)).toArray(String[]::new));
  }

  private static Struct order(SourceRecord record) {
    return ((Struct) record.value()).getStruct("source").getStruct("order");
  }

  private static String op(SourceRecord record) {
    return ((Struct) record.value()).getString("op");
  }

  /** The bucket's first listing found it. */
  private void startWith(String key, String... more) {
    objects.put("documents", key, 5);
    startWithIndex(more);
    deliver(changes(1).get(0));
    state(state -> state.getStruct("lastScan") != null);
  }

  @Test
  void observesAnEventWithoutASequencerAndDeletesTheMessageOnceTheIndexAgrees() {
    startWith("alice_old.txt");
    objects.remove("documents", "alice_old.txt");
    queue.send("m1", Notifications.expired("alice_old.txt"));

    SourceRecord gone = changes(1).get(0);

    assertThat(op(gone)).isEqualTo("d");
    assertThat(order(gone).get("sequence")).isNull();
    assertThat(order(gone).getBoolean("adHoc")).isFalse();
    assertThat(order(gone).getStruct("base").getBoolean("present")).isTrue();
    assertThat(order(gone).getStruct("base").getBoolean("deleted")).isFalse();
    assertThat(queue.deleted()).isEmpty();
    deliver(gone);
    pollUntilDeleted("m1");
  }

  @Test
  void marksItsReadsAsAdHocWhileAnotherTaskPublishesTheBucketAgain() {
    startWith("alice_old.txt");
    objects.remove("documents", "alice_old.txt");
    topic.publishAgain("documents");
    queue.send("m1", Notifications.expired("alice_old.txt"));

    SourceRecord gone = changes(1).get(0);

    assertThat(order(gone).getBoolean("adHoc")).isTrue();
    deliver(gone);
    pollUntilDeleted("m1");
  }

  @Test
  void readsAgainWhenASnapshotReadWasOvertaken() {
    startWith("alice_old.txt");
    queue.send("m1", Notifications.expired("alice_old.txt"));
    objects.put("documents", "alice_old.txt", 6);
    SourceRecord changed = changes(1).get(0);
    queue.send("m2", Notifications.created("alice_old.txt", "0A"));
    deliver(changes(1).get(0));
    deliver(changed);

    SourceRecord again = changes(1).get(0);

    assertThat(again.key()).isEqualTo("documents/alice_old.txt");
    assertThat(order(again).getStruct("base").get("sequence")).isNotNull();
    assertThat(((Struct) again.value()).getStruct("after").getInt64("size")).isEqualTo(6);
    deliver(again);
    pollUntilDeleted("m1", "m2");
  }

  @Test
  void observesAgainOnATopicThatWasCreatedMeanwhile() {
    startWith("alice_old.txt");
    queue.send("m1", Notifications.expired("alice_old.txt"));
    objects.put("documents", "alice_old.txt", 6);
    SourceRecord lost = changes(1).get(0);
    acknowledge(lost, 0, 1_000);
    FakeLog fresh = new FakeLog();
    topic.holds(fresh);
    topic.become("topic-2");
    topic.outdateAnswer();

    List<SourceRecord> again = changes(2);

    assertThat(again).extracting(SourceRecord::key).containsOnly("documents/alice_old.txt");
    again.forEach(record -> acknowledge(record, 0, fresh.append(record)));
    await()
        .untilAsserted(
            () -> {
              poll()
                  .filter(r -> r.topic().equals(TOPIC))
                  .forEach(record -> acknowledge(record, 0, fresh.append(record)));
              assertThat(queue.deleted()).containsExactly("m1");
            });
  }

  /** Nobody asked since which topic there is, and the index may know it from hours ago. */
  @Test
  void goesByTheTopicThatThereIsOnceTheEventIsHere() {
    startWith("alice_old.txt");
    queue.send("m1", Notifications.expired("alice_old.txt"));
    assertThat(pollUntilDeleted("m1")).isEmpty();
    queue.send("m2", Notifications.created("bob_new.txt", "0A"));
    SourceRecord created = changes(1).get(0);
    // The first listing for the other topic finds nothing.
    objects.remove("documents", "alice_old.txt");
    log.recreate();
    topic.become("topic-2");
    deliver(created);
    queue.send("m3", Notifications.expired("bob_new.txt"));

    SourceRecord gone = changes(1).get(0);

    assertThat(gone.key()).isEqualTo("documents/bob_new.txt");
    assertThat(op(gone)).isEqualTo("d");
  }

  /** The index is behind: the creation is in the topic, and in nobody's index yet. */
  @Test
  void readsTheTopicToItsEndBeforeItLooks() {
    startWith("alice_old.txt");
    queue.send("m1", Notifications.expired("alice_old.txt"));
    assertThat(pollUntilDeleted("m1")).isEmpty();
    queue.send("m2", Notifications.created("bob_new.txt", "0A"));
    deliver(changes(1).get(0));
    queue.send("m3", Notifications.expired("bob_new.txt"));

    SourceRecord gone = changes(1).get(0);

    assertThat(gone.key()).isEqualTo("documents/bob_new.txt");
    assertThat(op(gone)).isEqualTo("d");
  }

  @Test
  void saysNothingOfAnObjectThatIsAsItIsKnown() {
    startWith("alice_old.txt");
    queue.send("m1", Notifications.expired("alice_old.txt"));

    assertThat(pollUntilDeleted("m1")).isEmpty();
  }

  @Test
  void leavesAnEventWithoutASequencerToTheQueueWhenNobodyMayRead() {
    startWith("alice_old.txt");
    objects.fail(new AwsRequestException.Permanent("access denied", null));
    queue.send("m1", Notifications.expired("alice_old.txt"));
    pollUntilLeftToTheQueue();

    objects.fail(null);

    redeliverUntilDeleted("m1");
  }

  @Test
  void leavesAnEventWithoutASequencerToTheQueueWithoutAnIndex() {
    queue.send("m1", Notifications.expired("alice_old.txt"));
    queue.send("m2", Notifications.created("bob_new.txt", "0A"));
    start();

    acknowledge(changes(1).get(0), 0, 0);

    awaitDeleted("m2");
    assertThat(queue.size()).isEqualTo(1);
  }

  @Test
  void findsByListingAgainWhatNoNotificationNamed() {
    startWith("alice_old.txt", "s3.listing.interval.ms", "1");
    objects.remove("documents", "alice_old.txt");
    objects.put("documents", "bob_new.txt", 7);

    List<SourceRecord> found = changes(2);

    assertThat(found)
        .extracting(SourceRecord::key)
        .containsExactlyInAnyOrder("documents/alice_old.txt", "documents/bob_new.txt");
    assertThat(found).extracting(S3SourceTaskReadingTest::op).containsExactlyInAnyOrder("d", "c");
    found.forEach(this::deliver);
    long end = log.events().size();
    SourceRecord complete =
        state(
            state ->
                state.getStruct("lastScan").<Struct>getArray("offsets").get(0).getInt64("end")
                    == end);
    Struct scan = ((Struct) complete.value()).getStruct("lastScan");
    assertThat(scan.getInt64("number")).isGreaterThan(1);
    assertThat(scan.getInt64("records")).isEqualTo(1);
    assertThat(scan.getBoolean("adHoc")).isFalse();
    assertThat(scan.getStruct("scope").getString("prefix")).isEqualTo("documents");
  }

  @Test
  void listsOnceWhenItIsAskedTo() {
    startWith("alice_old.txt", "s3.listing.interval.ms", "3600000");
    SourceRecord before = state(state -> state.getStruct("lastScan") != null);
    objects.remove("documents", "alice_old.txt");
    objects.put("documents", "bob_new.txt", 7);
    topic.askForScan(5);

    List<SourceRecord> found = changes(2);

    assertThat(found).extracting(S3SourceTaskReadingTest::op).containsExactlyInAnyOrder("d", "c");
    found.forEach(this::deliver);
    Struct state =
        (Struct) state(s -> s.getStruct("scanRequests").getInt64("answered") == 5).value();
    long number = ((Struct) before.value()).getStruct("lastScan").getInt64("number");
    assertThat(state.getStruct("lastScan").getInt64("number")).isEqualTo(number + 1);
    assertThat(state.getStruct("lastScan").getBoolean("adHoc")).isFalse();
    assertThat(state.getStruct("scanRequests").getString("refused")).isEmpty();
    int listings = objects.listings();
    topic.askForScan(6);
    state(s -> s.getStruct("scanRequests").getInt64("answered") == 6);
    assertThat(objects.listings()).isEqualTo(listings + 1);
  }

  @Test
  void isNotCompleteWhileNobodyMayReadADifference() {
    startWith("alice_old.txt", "s3.listing.interval.ms", "1");
    objects.refuse("bob_secret.txt");
    objects.put("documents", "bob_secret.txt", 7);
    objects.put("documents", "carol_new.txt", 7);

    SourceRecord found = changes(1).get(0);

    assertThat(found.key()).isEqualTo("documents/carol_new.txt");
    deliver(found);
    Struct state = (Struct) state(s -> s.get("problem") != null).value();
    assertThat(state.getString("problem")).contains("bob_secret.txt");
    assertThat(state.getStruct("lastScan").getInt64("records")).isLessThan(3);
    objects.allow("bob_secret.txt");
    deliver(changes(1).get(0));
    state(s -> s.get("problem") == null && s.getStruct("lastScan").getInt64("records") == 3);
  }

  @Test
  void publishesTheBucketAgainWhenTheTopicLostItsStart() {
    startWith("alice_old.txt", "s3.listing.interval.ms", "3600000");
    SourceRecord complete = state(state -> state.getStruct("lastScan") != null);
    task.stop();
    context.store(complete);
    log.trim();
    restartWithAnEmptyIndex();

    SourceRecord again = changes(1).get(0);

    assertThat(again.key()).isEqualTo("documents/alice_old.txt");
    assertThat(order(again).getBoolean("adHoc")).isTrue();
    deliver(again);
    state(state -> state.getStruct("lastAdHocSnapshot") != null);
  }

  /** Else the index would say that it is there, and the app that it was taken away. */
  @Test
  void namesWhatAnAdHocSnapshotDoesNotFindAndTheIndexHas() {
    startWith("alice_old.txt");
    objects.remove("documents", "alice_old.txt");
    objects.put("documents", "bob_new.txt", 7);
    topic.request(4);

    List<SourceRecord> published = changes(2);

    assertThat(published)
        .extracting(SourceRecord::key, S3SourceTaskReadingTest::op)
        .containsExactlyInAnyOrder(
            tuple("documents/bob_new.txt", "r"), tuple("documents/alice_old.txt", "d"));
    assertThat(published).allMatch(record -> order(record).getBoolean("adHoc"));
    published.forEach(this::deliver);
    state(state -> state.getStruct("lastAdHocSnapshot") != null);
  }

  private void restartWithAnEmptyIndex() {
    startWithIndex(
        "index.dir", directory.resolve("new").toString(), "s3.listing.interval.ms", "3600000");
  }
}
