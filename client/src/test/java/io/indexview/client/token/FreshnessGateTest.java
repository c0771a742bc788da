package io.indexview.client.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.client.token.FreshnessGate.NotVisibleException;
import io.indexview.client.token.FreshnessToken.InvalidFreshnessTokenException;
import io.indexview.client.token.PipelinePositions.RejectedRecord;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.progress.GroupProgress.Taken;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class FreshnessGateTest {
  private static final Topics TOPICS = new Topics("indexview");
  private static final Schema SCHEMA =
      SchemaBuilder.record("Person").fields().requiredString("org").endRecord();
  private static final RecordSet PEOPLE =
      new RecordSet("people", "changes", RecordFormat.ENVELOPE, List.of(), SCHEMA);
  static final ViewGeneration GENERATION =
      ViewGeneration.freeze(
          new ViewDefinitionParser()
              .parse("v.yaml", "name: v\nsource: people\nkey: [org]\ntarget: kv\n"),
          1,
          PEOPLE,
          TOPICS);
  private static final ViewMetadata VIEW =
      new ViewMetadata(
          "v",
          "uid-1",
          1,
          0,
          ViewState.State.READY,
          "",
          "people",
          "connect-sink",
          List.of(new ViewMetadata.Generation(ViewState.Role.SERVING, GENERATION)),
          ViewState.Freshness.UNKNOWN);
  private static final RecordSetInfo INFO =
      new RecordSetInfo(
          "people", "changes", 4, "envelope", List.of(), "{}", "the-app", Set.of(), Set.of(), 0);
  private static final TopicPartition SOURCE = new TopicPartition("changes", 2);
  private static final TopicPartition ROWS = new TopicPartition("indexview.view.kv.v.1", 2);
  private static final FreshnessToken TOKEN = new FreshnessToken("changes", 2, 10);
  private static final Duration LONG = Duration.ofMinutes(1);

  private final FakePositions positions = new FakePositions();
  private final FreshnessGate gate = new FreshnessGate(positions, TOPICS, () -> List.of(INFO));

  /** Answers with one position after the other, the last again and again. */
  private static final class FakePositions implements PipelinePositions {
    private final Deque<Long> committed = new ArrayDeque<>(List.of(11L));
    private final Deque<Taken> taken = new ArrayDeque<>(List.of(new Taken(5, 5)));
    private final AtomicInteger polls = new AtomicInteger();
    private final List<String> calls = new ArrayList<>();
    private final List<RejectedRecord> deadLetters = new ArrayList<>();
    private final Map<ByteBuffer, Long> later = new HashMap<>();
    private Uuid topicId = Uuid.randomUuid();
    private long end = 100;
    private long readAtOnce = 1_000;

    private static <T> T next(Deque<T> answers) {
      return answers.size() == 1 ? answers.element() : answers.remove();
    }

    @Override
    public Optional<Topic> topic(String name) {
      return topicId == null ? Optional.empty() : Optional.of(new Topic(topicId, 4));
    }

    @Override
    public long end(TopicPartition partition) {
      return end;
    }

    @Override
    public synchronized OptionalLong committed(String group, TopicPartition partition) {
      assertThat(group).isEqualTo("the-app");
      if (!partition.equals(SOURCE)) {
        return OptionalLong.empty();
      }
      polls.incrementAndGet();
      long offset = next(committed);
      calls.add("app " + offset);
      return offset < 0 ? OptionalLong.empty() : OptionalLong.of(offset);
    }

    @Override
    public synchronized Taken taken(String group, TopicPartition partition) {
      assertThat(group).isEqualTo("connect-sink");
      assertThat(partition).isEqualTo(ROWS);
      Taken answer = next(taken);
      calls.add("sink " + answer.upTo());
      return answer;
    }

    @Override
    public synchronized void newDeadLetters(String topic, Consumer<RejectedRecord> taker) {
      assertThat(topic).isEqualTo("indexview.dead-letters.kv");
      calls.add("dead letters");
      deadLetters.forEach(taker);
      deadLetters.clear();
    }

    @Override
    public long keys(
        TopicPartition partition, long from, long to, ObjLongConsumer<ByteBuffer> taker) {
      assertThat(partition).isEqualTo(ROWS);
      long reached = Math.min(to, from + readAtOnce);
      later.forEach(
          (key, offset) -> {
            if (offset >= from && offset < reached) {
              taker.accept(key, offset);
            }
          });
      return reached;
    }

    @Override
    public void close() {
      // Nothing to close.
    }
  }

  @Test
  void letsAWriteThroughThatIsApplied() {
    assertThatCode(() -> gate.await(TOKEN, VIEW, Duration.ZERO)).doesNotThrowAnyException();

    assertThat(positions.calls).containsExactly("app 11", "sink 5", "dead letters");
  }

  @Test
  void waitsForTheApplicationAndThenForTheSink() {
    positions.committed.clear();
    positions.committed.addAll(List.of(-1L, 3L, 10L, 11L));
    positions.taken.clear();
    // What is written after the application was seen need not be applied.
    positions.taken.addAll(List.of(new Taken(3, 8), new Taken(7, 9), new Taken(8, 12)));

    gate.await(TOKEN, VIEW, LONG);

    assertThat(positions.calls)
        .containsExactly(
            "app -1", "app 3", "app 10", "app 11", "sink 3", "sink 7", "sink 8", "dead letters");
  }

  @Test
  void saysWhoHasNotGotThereInTime() {
    positions.taken.clear();
    positions.taken.add(new Taken(3, 8));
    assertThatExceptionOfType(NotVisibleException.class)
        .isThrownBy(() -> gate.await(TOKEN, VIEW, Duration.ofMillis(20)))
        .withMessageContaining("connect-sink")
        .withMessageContaining("offset 3 of 8")
        .withMessageContaining(TOKEN.toString());

    positions.committed.clear();
    positions.committed.add(10L);
    assertThatExceptionOfType(NotVisibleException.class)
        .isThrownBy(() -> gate.await(TOKEN, VIEW, Duration.ofMillis(20)))
        .withMessageContaining("the-app")
        .withMessageContaining("offset 10");
  }

  private static RejectedRecord deadLetter(TopicPartition row, long offset, String key) {
    return new RejectedRecord(row, offset, bytes(key), "it is too large");
  }

  private static ByteBuffer bytes(String key) {
    return ByteBuffer.wrap(key.getBytes(StandardCharsets.UTF_8));
  }

  private Optional<String> takenUpTo(long end) {
    positions.taken.clear();
    positions.taken.add(new Taken(end, end));
    return gate.await(TOKEN, VIEW, Duration.ZERO);
  }

  /** Taken is not applied: the state will say so, but perhaps not yet. */
  @Test
  void tellsOfARowThatTheSinkCouldNotApply() {
    positions.deadLetters.add(deadLetter(ROWS, 3, "a"));

    assertThat(takenUpTo(5).orElseThrow()).contains("indexview.view.kv.v.1-2@3", "it is too large");
    assertThat(takenUpTo(6)).isPresent();
  }

  @Test
  void forgetsARowOnceALaterOneOfItsKeyWasApplied() {
    positions.deadLetters.add(deadLetter(ROWS, 3, "a"));
    positions.deadLetters.add(deadLetter(ROWS, 4, "b"));
    assertThat(takenUpTo(6)).isPresent();

    positions.later.put(bytes("a"), 6L);
    assertThat(takenUpTo(7).orElseThrow()).contains("@4");
    positions.later.put(bytes("b"), 7L);
    assertThat(takenUpTo(8)).isEmpty();
  }

  @Test
  void goesOnWhereTheSearchForALaterRowDidNotGetThereInTime() {
    positions.deadLetters.add(deadLetter(ROWS, 3, "a"));
    positions.later.put(bytes("a"), 10L);
    positions.readAtOnce = 4;

    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(() -> takenUpTo(14))
        .withMessageContaining("offset 8 of 14");
    assertThat(takenUpTo(14)).isEmpty();
  }

  /** A row that was rejected, and then another of its key: the later one counts. */
  @Test
  void tellsOfALaterRowThatCouldNotBeAppliedEither() {
    positions.deadLetters.add(deadLetter(ROWS, 3, "a"));
    positions.deadLetters.add(deadLetter(ROWS, 6, "a"));
    positions.later.put(bytes("a"), 6L);

    assertThat(takenUpTo(8).orElseThrow()).contains("@6");
  }

  @Test
  void caresNotForRowsOfOtherPartitionsAndGenerations() {
    positions.deadLetters.add(deadLetter(new TopicPartition(ROWS.topic(), 1), 3, "a"));
    positions.deadLetters.add(deadLetter(new TopicPartition("indexview.view.kv.v.2", 2), 3, "a"));

    assertThat(takenUpTo(5)).isEmpty();
  }

  @Test
  void refusesATokenOfOtherRecords() {
    assertThatExceptionOfType(InvalidFreshnessTokenException.class)
        .isThrownBy(() -> gate.await(new FreshnessToken("files", 2, 10), VIEW, LONG))
        .withMessageContaining("files")
        .withMessageContaining("people");
  }

  @Test
  void refusesATokenThatNoTopicHolds() {
    positions.committed.clear();
    positions.committed.add(3L);
    positions.end = 10;
    refuses(TOKEN, "ends at offset 10");
    refuses(new FreshnessToken("changes", 4, 1), "has 4 partitions");
    positions.topicId = null;
    refuses(TOKEN, "no such topic");
  }

  @Test
  void refusesATokenOfATopicThatWasCreatedAnew() {
    FreshnessToken old = new FreshnessToken("changes", Optional.of(positions.topicId), 2, 10);
    gate.await(old, VIEW, Duration.ZERO);

    positions.topicId = Uuid.randomUuid();

    refuses(old, "created anew");
  }

  private void refuses(FreshnessToken token, String cause) {
    assertThatExceptionOfType(InvalidFreshnessTokenException.class)
        .isThrownBy(() -> gate.await(token, VIEW, LONG))
        .withMessageContaining(cause);
  }

  @Test
  void saysThatNoApplicationIsKnown() {
    FreshnessGate unknown = new FreshnessGate(positions, TOPICS, List::of);

    assertThatExceptionOfType(NotVisibleException.class)
        .isThrownBy(() -> unknown.await(TOKEN, VIEW, Duration.ofMillis(20)))
        .withMessageContaining("has published record set \"people\" yet");
  }

  /** An application that runs publishes again what was lost with its topic. */
  @Test
  void waitsForTheRecordSetThatIsPublishedAgain() {
    Deque<List<RecordSetInfo>> published = new ArrayDeque<>(List.of(List.of(), List.of(INFO)));
    FreshnessGate again = new FreshnessGate(positions, TOPICS, published::remove);

    again.await(TOKEN, VIEW, LONG);

    assertThat(positions.calls).containsExactly("app 11", "sink 5", "dead letters");
  }

  @Test
  void sharesPollsBetweenThoseWhoWait() throws InterruptedException, ExecutionException {
    int waiting = 16;
    int rounds = 40;
    positions.committed.clear();
    for (int i = 0; i < rounds; i++) {
      positions.committed.add(3L);
    }
    positions.committed.add(11L);
    ExecutorService threads = Executors.newFixedThreadPool(waiting);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < waiting; i++) {
        all.add(threads.submit(() -> gate.await(TOKEN, VIEW, LONG)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(positions.polls.get()).isLessThan(rounds + 2 * waiting);
  }
}
