package io.indexview.connect.common.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException;
import io.indexview.connect.common.index.MaterializedIndex.IndexInUseException;
import io.indexview.connect.common.source.EnvelopeStructs;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.SchemaRegistries;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexedTopicTest {
  private static final Map<String, String> REGISTRY =
      Map.of("schema.registry.url", "mock://indexed-topic");
  private static final Schema PERSON =
      SchemaBuilder.record("Person").namespace("test").fields().requiredString("name").endRecord();
  private static final long NOW = 1_000_000;

  @TempDir private Path directory;
  private final ManualClock clock = new ManualClock(Instant.ofEpochMilli(NOW));
  private final FakeTopic topic = new FakeTopic(1, clock);
  private final AvroConverter converter = new AvroConverter();
  private IndexedTopic<NotedState> indexed;

  @BeforeEach
  void open() {
    converter.configure(REGISTRY, false);
    ChangeTopicReader log = topic.open();
    indexed =
        new IndexedTopic<>(
            () -> MaterializedIndex.open(directory, NotedState.class),
            () -> log,
            new Materializer(
                new ChangeEventReader(SchemaRegistries.create(REGISTRY), RecordFormat.ENVELOPE),
                new OrderGuard(Duration.ofDays(15)),
                Entry::withoutValue,
                clock),
            (bounds, trimmed, again) ->
                new NotedState(
                    bounds.topicId(),
                    bounds.begins(),
                    (trimmed ? "trimmed " : "whole ") + (again ? "again" : "first")),
            clock);
  }

  @AfterEach
  void close() {
    indexed.close();
  }

  private void reopen() {
    indexed.close();
    open();
  }

  private void tell(String key, int sequence) {
    SchemaAndValue event =
        new EnvelopeStructs(PERSON, "store", "store")
            .event(
                Op.DELETE,
                NOW,
                NOW,
                new Origin.Versioned(new SourceVersion("1/s", new byte[] {(byte) sequence})),
                null);
    topic.append(key(key), converter.fromConnectData("people", event.schema(), event.value()), NOW);
  }

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Materializes until nothing more comes. */
  private void materializeAll() {
    boolean more = true;
    while (more) {
      more = indexed.materialize(Duration.ZERO);
    }
  }

  private int sequence(String key) {
    return indexed.index().entry(key(key)).orElseThrow().version().sequence()[0];
  }

  @Test
  void keepsTheNewestOfEachKeyAndPassesOverWhatItCannotRead() {
    tell("a", 2);
    tell("a", 1);
    topic.append(key("a"), new byte[] {9, 9}, NOW);
    topic.append(null, new byte[] {9, 9}, NOW);
    tell("b", 3);
    materializeAll();

    assertThat(sequence("a")).isEqualTo(2);
    assertThat(sequence("b")).isEqualTo(3);
    assertThat(indexed.state().positions()).isEqualTo(Map.of(0, 5L));
    assertThat(indexed.state().note()).isEqualTo("whole first");
    assertThat(indexed.materialize(Duration.ZERO)).isFalse();
  }

  @Test
  void goesOnWhereItWas() {
    tell("a", 1);
    materializeAll();
    reopen();
    topic.trim();
    tell("b", 1);
    materializeAll();

    assertThat(sequence("a")).isEqualTo(1);
    assertThat(sequence("b")).isEqualTo(1);
    assertThat(indexed.state().note()).isEqualTo("whole first");
  }

  @Test
  void beginsAnewOnATopicThatWasCreatedAgain() {
    tell("a", 1);
    materializeAll();
    topic.recreate();
    tell("b", 1);
    indexed.follow();
    materializeAll();

    assertThat(indexed.index().entry(key("a"))).isEmpty();
    assertThat(sequence("b")).isEqualTo(1);
    assertThat(indexed.state().note()).isEqualTo("whole again");
  }

  /** It holds the position that the one before was read to, so the consumer does not notice. */
  @Test
  void noticesWithinSecondsThatTheTopicWasCreatedAgain() {
    tell("a", 1);
    materializeAll();
    clock.pass(Duration.ofSeconds(1));
    materializeAll();
    topic.recreate();
    tell("b", 1);

    for (int seconds = 0; seconds < 11; seconds++) {
      clock.pass(Duration.ofSeconds(1));
      materializeAll();
    }

    assertThat(indexed.index().entry(key("a"))).isEmpty();
    assertThat(sequence("b")).isEqualTo(1);
    assertThat(indexed.isCaughtUp()).isTrue();
  }

  @Test
  void noticesAlsoWhenItIsAskedSeldom() {
    tell("a", 1);
    materializeAll();
    topic.recreate();
    tell("b", 1);

    for (int polls = 0; polls < 3; polls++) {
      clock.pass(Duration.ofSeconds(30));
      indexed.materialize(Duration.ZERO);
    }

    assertThat(indexed.index().entry(key("a"))).isEmpty();
    assertThat(sequence("b")).isEqualTo(1);
  }

  /** An earlier answer is of the topic before, and would have it followed again and again. */
  @Test
  void goesByNoAnswerOfBeforeTheTopicWasFollowed() {
    tell("a", 1);
    materializeAll();
    assertThat(indexed.currentId()).isPresent();
    clock.pass(Duration.ofSeconds(1));
    topic.recreate();
    indexed.follow();
    topic.setQuestionsAnswered(false);
    tell("b", 1);

    assertThat(indexed.currentId()).isEmpty();
    materializeAll();
    assertThat(sequence("b")).isEqualTo(1);
  }

  /** Else whoever asks again and again where the topic ends would keep all others waiting. */
  @Test
  void staysCaughtUpWhenItIsAskedAgainWhereTheTopicEnds() {
    tell("a", 1);
    materializeAll();
    assertThat(indexed.currentId()).isPresent();
    clock.pass(Duration.ofSeconds(1));
    tell("b", 1);

    Map<Integer, Long> ends = indexed.follow().ends();

    assertThat(ends).isEqualTo(Map.of(0, 2L));
    assertThat(indexed.isCaughtUp()).isTrue();
    assertThat(indexed.hasReached(ends)).isFalse();
    assertThat(indexed.currentId()).as("an answer of a second ago").isPresent();
    materializeAll();
    assertThat(indexed.hasReached(ends)).isTrue();
  }

  @Test
  void keepsItsIndexWhenOneBrokerAnswersWithTheTopicOfBefore() {
    ChangeTopicReader.Bounds before = topic.bounds();
    topic.recreate();
    keepsItsIndexOnAnswer(before);
  }

  @Test
  void keepsItsIndexWhenOneBrokerAnswersWithAnEarlierEnd() {
    keepsItsIndexOnAnswer(topic.bounds());
  }

  private void keepsItsIndexOnAnswer(ChangeTopicReader.Bounds earlier) {
    tell("a", 1);
    materializeAll();
    topic.answerOnce(earlier);
    assertThatThrownBy(() -> indexed.follow()).isInstanceOf(ChangeTopicException.class);
    Map<Integer, Long> ends = indexed.follow().ends();

    assertThat(ends).isEqualTo(Map.of(0, 1L));
    assertThat(sequence("a")).isEqualTo(1);
    assertThat(indexed.state().note()).isEqualTo("whole first");
  }

  /** It would read the events of this topic into the index of the one before. */
  @Test
  void doesNotGoOnWhenOnlyTheSecondAnswerIsOfTheTopicOfBefore() {
    tell("a", 1);
    materializeAll();
    ChangeTopicReader.Bounds before = topic.bounds();
    topic.recreate();
    tell("b", 1);
    topic.answerOnce(topic.bounds(), before);
    indexed.disconnect();
    assertThatThrownBy(() -> indexed.follow()).isInstanceOf(ChangeTopicException.class);
    assertThat(indexed.isConnected()).isFalse();
    materializeAll();

    assertThat(indexed.index().entry(key("a"))).isEmpty();
    assertThat(sequence("b")).isEqualTo(1);
    assertThat(indexed.state().topicId()).isEqualTo(topic.bounds().topicId());
  }

  /** The answers are of two topics, of which neither need be the one that there is. */
  @Test
  void doesNotBeginAnewWhenTwoAnswersAreOfDifferentTopics() {
    ChangeTopicReader.Bounds first = topic.bounds();
    topic.recreate();
    tell("a", 1);
    materializeAll();
    topic.recreate();
    ChangeTopicReader.Bounds next = topic.bounds();
    topic.answerOnce(next, first);
    assertThatThrownBy(() -> indexed.follow()).isInstanceOf(ChangeTopicException.class);

    assertThat(sequence("a")).isEqualTo(1);
    assertThat(indexed.state().note()).isEqualTo("whole first");
  }

  @Test
  void beginsAnewWhenTheTopicLostWhatComesNext() {
    tell("a", 1);
    materializeAll();
    reopen();
    tell("b", 1);
    topic.trim();
    materializeAll();

    assertThat(indexed.index().entry(key("a"))).isEmpty();
    assertThat(indexed.state().note()).isEqualTo("trimmed again");
    assertThat(indexed.state().positions()).isEqualTo(Map.of(0, 2L));
  }

  @Test
  void takesInPartitionsThatAreAddedLater() {
    tell("a", 1);
    materializeAll();
    topic.addPartition();
    Stream.of("b", "c", "d", "e").forEach(key -> tell(key, 1));
    Map<Integer, Long> ends = topic.bounds().ends();
    assertThat(ends.get(1)).isPositive();

    materializeAll();
    assertThat(indexed.hasReached(ends)).as("nobody knew of the partition").isFalse();
    materializeAll();
    assertThat(indexed.hasReached(ends)).isTrue();
    Stream.of("a", "b", "c", "d", "e").forEach(key -> assertThat(sequence(key)).isEqualTo(1));
    assertThat(indexed.state().note()).isEqualTo("whole first");
  }

  /** Not every broker knows at once of partitions that were added. */
  @Test
  void keepsItsIndexWhenABrokerDoesNotKnowAllPartitionsYet() {
    tell("a", 1);
    topic.addPartition();
    materializeAll();
    topic.setDescribedPartitions(1);

    assertThatThrownBy(() -> indexed.follow()).isInstanceOf(ChangeTopicException.class);

    topic.setDescribedPartitions(2);
    indexed.follow();
    assertThat(indexed.isCaughtUp()).isTrue();
    assertThat(sequence("a")).isEqualTo(1);
    assertThat(indexed.state().note()).isEqualTo("whole first");
  }

  /** Its first events were not materialized. */
  @Test
  void beginsAnewWhenAnAddedPartitionHasLostItsStart() {
    tell("a", 1);
    materializeAll();
    topic.addPartition();
    Stream.of("b", "c", "d", "e").forEach(key -> tell(key, 1));
    materializeAll();
    topic.trim();
    indexed.follow();

    assertThat(indexed.index().entry(key("a"))).isEmpty();
    assertThat(indexed.state().note()).isEqualTo("trimmed again");
  }

  @Test
  void readsAgainWhatItDidNotMaterializeWhenItFailed() {
    indexed.follow();
    tell("a", 1);
    topic.setAvailable(false);
    assertThatThrownBy(() -> indexed.materialize(Duration.ZERO))
        .isInstanceOf(ChangeTopicException.class);
    indexed.disconnect();
    assertThat(indexed.isConnected()).isFalse();

    topic.setAvailable(true);
    materializeAll();
    assertThat(indexed.isConnected()).isTrue();
    assertThat(sequence("a")).isEqualTo(1);
  }

  @Test
  void isOpenedWhenItsIndexIsLetGoOf() {
    materializeAll();
    IndexedTopic<NotedState> first = indexed;
    open();
    assertThatThrownBy(() -> indexed.follow()).isInstanceOf(IndexInUseException.class);
    first.close();

    indexed.follow();
    assertThat(indexed.state().note()).isEqualTo("whole first");
  }
}
