package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.People;
import io.indexview.streams.controller.actions.ActionRunner;
import io.indexview.streams.controller.actions.Activity;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.FakeCluster;
import io.indexview.streams.health.AppMetrics;
import io.indexview.views.definition.ViewDefinitionParser;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ControllerTest {
  private static final TopicPartition LEASE = new TopicPartition("lease", 0);
  private static final ControllerSettings SETTINGS =
      new ControllerSettings(
          Duration.ofMinutes(10), new Topics(Topics.DEFAULT_PREFIX), Map.of("kv", "connect-kv"));

  private final MockConsumer<byte[], byte[]> group = new Group();
  private final StopSignal stop = new StopSignal();
  private final AtomicReference<Throwable> givenUp = new AtomicReference<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger closedTopics = new AtomicInteger();
  private final AtomicInteger rounds = new AtomicInteger();
  private final List<Action> begun = new CopyOnWriteArrayList<>();

  /** Before the commit of a round. */
  private volatile Runnable trouble = () -> {};

  private volatile Runnable leaseTrouble = () -> {};

  /** What creates topics that are missing. */
  private volatile Runnable topics = () -> {};

  private volatile Activity activity = found -> Activity.waiting("");

  private final Controller controller =
      new Controller(
          this::lease,
          this::session,
          () -> topics.run(),
          stop,
          givenUp::set,
          () -> closed.set(true));

  /** Takes a moment for each answer; without one its thread would take a processor. */
  private static final class Group extends MockConsumer<byte[], byte[]> {
    Group() {
      super("earliest");
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      return super.poll(timeout);
    }
  }

  private Lease lease() {
    leaseTrouble.run();
    return new Lease(group, LEASE.topic());
  }

  private ControllerSession session() {
    ActionRunner.Factory factory =
        new ActionRunner.Factory() {
          @Override
          public Activity begin(Action action) {
            begun.add(action);
            return activity;
          }

          @Override
          public void keep(Collection<Action> wanted) {
            assertThat(Thread.currentThread().getName()).isEqualTo("indexview-controller");
          }
        };
    return new ControllerSession(
        new OneView(),
        SETTINGS,
        new ForeignPublications("app-controller", SETTINGS.topics(), new FakeCluster()),
        () -> new Publications(Map.of(), Map.of()),
        new ActionRunner(factory, Clock.systemUTC(), List.of()),
        new AppMetrics().viewStates(),
        Clock.systemUTC());
  }

  /** One view is desired. */
  private final class OneView implements ControlTopics {
    private boolean read;

    private record Nothing() implements End {}

    @Override
    public Memory open() {
      opened.incrementAndGet();
      return new Memory(List.of(), Map.of(), List.of());
    }

    @Override
    public List<ControlEvent> read(Duration pause) {
      if (read) {
        return List.of();
      }
      read = true;
      String json = new ViewDefinitionParser().parse("by-org.yaml", People.BY_ORG).toJson();
      return List.of(
          new ControlEvent.Desired(
              new ViewSpec("by-org", json, 7, BuildRequest.FIRST, 1, Optional.empty())));
    }

    @Override
    public long position() {
      return read ? 1 : 0;
    }

    @Override
    public End end() {
      return new Nothing();
    }

    @Override
    public boolean hasRead(End end) {
      return read;
    }

    @Override
    public void commit(Reconciler.Changes changes) {
      trouble.run();
      rounds.incrementAndGet();
    }

    @Override
    public void close() {
      closedTopics.incrementAndGet();
    }
  }

  private void start() {
    group.updateBeginningOffsets(Map.of(LEASE, 0L));
    controller.start();
    await().until(() -> !group.subscription().isEmpty());
  }

  private void holdLease() {
    start();
    group.rebalance(List.of(LEASE));
  }

  @AfterEach
  void endsInOrder() {
    stop.stop();
    controller.close();
    await().untilTrue(closed);
    assertThat(closedTopics).hasValue(opened.get());
  }

  private void fail(int times, RuntimeException failure) {
    trouble = failing(times, failure);
  }

  private static Runnable failing(int times, RuntimeException failure) {
    AtomicInteger left = new AtomicInteger(times);
    return () -> {
      if (left.getAndDecrement() > 0) {
        throw failure;
      }
    };
  }

  @Test
  void worksOnlyAsLongAsItHoldsTheLease() {
    start();
    group.rebalance(List.of());
    assertThat(opened).hasValue(0);

    group.rebalance(List.of(LEASE));
    await().until(() -> !begun.isEmpty());
    assertThat(begun.get(0)).isInstanceOf(Action.Freeze.class);

    group.rebalance(List.of());
    await().untilAtomic(closedTopics, org.hamcrest.Matchers.is(1));
    assertThat(controller.trouble()).isEmpty();
  }

  @Test
  void actsOnNothingThatIsNotCommitted() {
    trouble =
        () -> {
          throw new TimeoutException("no coordinator");
        };
    holdLease();

    await().until(() -> opened.get() >= 2);
    assertThat(begun).isEmpty();
  }

  @Test
  void showsAnOutageAndWaitsItOut() {
    AtomicInteger failures = new AtomicInteger();
    trouble =
        () -> {
          failures.incrementAndGet();
          throw new TimeoutException("no coordinator");
        };
    holdLease();

    await().until(() -> failures.get() > 2 && controller.trouble().contains("no coordinator"));
    trouble = () -> {};
    await().until(() -> rounds.get() > 0 && controller.trouble().isEmpty());
    assertThat(opened).hasValue(failures.get() + 1);
    assertThat(givenUp).hasNullValue();
  }

  @Test
  void saysOncePerOutageThatItWaitsAndThatItWorksAgain() {
    List<String> said;
    try (LogLines log = LogLines.of(Controller.class)) {
      fail(3, new TimeoutException("no coordinator"));
      holdLease();
      await().until(() -> rounds.get() > 1);
      fail(2, new TimeoutException("no coordinator"));
      await().until(() -> opened.get() == 6 && controller.trouble().isEmpty());
      said = log.get().stream().filter(line -> !line.contains("holds the lease")).toList();
    }

    assertThat(said).hasSize(4);
    assertThat(said.subList(0, 2)).isEqualTo(said.subList(2, 4));
    assertThat(said.get(0)).startsWith("The controller of the views waits for brokers or schema");
    assertThat(said.get(1)).isEqualTo("The controller works again");
  }

  @Test
  void saysOncePerCauseOfAnOutageThatItWaits() {
    Iterator<RuntimeException> failures =
        List.<RuntimeException>of(
                new TimeoutException("no answer after 1 tries"),
                new TimeoutException("no answer after 2 tries"),
                new RegistryException("who are you?", null),
                new TimeoutException("no answer after 3 tries"))
            .iterator();
    trouble =
        () -> {
          if (failures.hasNext()) {
            throw failures.next();
          }
        };
    try (LogLines log = LogLines.warnings(Controller.class)) {
      holdLease();
      await().until(() -> rounds.get() > 0);

      assertThat(log.get()).hasSize(2);
      assertThat(log.get().get(0)).contains("(no answer after 1 tries): see that they run");
      assertThat(log.get().get(1)).contains("(who are you?): see that they run");
    }
  }

  @Test
  void saysThatWhatItWritesIsTooLargeInPlaceOfAnOutage() {
    try (LogLines log = LogLines.warnings(Controller.class)) {
      fail(1, new KafkaException("error state", new RecordTooLargeException("2 MB, not 1")));
      holdLease();
      await().until(() -> rounds.get() > 0);

      assertThat(log.get())
          .singleElement()
          .asString()
          .contains("too large (2 MB, not 1)", "max.request.size", "max.message.bytes");
    }
  }

  /** Who stood still in the middle of a commit is told the latter. */
  static Stream<RuntimeException> takenOver() {
    return Stream.of(
        new ProducerFencedException("there is a newer one"),
        new InvalidProducerEpochException("an old epoch"),
        new InvalidTxnStateException("an operation in an invalid state"));
  }

  @ParameterizedTest
  @MethodSource("takenOver")
  void beginsAnewOnlyWithTheLeaseWhenAnotherProcessTookOver(RuntimeException failure) {
    fail(1, failure);
    holdLease();

    await().until(() -> group.assignment().isEmpty() && !group.subscription().isEmpty());
    CountDownLatch polled = new CountDownLatch(2);
    group.schedulePollTask(polled::countDown);
    group.schedulePollTask(polled::countDown);
    await().until(() -> polled.getCount() == 0);
    assertThat(opened).as("it does not hold the lease any more").hasValue(1);

    group.rebalance(List.of(LEASE));
    await().until(() -> rounds.get() > 0);
    assertThat(opened).hasValue(2);
  }

  @Test
  void waitsOutAnOutageThatKeepsItFromAskingForTheLease() {
    leaseTrouble = failing(2, new KafkaException("no resolvable bootstrap urls"));
    holdLease();

    await().until(() -> rounds.get() > 0 && controller.trouble().isEmpty());
    assertThat(givenUp).hasNullValue();
  }

  @Test
  void createsTheTopicOfTheLeaseForOthersToo() {
    AtomicInteger polls = new AtomicInteger();
    topics = polls::incrementAndGet;
    start();
    group.rebalance(List.of());

    await().until(() -> polls.get() > 1);
    assertThat(opened).hasValue(0);
  }

  @Test
  void createsTopicsThatItsSessionReadsBeforeTheNextOne() {
    AtomicBoolean isThere = new AtomicBoolean();
    trouble =
        () -> {
          if (!isThere.get()) {
            throw new UnknownTopicOrPartitionException("there is no topic of reports");
          }
        };
    topics = () -> isThere.set(opened.get() > 0);
    holdLease();

    await().until(() -> rounds.get() > 0);
    assertThat(opened).hasValue(2);
  }

  @Test
  void failureThatDoesNotPassEndsTheApplication() {
    fail(Integer.MAX_VALUE, new IllegalStateException("a bug"));
    holdLease();

    await().until(() -> givenUp.get() != null);
    assertThat(givenUp.get()).hasMessage("a bug");
    assertThat(opened).hasValueGreaterThan(1);
    assertThat(controller.trouble()).contains("a bug");
  }

  @Test
  void errorEndsTheApplicationAtOnce() {
    trouble =
        () -> {
          throw new NoClassDefFoundError("a native library");
        };
    holdLease();

    await().until(() -> givenUp.get() instanceof NoClassDefFoundError);
    assertThat(opened).hasValue(1);
  }

  @Test
  void endsAlthoughAnActionHangs() {
    CountDownLatch hanging = new CountDownLatch(1);
    activity =
        found -> {
          try {
            hanging.countDown();
            new CountDownLatch(1).await();
          } catch (InterruptedException e) {
            throw new InterruptException(e);
          }
          return Activity.waiting("");
        };
    holdLease();
    await().until(() -> hanging.getCount() == 0);

    stop.stop();
    controller.close(Duration.ofMillis(100));

    await().untilTrue(closed);
  }
}
