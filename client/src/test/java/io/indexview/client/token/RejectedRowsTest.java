package io.indexview.client.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.Topics;
import io.indexview.schemas.progress.GroupProgress.Taken;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class RejectedRowsTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);
  private static final ViewGeneration GENERATION = FreshnessGateTest.GENERATION;
  private static final ViewGeneration OF_ANOTHER_TARGET =
      ViewGeneration.freeze(
          new ViewDefinitionParser()
              .parse("w.yaml", "name: w\nsource: people\nkey: [org]\ntarget: warehouse\n"),
          1,
          GENERATION.recordSet(),
          TOPICS);

  private final OneReader positions = new OneReader();
  private final RejectedRows rows = new RejectedRows(positions, TOPICS);

  /** One searches for later rows while dead letters come for another one. */
  @Test
  void concurrentReadsDoNotDeadlock() throws InterruptedException {
    Thread searching = new Thread(() -> rows.in(GENERATION, 0, 5));
    Thread following = new Thread(() -> rows.in(GENERATION, 0, 5));
    positions.following = following;
    searching.start();
    assertThat(positions.searches.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    following.start();

    searching.join(TIMEOUT.toMillis());
    following.join(TIMEOUT.toMillis());

    assertThat(searching.isAlive() || following.isAlive()).isFalse();
  }

  /** As where a partition of its dead-letter topic has no leader. */
  @Test
  void holdsUpNoReadsOfOtherTargetsWhileTheDeadLettersOfOneDoNotAnswer()
      throws InterruptedException {
    positions.silent = TOPICS.deadLetters(GENERATION.definition().target().type());
    Thread waiting = new Thread(() -> rows.in(GENERATION, 0, 5));
    waiting.start();
    assertThat(positions.asked.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();

    try {
      assertThat(CompletableFuture.supplyAsync(() -> rows.in(OF_ANOTHER_TARGET, 0, 5)))
          .succeedsWithin(TIMEOUT);
    } finally {
      positions.answers.countDown();
      waiting.join(TIMEOUT.toMillis());
    }
    assertThat(waiting.isAlive()).isFalse();
  }

  /** As Kafka's consumer, which is for one thread at a time. */
  private static final class OneReader implements PipelinePositions {
    private final Object reader = new Object();
    private final CountDownLatch searches = new CountDownLatch(1);
    private final CountDownLatch reads = new CountDownLatch(2);
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answers = new CountDownLatch(1);
    private volatile Thread following;
    private volatile String silent;

    @Override
    public void newDeadLetters(String topic, Consumer<RejectedRecord> taker) {
      if (topic.equals(silent)) {
        asked.countDown();
        await().atMost(TIMEOUT).until(() -> answers.getCount() == 0);
        return;
      }
      synchronized (reader) {
        reads.countDown();
        TopicPartition row = new TopicPartition(GENERATION.viewTopic(), 0);
        taker.accept(new RejectedRecord(row, 2 - reads.getCount(), ByteBuffer.allocate(1), "late"));
      }
    }

    @Override
    public long keys(
        TopicPartition partition, long from, long to, ObjLongConsumer<ByteBuffer> taker) {
      searches.countDown();
      await()
          .atMost(TIMEOUT)
          .until(() -> reads.getCount() == 0 || following.getState() == Thread.State.BLOCKED);
      synchronized (reader) {
        return to;
      }
    }

    @Override
    public Optional<Topic> topic(String name) {
      return Optional.empty();
    }

    @Override
    public long end(TopicPartition partition) {
      return 0;
    }

    @Override
    public OptionalLong committed(String group, TopicPartition partition) {
      return OptionalLong.empty();
    }

    @Override
    public Taken taken(String group, TopicPartition partition) {
      return new Taken(0, 0);
    }

    @Override
    public void close() {
      // Nothing to close.
    }
  }
}
