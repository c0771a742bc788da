package io.indexview.connect.s3.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.FakeChangeTopic;
import io.indexview.connect.s3.FakeLog;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.listing.BucketListing;
import io.indexview.connect.s3.listing.Listing.ListingMode;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.ObjectEvent.Kind;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.SnapshotReads;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.SchemaRegistries;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * A bucket that changes while a task lists it again and again, looks at objects whose events have
 * no sequencer, and is told of the other changes, each with delays of its own; and the streams app
 * at the end of the topic. The source's own classes, its index on disk and the real order guard.
 */
final class BucketWorld implements AutoCloseable {
  static final String BUCKET = "documents";
  private static final Duration GRACE = Duration.ofMinutes(1);
  private static final int MAX_LISTINGS = 4;
  private static final Position NOWHERE = new Position(Map.of(), Map.of());

  private final ManualClock clock = new ManualClock();
  private final FakeChangeTopic topic = new FakeChangeTopic(clock);
  private final FileEvents events =
      new FileEvents(
          "files", new ObjectKeyFields(ObjectKeyFields.DEFAULT_PATTERN), Set.of(), "s3", clock);
  private final KnownObjects known;
  private final boolean readsAll;
  private final long topicBegin;
  private int histories;

  private FakeObjectStore store;
  private FakeLog log;
  private SimulatedApp app;
  private SnapshotReads snapshotReads;
  private BucketListing listing;
  private BucketListing adHoc;
  private int open;
  private int changes;
  private final Map<String, Integer> observedAt = new HashMap<>();
  private final Map<String, Integer> readAt = new HashMap<>();
  private final Map<String, Long> content = new TreeMap<>();
  private final Deque<Undelivered> notified = new ArrayDeque<>();
  private final Deque<SourceRecord> listed = new ArrayDeque<>();
  private final Deque<SourceRecord> observed = new ArrayDeque<>();
  private final Deque<SourceRecord> published = new ArrayDeque<>();

  /**
   * @param readsAll file records tell of what takes a scan of the object
   * @param topicBegin the first offset that is left of each topic
   */
  BucketWorld(Path directory, boolean readsAll, long topicBegin) {
    this.readsAll = readsAll;
    this.topicBegin = topicBegin;
    this.known =
        new KnownObjects(
            new KnownObjects.Settings(directory, Duration.ofDays(15)),
            topic,
            SchemaRegistries.create(Map.of("schema.registry.url", FakeLog.REGISTRY)),
            backoff(),
            clock);
  }

  private static Backoff backoff() {
    return new Backoff(Duration.ofMillis(1), Duration.ofMillis(1));
  }

  /** A new history: another topic, an empty bucket. */
  void begin() {
    store = new FakeObjectStore();
    log = new FakeLog(topicBegin);
    app = new SimulatedApp(log);
    topic.holds(log);
    topic.become("topic-" + histories++);
    topic.outdateAnswer();
    listing = null;
    adHoc = null;
    open = 0;
    changes = 0;
    observedAt.clear();
    readAt.clear();
    content.clear();
    notified.clear();
    listed.clear();
    observed.clear();
    published.clear();
    snapshotReads =
        new SnapshotReads(
            known, reads(observedAt), events, NOWHERE, bucket -> adHoc != null, backoff(), clock);
    // The first call asks which topic there is.
    known.materialize();
    known.materialize();
  }

  /**
   * Makes a step.
   *
   * @return whether anything happened
   */
  boolean take(Step step, String key) {
    boolean happened =
        switch (step) {
          case PUT -> put(key) && tell(Kind.CREATED, key);
          case PUT_LOST -> put(key);
          case REVEAL -> content.containsKey(key) && put(key) && tell(Kind.VERSION_REMOVED, key);
          case REMOVE -> remove(key) && tell(Kind.REMOVED, key);
          case REMOVE_VERSION -> remove(key) && tell(Kind.VERSION_REMOVED, key);
          case REMOVE_LOST -> remove(key);
          case EXPIRE -> remove(key) && expire(key);
          case SCAN -> !notified.isEmpty() && notified.peekFirst().scan();
          case OLDEST_ARRIVES -> !notified.isEmpty() && notified.pollFirst().arrives();
          case NEWEST_ARRIVES -> notified.size() > 1 && notified.pollLast().arrives();
          case ARRIVES_TWICE -> !notified.isEmpty() && notified.peekFirst().arrives();
          case LIST -> list();
          case LISTED_ARRIVES -> delivered(listed.pollFirst());
          case OBSERVE -> observe();
          case OBSERVED_ARRIVES -> delivered(observed.pollFirst());
          case TIME -> passes();
          case PUBLISH_AGAIN -> publishAgain(key);
          case PUBLISHED_ARRIVES -> delivered(published.pollFirst());
          case APP_LOSES -> adHoc == null && app.stops();
        };
    app.materialize();
    return happened;
  }

  private boolean put(String key) {
    changes++;
    store.put(BUCKET, key, changes);
    content.put(key, (long) changes);
    return true;
  }

  private boolean remove(String key) {
    if (content.remove(key) == null) {
      return false;
    }
    changes++;
    store.remove(BUCKET, key);
    return true;
  }

  private boolean tell(Kind kind, String key) {
    notified.add(
        new Undelivered(Notified.of(kind, key, changes, "%04X".formatted(changes), clock)));
    return true;
  }

  private boolean expire(String key) {
    open++;
    snapshotReads.observe(Notified.of(Kind.REMOVED, key, changes, null, clock), new Counted());
    return true;
  }

