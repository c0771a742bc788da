package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** File records with what only a scan of the object tells. */
class S3SourceTaskAttributesTest extends S3SourceTaskScenario {
  private static final String ALL = "user_metadata,content_type,tags";

  @TempDir private Path directory;

  private static Struct file(SourceRecord record) {
    return ((Struct) record.value()).getStruct("after");
  }

  private static String created(String key, String eTag, String sequencer) {
    return Notifications.message(
        Notifications.record(
            "ObjectCreated:Put", key, "\"size\":5,\"eTag\":\"" + eTag + "\",", sequencer));
  }

  @Test
  void addsWhatTheObjectTellsToWhatWasNotified() {
    objects.put("documents", "a_1", 5);
    queue.send("m1", created("a_1", "etag-5", "0A"));
    start("s3.attributes", ALL);

    Struct file = file(changes(1).get(0));

    assertThat(file.getMap("userMetadata")).isEqualTo(Map.of("project", "p5"));
    assertThat(file.getString("contentType")).isEqualTo("text/plain");
    assertThat(file.getMap("tags")).isEqualTo(Map.of("class", "c5"));
    assertThat(file.getString("sequencer")).isEqualTo("0A");
    assertThat(file.getString("uploadDate")).as("as notified").isEqualTo("2017-08-20");
  }

  @Test
  void addsOnlyWhatIsAskedFor() {
    objects.put("documents", "a_1", 5);
    queue.send("m1", created("a_1", "etag-5", "0A"));
    start("s3.attributes", "content_type");

    Struct file = file(changes(1).get(0));

    assertThat(file.getMap("userMetadata")).isEmpty();
    assertThat(file.getString("contentType")).isEqualTo("text/plain");
    assertThat(file.getMap("tags")).isEmpty();
  }

  @Test
  void takesTheWholeObjectWhenItIsNewerThanTheNotification() {
    objects.put("documents", "a_1", 6);
    queue.send("m1", created("a_1", "etag-5", "0A"));
    start("s3.attributes", ALL);

    Struct file = file(changes(1).get(0));

    assertThat(file.getInt64("size")).isEqualTo(6);
    assertThat(file.getString("eTag")).isEqualTo("etag-6");
    assertThat(file.getString("uploadDate")).isEqualTo("2017-08-19");
    assertThat(file.getMap("userMetadata")).isEqualTo(Map.of("project", "p6"));
    assertThat(file.getString("sequencer")).isEqualTo("0A");
  }

  @Test
  void makesADeleteInTheNotificationsPlaceWhenTheObjectIsGone() {
    queue.send("m1", created("a_1", "etag-5", "0A"));
    start("s3.attributes", ALL);

    SourceRecord record = changes(1).get(0);

    assertThat(((Struct) record.value()).getString("op")).isEqualTo("d");
    assertThat(((Struct) record.value()).getStruct("source").getStruct("order").get("sequence"))
        .isNotNull();
    acknowledge(record, 0, 0);
    awaitDeleted("m1");
  }

  @Test
  void looksOnceForANotificationThatComesTwice() {
    objects.put("documents", "a_1", 5);
    queue.send("m1", created("a_1", "etag-5", "0A"));
    start("s3.attributes", ALL);
    changes(1);
    queue.send("m2", created("a_1", "etag-5", "0A"));
    changes(1);

    assertThat(objects.heads()).isEqualTo(1);
  }

  @Test
  void looksAtListedObjects() {
    objects.put("documents", "a_1", 5);
    objects.put("documents", "b_2", 6);
    objects.put("documents", "c_3", 7);
    start(List.of("documents"), "s3.attributes", ALL);

    assertThat(changes(3))
        .extracting(record -> file(record).getMap("userMetadata").get("project"))
        .containsExactly("p5", "p6", "p7");
  }

  @Test
  void saysWhyABucketIsNotCompleteUntilSomebodyMayRead() {
    objects.put("documents", "a_1", 5);
    objects.put("documents", "b_2", 6);
    objects.refuse("a_1");
    start(List.of("documents"), "s3.attributes", ALL);
    SourceRecord seen = changes(1).get(0);
    assertThat(seen.key()).isEqualTo("documents/b_2");
    acknowledge(seen, 0, 0);

    Struct state = (Struct) state(s -> s.get("problem") != null).value();

    assertThat(state.getString("problem")).contains("documents", "a_1", "s3:GetObject");
    assertThat(state.getStruct("lastScan")).isNull();
    assertThat(context.metric("incomplete-buckets")).isOne();
  }

  @Test
  void forgetsWhatNobodyMayReadWhenTheTopicIsAnotherOne() {
    objects.put("documents", "a_1", 5);
    objects.refuse("a_1");
    start(List.of("documents"), "s3.attributes", ALL);
    state(s -> s.get("problem") != null);
    objects.allow("a_1");
    topic.become("topic-2");
    topic.outdateAnswer();

    // What was being read may still be published for the topic of before.
    Struct state = (Struct) stateAcknowledging(s -> s.getStruct("lastScan") != null).value();
    assertThat(state.getString("topicId")).isEqualTo("topic-2");
    assertThat(state.get("problem")).isNull();
    assertThat(context.metric("incomplete-buckets")).isZero();
  }

  @Test
  void publishesATouchedObjectThoughItsContentIsTheSame() {
    objects.put("documents", "a_1", 5);
    start(
        List.of("documents"),
        "s3.attributes",
        ALL,
        "s3.metadata.read.events",
        "ObjectTagging",
        "index.dir",
        directory.toString(),
        "schema.registry.url",
        FakeLog.REGISTRY);
    deliver(changes(1).get(0));
    queue.send(
        "m1", Notifications.message(Notifications.record("ObjectTagging:Put", "a_1", "", "")));

    SourceRecord again = changes(1).get(0);

    assertThat(((Struct) again.value()).getString("op")).isEqualTo("u");
    assertThat(file(again).getMap("tags")).isEqualTo(Map.of("class", "c5"));
    deliver(again);
    assertThat(pollUntilDeleted("m1")).isEmpty();
  }
}
