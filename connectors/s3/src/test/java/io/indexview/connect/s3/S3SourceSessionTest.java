package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.index.ChangeTopic;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.queue.FakeEventQueue;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a session does while time passes. */
class S3SourceSessionTest {
  private static final String TOPIC = "indexview.changes.files";
  private static final Duration VISIBILITY = Duration.ofSeconds(60);
  private static final Duration BACKOFF = Duration.ofSeconds(10);

  private final ManualClock clock = new ManualClock();
  private final FakeEventQueue queue = new FakeEventQueue(clock);
  private final FakeObjectStore objects = new FakeObjectStore();

  /** Reads that wait in {@link #blockHeads}, and those that waited. */
  private final AtomicInteger looking = new AtomicInteger();

  private S3SourceSession session;

  @AfterEach
  void close() {
    session.close();
  }

  private void start() {
    start(Executors.newSingleThreadScheduledExecutor());
  }

  private void start(ScheduledExecutorService thread) {
    Map<String, String> properties =
        new HashMap<>(
            Map.of(
                "source.name", "files",
                "s3.topic", TOPIC,
                "aws.region", "eu-central-1",
                "sqs.queue.url", "http://localhost:9324/queue/events",
                "sqs.receive.wait.ms", "0",
                "sqs.visibility.timeout.ms", Long.toString(VISIBILITY.toMillis()),
                "heartbeat.interval.ms", "10",
                "kafka.bootstrap.servers", "127.0.0.1:1",
                "schema.registry.url", "mock://s3"));
    properties.put("retry.backoff.initial.ms", Long.toString(BACKOFF.toMillis()));
    properties.put("retry.backoff.max.ms", Long.toString(BACKOFF.toMillis()));
    session =
        new S3SourceSession(
            new S3SourceTaskConfig(S3SourceTaskConfig.taskProperties(properties, List.of(), 0, 1)),
            new SourceClients(
                queue,
                objects,
                ChangeTopic.UNREACHABLE,
                InMemorySchemaRegistry.shared("s3"),
                Optional.empty()),
            Map.of(),
            clock,
            thread);
    session.start();
  }

  private List<SourceRecord> poll() throws InterruptedException {
    List<SourceRecord> records = session.poll();
    return records == null ? List.of() : records;
  }

  /** Polls until so many change events have come. */
  private List<SourceRecord> changes(int count) {
    List<SourceRecord> changes = new ArrayList<>();
    await()
        .until(
            () -> {
              poll().stream().filter(r -> r.topic().equals(TOPIC)).forEach(changes::add);
              return changes.size() >= count;
            });
    return changes;
  }

  /** The same, while time passes: a pause may begin only when its failure has come back. */
  private List<SourceRecord> changesLater(int count) {
    List<SourceRecord> changes = new ArrayList<>();
    await()
        .until(
            () -> {
              clock.pass(BACKOFF);
              poll().stream().filter(r -> r.topic().equals(TOPIC)).forEach(changes::add);
              return changes.size() >= count;
            });
    return changes;
  }

  private void acknowledge(SourceRecord record) {
    session.acknowledged(record, new RecordMetadata(new TopicPartition(TOPIC, 0), 0, 0, 0, 0, 0));
  }

  private boolean beats() throws InterruptedException {
    return poll().stream().anyMatch(record -> record.topic().endsWith("source-states"));
  }

  /** What the next heartbeat says. */
  private Struct nextBeat() {
    List<SourceRecord> states = new ArrayList<>();
    await()
        .until(
            () -> {
              poll().stream()
                  .filter(record -> record.topic().endsWith("source-states"))
                  .forEach(states::add);
              return !states.isEmpty();
            });
    return (Struct) states.get(0).value();
  }

  private boolean hasPublishedAll() {
    clock.pass(Duration.ofSeconds(1));
    return nextBeat().getInt64("publishedUntil") == clock.millis();
  }

  @Test
  void sendsHeartbeatsAfterClockWasSetBack() {
    start(new UntimedThread());
    await().until(this::beats);

    clock.setBack(Duration.ofHours(1));
    clock.pass(Duration.ofMillis(10));

    await().until(this::beats);
  }

  @Test
  void deletesAtOnceWhatFillsARequest() throws Exception {
    for (int i = 0; i < 10; i++) {
      queue.send("m" + i, Notifications.created("alice_" + i, "0A"));
    }
    UntimedThread thread = new UntimedThread();
    start(thread);
    List<SourceRecord> created = changes(10);
    created.subList(0, 9).forEach(this::acknowledge);
    // All that was begun before has been done.
    thread.submit(() -> {}).get();
    assertThat(queue.deleted()).isEmpty();

    acknowledge(created.get(9));

    await().untilAsserted(() -> assertThat(queue.deleted()).hasSize(10));
  }