  /** A notification on its way. */
  private final class Undelivered {
    private final ObjectEvent event;
    private final int change = changes;
    private SourceRecord record;

    private Undelivered(ObjectEvent event) {
      this.event = event;
    }

    private boolean scan() {
      if (record != null || !needsRead()) {
        return false;
      }
      record = events.notifiedAndRead(event, store.head(BUCKET, event.key()), NOWHERE, done -> {});
      return true;
    }

    private boolean needsRead() {
      return event.kind() == Kind.VERSION_REMOVED || (readsAll && event.kind() == Kind.CREATED);
    }

    private boolean arrives() {
      if (!scan() && record == null) {
        record = events.changeEvent(event, NOWHERE, done -> {});
      }
      app.notified(record, change);
      app.arrived(log.append(record), record);
      record = null;
      return true;
    }
  }

  private final class Counted implements SnapshotReads.Outcome {
    @Override
    public void done() {
      open--;
    }

    @Override
    public void failed(AwsRequestException.Permanent cause) {
      throw cause;
    }
  }

  private boolean list() {
    if (adHoc != null) {
      return false;
    }
    known.materialize();
    if (listing == null) {
      listing = listing(ListingMode.periodic(2, GRACE));
    }
    listing.next().forEach(record -> read(record, readAt, listed));
    if (listing.completed().isPresent()) {
      listing = null;
    }
    return true;
  }

  private boolean publishAgain(String key) {
    if (listing != null) {
      return false;
    }
    if (adHoc == null) {
      if (app.isStopped()) {
        everythingArrives();
        app.startsAtTheEnd();
      } else {
        app.corrupt(FileEvents.primaryKey(BUCKET, key));
      }
      adHoc = listing(ListingMode.adHoc(2, 1));
    }
    published.addAll(adHoc.next());
    adHoc.completed().ifPresent(this::publishedAgain);
    return true;
  }

  /** What is lost was published long ago: nothing of that time is still on its way. */
  private void everythingArrives() {
    while (!notified.isEmpty()) {
      notified.pollFirst().arrives();
    }
    while (delivered(listed.pollFirst()) || delivered(observed.pollFirst())) {
      app.materialize();
    }
  }

  private void publishedAgain(Scan scan) {
    app.materialize();
    app.purge(scan.begins().get(0), clock.millis());
    adHoc = null;
  }

  private void read(SourceRecord record, Map<String, Integer> at, Deque<SourceRecord> sent) {
    app.read(record, at.get(record.key().toString()));
    sent.add(record);
  }

  private BucketListing listing(ListingMode mode) {
    return new BucketListing(
        BUCKET,
        mode,
        NOWHERE,
        store,
        reads(readAt),
        topic,
        Optional.of(known),
        events,
        backoff(),
        clock);
  }

  /** Notes when an object is read, which may be long before somebody says what was there. */
  private ObjectReads reads(Map<String, Integer> at) {
    return new ObjectReads(
        new NotedReads(store, key -> at.put(FileEvents.primaryKey(BUCKET, key), changes)),
        Runnable::run,
        () -> {});
  }

  private boolean observe() {
    if (open == 0) {
      return false;
    }
    known.materialize();
    // The first call looks, the second works the answer in.
    snapshotReads.next().forEach(record -> read(record, observedAt, observed));
    return true;
  }

  private boolean delivered(SourceRecord record) {
    if (record == null) {
      return false;
    }
    app.arrived(log.deliver(record), record);
    return true;
  }

  private boolean passes() {
    clock.pass(GRACE);
    return true;
  }

  /** As the app has it, after everything that is in the topic. */
  boolean isAlive(String key) {
    return app.alive().containsKey(key);
  }

  /** Nothing changes any more, everything arrives, and the sources look again. */
  void endsAsTheBucketDoes() {
    settle();
    if (app.isStopped()) {
      finishListing();
      publishAgain(null);
    }
    finishSnapshot();
    finishListing();
    listUntilAppAndBucketAgree();
    int events = log.events().size();
    finishListing();
    assertThat(log.events()).as("a listing that finds no difference").hasSize(events);
  }

  private void listUntilAppAndBucketAgree() {
    for (int i = 0; i < MAX_LISTINGS && !app.alive().equals(content); i++) {
      finishListing();
    }
    assertThat(app.alive()).isEqualTo(content);
  }

  /** Of whatever changes without a word, and however the app came to what it holds. */
  void endsAsTheBucketDoesAlsoWhenNobodyTells(Set<String> keys) {
    keys.forEach(this::put);
    listUntilAppAndBucketAgree();
    keys.forEach(this::remove);
    listUntilAppAndBucketAgree();
    keys.forEach(this::put);
    listUntilAppAndBucketAgree();
  }

  private void settle() {
    while (!notified.isEmpty()) {
      notified.pollFirst().arrives();
      app.materialize();
    }
    do {
      observe();
      while (delivered(observed.pollFirst())) {
        app.materialize();
      }
      passes();
    } while (open > 0);
  }

  private void finishSnapshot() {
    while (adHoc != null) {
      publishAgain(null);
      while (delivered(published.pollFirst())) {
        app.materialize();
      }
      passes();
    }
  }

  private void finishListing() {
    do {
      list();
      while (delivered(listed.pollFirst())) {
        app.materialize();
      }
      passes();
    } while (listing != null);
  }

  @Override
  public void close() {
    known.close();
  }
}
