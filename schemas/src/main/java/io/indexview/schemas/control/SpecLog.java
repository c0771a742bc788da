package io.indexview.schemas.control;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable.Contents;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The one way to write {@code view-definitions}: each change is a compare-and-set, whatever number
 * of processes make them. All writers share one transactional id, so whoever starts a change fences
 * those before; then it reads the topic to its end, checks, and commits, which fails if it was
 * fenced itself meanwhile. Safe for use by several threads, whose changes wait for each other.
 *
 * <p>All methods throw {@link KafkaException} if the cluster, and {@link
 * io.indexview.schemas.registry.RegistryException} if the registry does not answer; a change may
 * have been made or not then.
 */
public final class SpecLog implements AutoCloseable {
  /** Expected version of a view that must not be defined. */
  public static final long ABSENT = 0;

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final long FIRST_PAUSE_MS = 10;
  private static final long MAX_PAUSE_MS = 500;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final int ANSWER_MS = 15_000;

  private final String topic;
  private final Supplier<Producer<byte[], byte[]>> producers;
  private final ControlTable<ViewSpec> table;
  private final AvroSerializer<GenericRecord> serializer;
  private final Clock clock;
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * @param producers each with the {@link #transactionalId}; one per attempt, closed after it
   * @param consumer see {@link ControlTable#consumer}; closed with this
   * @param registry stays open
   */
  public SpecLog(
      Topics topics,
      Supplier<Producer<byte[], byte[]>> producers,
      Consumer<byte[], byte[]> consumer,
      SchemaRegistry registry,
      Clock clock) {
    this.topic = topics.viewDefinitions();
    this.producers = producers;
    this.table =
        new ControlTable<>(
            topic,
            consumer,
            new AvroDeserializer(registry, ControlSchemas.VIEW_DEFINITION),
            ViewSpec::of);
    this.serializer = new AvroSerializer<>(registry, false);
    this.clock = clock;
  }

  /**
   * Opens the log on a cluster.
   *
   * @param settings of the cluster: bootstrap servers, security
   * @param registry stays open
   */
  public static SpecLog connect(
      Map<String, Object> settings, Topics topics, SchemaRegistry registry, Clock clock) {
    Map<String, Object> properties = new HashMap<>(settings);
    properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId(topics));
    properties.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, ANSWER_MS);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, ANSWER_MS);
    properties.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    return new SpecLog(
        topics,
        () -> new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer()),
        ControlTable.consumer(settings),
        registry,
        clock);
  }

  /** What all writers of the topic share. */
  public static String transactionalId(Topics topics) {
    return topics.prefix() + "-view-definitions";
  }

  /** The specs that stand now, by view. */
  public synchronized Map<String, ViewSpec> all() {
    return table.refresh();
  }

  /**
   * What is wanted of a view.
   *
   * @param definition as canonical JSON
   * @param verificationInterval as {@link ViewSpec} has it
   * @param again whether it is asked for also if it is wanted already, since it was refused
   */
  public record Wanted(
      String definition,
      BuildRequest build,
      Optional<Duration> verificationInterval,
      boolean again) {
    /** Creates one that changes nothing if it is wanted already, even if it was refused. */
    public Wanted(String definition, BuildRequest build, Optional<Duration> verificationInterval) {
      this(definition, build, verificationInterval, false);
    }
  }

  /**
   * Asks for a view that is verified as the servers say. What is wanted already changes nothing.
   * Whoever reads committed specs after the return finds this one, or a later one.
   *
   * @param definition as canonical JSON
   * @param expected the version that the change is made for, {@link #ABSENT} for a new view; empty:
   *     any
   * @return the spec that stands then
   * @throws VersionConflict if another version stands
   * @throws UnreadableSpec if a version is expected, and a spec stands that cannot be read here
   */
  public ViewSpec put(String view, String definition, BuildRequest build, OptionalLong expected) {
    Wanted wanted = new Wanted(definition, build, Optional.empty());
    return put(view, expected, specs -> wanted);
  }

  /**
   * Asks for a view what follows from all specs that stand: none of them changes before this one is
   * made.
   *
   * @param decision may be asked several times; what it throws ends the change
   */
  public ViewSpec put(
      String view, OptionalLong expected, Function<Contents<ViewSpec>, Wanted> decision) {
    Change change =
        new Change(
            view,
            expected,
            specs -> Optional.of(next(specs.newest().get(view), view, decision.apply(specs))));
    make(change);
    return change.wanted.spec().orElseThrow();
  }

  private ViewSpec next(ViewSpec present, String view, Wanted wanted) {
    long now = clock.millis();
    if (present == null) {
      // A clock instead of a counter: a view that was dropped begins above its old versions.
      return spec(view, wanted, now, now);
    }
    boolean same =
        present.definition().equals(wanted.definition())
            && present.build().number() == wanted.build().number()
            && present.verificationInterval().equals(wanted.verificationInterval());
    return same && !wanted.again() ? present : spec(view, wanted, present.version() + 1, now);
  }

  private static ViewSpec spec(String view, Wanted wanted, long version, long now) {
    return new ViewSpec(
        view, wanted.definition(), version, wanted.build(), now, wanted.verificationInterval());
  }

  /**
   * Withdraws a view, also for one whose spec cannot be read here.
   *
   * @param expected the version that is to be dropped; empty: any, or none
   * @return whether there was a spec
   * @throws VersionConflict if another version stands, or none although one is expected
   * @throws UnreadableSpec if a version is expected, and a spec stands that cannot be read here
   */
  public boolean drop(String view, OptionalLong expected) {
    Change change = new Change(view, expected, specs -> Optional.empty());
    make(change);
    return !change.before.equals(Standing.NOTHING);
  }

  private synchronized void make(Change change) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    for (int attempt = 1; ; attempt++) {
      try {
        change.attempt();
        change.awaitSeen(deadline);
        return;
      } catch (KafkaException e) {
        if (System.nanoTime() > deadline || !change.isWorthAnotherAttempt(e)) {
          throw e;
        }
        pause(attempt);
      }
    }
  }

  /** Random, or two writers that fence each other would go on doing so. */
  private void pause(int attempt) {
    long max = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS << Math.min(attempt, 6));
    try {
      long pause = ThreadLocalRandom.current().nextLong(max) + 1;
      if (closed.await(pause, TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException("topic " + topic + ": closed while a change was made");
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  /** Waits for the change in progress, which is not attempted again. */
  @Override
  public void close() {
    closed.countDown();
    synchronized (this) {
      table.close();
    }
  }

  /**
   * What the topic says of a view.
   *
   * @param unreadable the record of a spec that cannot be read here, and why; empty: there is none
   */
  private record Standing(Optional<ViewSpec> spec, Optional<String> unreadable) {
    static final Standing NOTHING = new Standing(Optional.empty(), Optional.empty());

    static Standing of(String view, Contents<ViewSpec> specs) {
      return new Standing(
          Optional.ofNullable(specs.newest().get(view)),
          Optional.ofNullable(specs.unreadable().get(view)));
    }
  }

  /** A compare-and-set, over all its attempts. */
  private final class Change {
    private final String view;
    private final OptionalLong expected;
    private final Function<Contents<ViewSpec>, Optional<ViewSpec>> edit;
    private Standing before = Standing.NOTHING;
    private Standing wanted = Standing.NOTHING;
    private boolean maybeCommitted;

    Change(
        String view, OptionalLong expected, Function<Contents<ViewSpec>, Optional<ViewSpec>> edit) {
      this.view = view;
      this.expected = expected;
      this.edit = edit;
    }

    void attempt() {
      Producer<byte[], byte[]> producer = producers.get();
      try {
        producer.initTransactions();
        Contents<ViewSpec> specs = table.read();
        Standing present = Standing.of(view, specs);
        if (maybeCommitted && present.equals(wanted)) {
          return;
        }
        maybeCommitted = false;
        check(present);
        before = present;
        wanted = new Standing(edit.apply(specs), Optional.empty());
        if (!wanted.equals(present)) {
          commit(producer);
        }
      } finally {
        producer.close(CLOSE_TIMEOUT);
      }
    }

    /** A commit is answered before readers see it; who made the change shall see it next. */
    void awaitSeen(long deadline) {
      for (int scan = 1; !isSeen() && System.nanoTime() < deadline; scan++) {
        pause(scan);
      }
    }

    private boolean isSeen() {
      Standing present = Standing.of(view, table.read());
      return present.equals(wanted) || !present.equals(before);
    }

    private void check(Standing present) {
      if (expected.isEmpty()) {
        return;
      }
      present
          .unreadable()
          .ifPresent(
              record -> {
                throw new UnreadableSpec(view, record);
              });
      long actual = present.spec().map(ViewSpec::version).orElse(ABSENT);
      if (expected.getAsLong() != actual) {
        throw new VersionConflict(view, expected.getAsLong(), actual);
      }
    }

    private void commit(Producer<byte[], byte[]> producer) {
      byte[] value = serializer.serialize(topic, wanted.spec().map(ViewSpec::toAvro).orElse(null));
      byte[] key = view.getBytes(StandardCharsets.UTF_8);
      producer.beginTransaction();
      producer.send(ControlTable.record(topic, key, value));
      maybeCommitted = true;
      producer.commitTransaction();
    }

    /**
     * Fenced or aborted, or a commit without an answer that says more than that it failed: the next
     * attempt finds out. Whoever is fenced between the steps of a commit may get an invalid state
     * instead.
     */
    boolean isWorthAnotherAttempt(KafkaException failure) {
      if (failure instanceof TimeoutException) {
        return maybeCommitted;
      }
      for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
        if (cause instanceof ProducerFencedException
            || cause instanceof InvalidProducerEpochException
            || cause instanceof InvalidTxnStateException
            || cause instanceof TransactionAbortedException
            || cause instanceof TransactionAbortableException) {
          return true;
        }
        if (cause.getCause() == null && cause.getClass() == KafkaException.class) {
          return maybeCommitted;
        }
      }
      return false;
    }
  }

  /** There is a spec of a view, and it cannot be read here; nothing was changed. */
  public static final class UnreadableSpec extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param record see {@link Contents#unreadable}
     */
    public UnreadableSpec(String view, String record) {
      super("View \"%s\": %s".formatted(view, reason(record)));
    }

    /** Where it is and what to do, for people. */
    public static String reason(String record) {
      return "its definition cannot be read here: %s; upgrade this server if a newer release wrote it; else apply the definition again, or drop the view, without a condition on its version"
          .formatted(record);
    }
  }

  /** A spec is not of the version that its change was meant for; nothing was changed. */
  public static final class VersionConflict extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String view;
    private final long expected;
    private final long actual;

    /**
     * @param expected {@link SpecLog#ABSENT}: none
     * @param actual {@link SpecLog#ABSENT}: none
     */
    public VersionConflict(String view, long expected, long actual) {
      super(
          "View \"%s\" %s, the change was made for %s; look at it again, then change it"
              .formatted(
                  view,
                  actual == SpecLog.ABSENT ? "is not defined" : "is at version " + actual,
                  expected == SpecLog.ABSENT
                      ? "a view that is not defined"
                      : "version " + expected));
      this.view = view;
      this.expected = expected;
      this.actual = actual;
    }

    public String view() {
      return view;
    }

    /** {@link SpecLog#ABSENT}: none. */
    public long expected() {
      return expected;
    }

    /** {@link SpecLog#ABSENT}: none. */
    public long actual() {
      return actual;
    }
  }
}