  @Test
  void endsTheTaskWhenItsOwnThreadMeetsAnError() {
    queue.breakDown(new NoClassDefFoundError("a/b/Missing"));
    start();

    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> session.poll())
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("a/b/Missing")
                    .hasRootCauseInstanceOf(NoClassDefFoundError.class));
  }

  @Test
  void letsOthersHaveAtOnceWhatItDidNotFinish() {
    queue.send("m1", Notifications.created("alice_a", "0A"));
    queue.send("m2", Notifications.created("alice_b", "0B"));
    start();
    List<SourceRecord> created = changes(2);
    acknowledge(created.get(0));

    session.close();

    assertThat(queue.deleted()).hasSize(1);
    assertThat(queue.receive(Duration.ZERO, VISIBILITY).join()).hasSize(1);
    acknowledge(created.get(1));
  }

  /** Does once what is to be done again and again. */
  private static final class UntimedThread extends ScheduledThreadPoolExecutor {
    private UntimedThread() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        Runnable command, long initialDelay, long delay, TimeUnit unit) {
      return schedule(command, initialDelay, unit);
    }
  }

  @Test
  void keepsAVersionRemovalUntilItCanReadAgain() {
    objects.fail(new AwsRequestException.Unavailable("no network", null));
    queue.send("m1", Notifications.versionRemoved("alice_gone.txt", "0A"));
    queue.send("m2", Notifications.versionRemoved("bob_gone.txt", "0B"));
    queue.send("m3", Notifications.created("carol_new.txt", "0C"));
    start();

    assertThat(changes(1)).extracting(SourceRecord::key).containsExactly("documents/carol_new.txt");
    await().until(() -> objects.heads() >= 1);
    int extensions = queue.extensions();
    clock.pass(VISIBILITY.minusSeconds(1));
    await().until(() -> queue.extensions() >= extensions + 3);
    objects.fail(null);

    List<SourceRecord> late = changesLater(2);
    assertThat(late)
        .extracting(SourceRecord::key)
        .containsExactlyInAnyOrder("documents/alice_gone.txt", "documents/bob_gone.txt");
    late.forEach(this::acknowledge);
    await().untilAsserted(() -> assertThat(queue.deleted()).containsExactlyInAnyOrder("m1", "m2"));
  }

  @Test
  void sendsNoHeartbeatWhileTheObjectStoreDoesNotAnswer() throws InterruptedException {
    objects.fail(new AwsRequestException.Unavailable("no network", null));
    queue.send("m1", Notifications.versionRemoved("alice_gone.txt", "0A"));
    start();
    awaitHeads(1);
    await().until(() -> !beatsLater());
    for (int i = 0; i < 5; i++) {
      assertThat(beatsLater()).isFalse();
    }

    objects.fail(null);

    await().until(this::beatsLater);
  }

  private boolean beatsLater() throws InterruptedException {
    clock.pass(Duration.ofSeconds(1));
    return beats();
  }

  /** To answer that nobody may read an object is an answer. */
  @Test
  void sendsHeartbeatsAgainOnceTheObjectStoreAnswersThoughAReadIsOpen() {
    objects.failNext(new AwsRequestException.Unavailable("no network", null));
    objects.refuse("alice_gone.txt");
    queue.send("m1", Notifications.versionRemoved("alice_gone.txt", "0A"));
    start();
    awaitHeads(1);
    await().until(() -> !beatsLater());
    clock.pass(BACKOFF);
    awaitHeads(2);
    CountDownLatch answer = blockHeads();
    queue.send("m2", Notifications.versionRemoved("bob_gone.txt", "0A"));

    await().until(this::beatsLater);
    answer.countDown();
  }

  private void awaitHeads(int count) {
    await()
        .until(
            () -> {
              poll();
              return objects.heads() == count;
            });
  }

  /** Nobody gets to know what there is until the latch is counted down. */
  private CountDownLatch blockHeads() {
    CountDownLatch answer = new CountDownLatch(1);
    objects.onHead(
        () -> {
          looking.incrementAndGet();
          awaitUninterruptibly(answer);
        });
    return answer;
  }

  /** There is always something that Kafka does not have yet. */
  @Test
  void heartbeatsTellTheOldestMessageWhileObjectsAreRead() {
    CountDownLatch answer = blockHeads();
    long sentAt = clock.millis();
    queue.send("m1", Notifications.versionRemoved("alice_gone.txt", "0A"));
    start();
    await()
        .until(
            () -> {
              poll();
              return looking.get() == 1;
            });

    clock.pass(Duration.ofSeconds(1));

    Struct beat = nextBeat();
    assertThat(beat.getInt64("heartbeatAt")).isEqualTo(clock.millis());
    assertThat(beat.getInt64("publishedUntil")).isEqualTo(sentAt);
    answer.countDown();
    changes(1).forEach(this::acknowledge);
    await().until(this::hasPublishedAll);
  }

  @Test
  void tellsHowOldTheMessagesOfTheQueueAreHoweverFastTheyAreTaken() {
    long sentAt = clock.millis();
    for (int i = 0; i < 100; i++) {
      queue.send("m" + i, Notifications.created("alice_" + i, "0A"));
    }
    clock.pass(Duration.ofHours(3));
    start();

    List<SourceRecord> created = changes(100);
    clock.pass(Duration.ofSeconds(1));
    Struct beat = nextBeat();
    assertThat(beat.getInt64("heartbeatAt")).isEqualTo(clock.millis());
    assertThat(beat.getInt64("publishedUntil")).isEqualTo(sentAt);

    created.forEach(this::acknowledge);
    await().until(this::hasPublishedAll);
  }

  @Test
  void looksAtSeveralObjectsAtOnceAndHandsOverTheRestMeanwhile() throws InterruptedException {
    CountDownLatch answer = blockHeads();
    for (int i = 0; i < 20; i++) {
      queue.send("m" + i, Notifications.versionRemoved("alice_" + i, "0A"));
    }
    queue.send("m20", Notifications.created("bob_new.txt", "0B"));
    start();

    assertThat(changes(1)).extracting(SourceRecord::key).containsExactly("documents/bob_new.txt");
    await().until(() -> looking.get() == 16);
    answer.countDown();

    assertThat(changes(20)).hasSize(20);
  }

  /** It has a problem, and is none. */
  @Test
  void doesNotCountTheQueueAsABucket() throws InterruptedException {
    FakeSourceContext context = new FakeSourceContext();
    start();
    session.addMetrics(context.pluginMetrics());
    for (int minute = 0; minute < 6; minute++) {
      poll();
      clock.pass(Duration.ofMinutes(1));
    }

    assertThat(nextBeat().getString("problem")).contains(TOPIC);
    assertThat(context.metric("incomplete-buckets")).isZero();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
