package io.indexview.connect.s3.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ReceiversTest {
  private static final Duration VISIBILITY = Duration.ofSeconds(60);

  private final ManualClock clock = new ManualClock();
  private final FakeEventQueue queue = new FakeEventQueue(clock);
  private final InFlightMessages inFlight = new InFlightMessages(VISIBILITY, () -> {}, clock);
  private final List<QueueMessage> arrived = new ArrayList<>();
  private final Receivers receivers =
      new Receivers(
          queue, inFlight, settings(2, 20), backoff(), clock, Runnable::run, arrived::addAll);

  private static Receivers.Settings settings(int receivers, int maxInFlight) {
    return new Receivers.Settings(receivers, maxInFlight, Duration.ofSeconds(10), VISIBILITY);
  }

  private static Backoff backoff() {
    return new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), () -> 0.5);
  }

  @Test
  void stopsReceivingWhenEnoughIsInFlightAndGoesOnWhenThereIsRoom() {
    for (int i = 0; i < 50; i++) {
      queue.send("m" + i, "");
    }

    receivers.fill();
    assertThat(arrived).hasSize(20);

    arrived.subList(0, 10).forEach(message -> inFlight.released(message.id()));
    receivers.fill();
    assertThat(arrived).hasSize(30);
    assertThat(receivers.answering()).isTrue();
  }

  @Test
  void stopsReceivingWhileMuchIsToBeRead() {
    String large = "x".repeat(1 << 20);
    for (int i = 0; i < 40; i++) {
      queue.send("m" + i, large);
    }

    receivers(1_000).fill();
    assertThat(arrived).hasSize(20);
    for (QueueMessage message : List.copyOf(arrived).subList(0, 4)) {
      inFlight.dispatched(message.id(), 1);
    }
    assertThat(inFlight.unread()).isEqualTo(16L << 20);
    receivers(1_000).fill();
    assertThat(arrived).hasSize(20);

    inFlight.released(arrived.get(4).id());
    receivers(1_000).fill();
    assertThat(arrived).hasSize(30);
  }

  private Receivers receivers(int maxInFlight) {
    return new Receivers(
        queue,
        inFlight,
        settings(2, maxInFlight),
        backoff(),
        clock,
        Runnable::run,
        arrived::addAll);
  }

  @Test
  void waitsAfterAFailureAndSaysThatNobodyAnswers() {
    queue.send("a", "");
    queue.failNext(new AwsRequestException.Unavailable("no network", null));

    receivers.fill();
    assertThat(receivers.answering()).isFalse();
    assertThat(arrived).isEmpty();

    clock.pass(Duration.ofMillis(200));
    receivers.fill();
    assertThat(arrived).hasSize(1);
    assertThat(receivers.answering()).isTrue();
  }

  @Test
  void givesUpWhenNothingWillWork() {
    AwsRequestException.Permanent denied = new AwsRequestException.Permanent("denied", null);
    queue.failNext(denied);

    receivers.fill();

    assertThat(receivers.failure()).isSameAs(denied);
    queue.send("a", "");
    receivers.fill();
    assertThat(arrived).isEmpty();
  }

  @Test
  void opensMoreRequestsWhileAnswersAreFullAndFewerWhileTheyAreEmpty() {
    OpenRequests requests = new OpenRequests();
    Receivers many =
        new Receivers(
            requests,
            inFlight,
            settings(6, 1_000),
            backoff(),
            clock,
            Runnable::run,
            arrived::addAll);

    many.fill();
    assertThat(requests.waiting()).isEqualTo(1);
    requests.answer(10);
    assertThat(requests.waiting()).isEqualTo(2);
    requests.answer(10);
    assertThat(requests.waiting()).isEqualTo(4);
    requests.answer(3);
    assertThat(requests.waiting()).isEqualTo(4);
    requests.answer(10);
    assertThat(requests.waiting()).isEqualTo(6);

    for (int left = 5; left > 0; left--) {
      requests.answer(0);
      assertThat(requests.waiting()).isEqualTo(left);
    }
    requests.answer(0);
    assertThat(requests.waiting()).isEqualTo(1);
  }

  @Test
  void endsWhenTheMessagesOfTheLastAnswerAreInFlight() {
    OpenRequests requests = new OpenRequests();
    Receivers one =
        new Receivers(
            requests,
            inFlight,
            settings(6, 1_000),
            backoff(),
            clock,
            Runnable::run,
            arrived::addAll);
    one.fill();

    CompletableFuture<Void> ended = one.end();
    assertThat(ended).isNotDone();
    requests.answer(10);

    assertThat(ended).isDone();
    assertThat(requests.waiting()).isZero();
    assertThat(inFlight.unfinished()).hasSize(10);
    one.fill();
    assertThat(requests.waiting()).isZero();
  }

  /** What came is done at once, but more like it may wait in the queue. */
  @Test
  void hasPublishedUntilTheOldestMessageOfTheLastAnswerWasSentUntilALongPollBringsNone() {
    OpenRequests requests = new OpenRequests();
    Receivers one =
        new Receivers(
            requests,
            inFlight,
            settings(1, 1_000),
            backoff(),
            clock,
            Runnable::run,
            messages -> messages.forEach(message -> inFlight.dispatched(message.id(), 0)));
    one.fill();
    requests.answer(0);
    assertThat(one.answering()).isTrue();
    assertThat(one.publishedUntil(clock.instant())).isEmpty();

    requests.answer(9);
    assertThat(one.publishedUntil(clock.instant())).contains(Instant.ofEpochSecond(0));
    requests.answer(10);
    assertThat(one.publishedUntil(clock.instant())).contains(Instant.ofEpochSecond(9));

    requests.answer(0);
    assertThat(one.publishedUntil(clock.instant())).contains(clock.instant());

    requests.fail();
    assertThat(one.publishedUntil(clock.instant())).isEmpty();
  }

  @Test
  void hasPublishedUntilTheOldestMessageInFlightWasSent() {
    Instant sentAt = clock.instant();
    queue.send("a", "");
    clock.pass(Duration.ofHours(2));
    queue.send("b", "");
    receivers.fill();
    inFlight.dispatched("a", 1);
    inFlight.dispatched("b", 0);

    assertThat(receivers.publishedUntil(clock.instant())).contains(sentAt);
  }

  @Test
  void countsAsAnsweringOnceTheMessagesAreInFlight() {
    List<Receivers> one = new ArrayList<>();
    List<Boolean> before = new ArrayList<>();
    InFlightMessages noted =
        new InFlightMessages(
            VISIBILITY,
            () -> {},
            new Time() {
              @Override
              public Instant instant() {
                return clock.instant();
              }

              @Override
              public long nanoTime() {
                before.add(one.get(0).answering());
                return clock.nanoTime();
              }
            });
    one.add(
        new Receivers(
            queue, noted, settings(1, 1_000), backoff(), clock, Runnable::run, arrived::addAll));
    queue.send("a", "");

    one.get(0).fill();

    assertThat(before).containsExactly(false);
    assertThat(one.get(0).answering()).isTrue();
  }

  @Test
  void endsAtOnceWhenNothingIsOpen() {
    assertThat(receivers.end()).isDone();
  }

  /** Receive requests that are answered when a test says so. */
  private static final class OpenRequests implements EventQueue {
    private final Deque<CompletableFuture<List<QueueMessage>>> open = new ArrayDeque<>();
    private int sent;

    int waiting() {
      return open.size();
    }

    void answer(int messages) {
      List<QueueMessage> batch = new ArrayList<>();
      for (int i = 0; i < messages; i++) {
        batch.add(new QueueMessage("m" + sent, "r", "", Instant.ofEpochSecond(sent)));
        sent++;
      }
      open.remove().complete(batch);
    }

    void fail() {
      open.remove().completeExceptionally(new AwsRequestException.Unavailable("no network", null));
    }

    @Override
    public CompletableFuture<List<QueueMessage>> receive(Duration wait, Duration visibility) {
      open.add(new CompletableFuture<>());
      return open.getLast();
    }

    @Override
    public CompletableFuture<Outcome> deleteBatch(List<Receipt> receipts) {
      throw new UnsupportedOperationException("only receives");
    }

    @Override
    public CompletableFuture<Outcome> extendVisibility(
        List<Receipt> receipts, Duration visibility) {
      throw new UnsupportedOperationException("only receives");
    }

    @Override
    public CompletableFuture<OptionalInt> maxReceives() {
      throw new UnsupportedOperationException("only receives");
    }

    @Override
    public void close() {
      open.clear();
    }
  }
}
