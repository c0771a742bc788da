package io.indexview.connect.s3.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.FakeChangeTopic;
import io.indexview.connect.s3.FakeLog;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.ObjectEvent.Kind;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectLooks;
import io.indexview.connect.s3.object.ObjectStoreException;
import io.indexview.connect.s3.queue.ManualClock;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.Observations;
import io.indexview.connect.s3.record.PeriodicListing;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.registry.SchemaRegistries;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
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
  private static final int MOST_LISTINGS = 4;
  private static final Position NOWHERE = new Position(Map.of(), Map.of());

  private final ManualClock clock = new ManualClock();
  private final FakeChangeTopic topic = new FakeChangeTopic();
  private final FileEvents events =
      new FileEvents("files", new ObjectKeyFields(ObjectKeyFields.DEFAULT_PATTERN), "s3", clock);
  private final KnownObjects known;
  private int histories;

  private FakeObjectStore store;
  private FakeLog log;
  private FoldedApp app;
  private Observations observations;
  private PeriodicListing listing;
  private int open;
  private int changes;
  private final Map<String, Long> content = new TreeMap<>();
  private final Deque<SourceRecord> told = new ArrayDeque<>();
  private final Deque<SourceRecord> listed = new ArrayDeque<>();
  private final Deque<SourceRecord> observed = new ArrayDeque<>();

  BucketWorld(Path directory) {
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
    log = new FakeLog();
    app = new FoldedApp(log);
    topic.holds(log);
    topic.become("topic-" + histories++);
    listing = null;
    open = 0;
    changes = 0;
    content.clear();
    told.clear();
    listed.clear();
    observed.clear();
    observations =
        new Observations(
            known,
            new ObjectLooks(store, Runnable::run, () -> {}),
            events,
            NOWHERE,
            backoff(),
            clock);
    known.fold();
  }

  /**
   * Makes a step.
   *
   * @return whether anything happened
   */
  boolean take(Step step, String key) {
    boolean happened =
        switch (step) {
          case PUT -> put(key, true);
          case PUT_LOST -> put(key, false);
          case REMOVE -> remove(key, "told");
          case REMOVE_LOST -> remove(key, "lost");
          case EXPIRE -> remove(key, "unordered");
          case OLDEST_ARRIVES -> arrives(told.pollFirst());
          case NEWEST_ARRIVES -> told.size() > 1 && arrives(told.pollLast());
          case ARRIVES_TWICE -> arrivesTwice();
          case LIST -> list();
          case LISTED_ARRIVES -> delivered(listed.pollFirst());
          case OBSERVE -> observe();
          case OBSERVED_ARRIVES -> delivered(observed.pollFirst());
          case TIME -> passes();
        };
    app.fold();
    return happened;
  }

  private boolean put(String key, boolean isTold) {
    changes++;
    store.put(BUCKET, key, changes);
    content.put(key, (long) changes);
    if (isTold) {
      told.add(events.told(event(Kind.CREATED, key, sequencer()), NOWHERE, done -> {}));
      app.told(told.peekLast(), changes);
    }
    return true;
  }

  private boolean remove(String key, String how) {
    if (content.remove(key) == null) {
      return false;
    }
    changes++;
    store.remove(BUCKET, key);
    if (how.equals("told")) {
      told.add(events.told(event(Kind.REMOVED, key, sequencer()), NOWHERE, done -> {}));
      app.told(told.peekLast(), changes);
    } else if (how.equals("unordered")) {
      open++;
      observations.observe(event(Kind.REMOVED, key, null), new Counted());
    }
    return true;
  }

  private final class Counted implements Observations.Outcome {
    @Override
    public void done() {
      open--;
    }

    @Override
    public void failed(ObjectStoreException.Permanent cause) {
      throw cause;
    }
  }

  private String sequencer() {
    return "%04X".formatted(changes);
  }

  private ObjectEvent event(Kind kind, String key, String sequencer) {
    boolean isThere = kind == Kind.CREATED;
    return new ObjectEvent(
        kind,
        isThere ? "ObjectCreated:Put" : "ObjectRemoved:Delete",
        BUCKET,
        key,
        isThere ? (long) changes : null,
        isThere ? "etag-" + changes : null,
        null,
        sequencer,
        clock.instant());
  }

  private boolean arrives(SourceRecord record) {
    if (record == null) {
      return false;
    }
    app.arrived(log.append(record), record);
    return true;
  }

  private boolean arrivesTwice() {
    SourceRecord first = told.peekFirst();
    return arrives(first);
  }

  private boolean list() {
    known.fold();
    if (listing == null) {
      listing =
          new PeriodicListing(
              new PeriodicListing.Settings(BUCKET, NOWHERE, 2, GRACE),
              store,
              topic,
              known,
              events,
              backoff(),
              clock);
    }
    listing.next().forEach(record -> looked(record, listed));
    if (listing.completed().isPresent()) {
      listing = null;
    }
    return true;
  }

  private void looked(SourceRecord record, Deque<SourceRecord> sent) {
    app.looked(record, changes);
    sent.add(record);
  }

  private boolean observe() {
    if (open == 0) {
      return false;
    }
    known.fold();
    // The first call looks, the second works the answer in.
    observations.next().forEach(record -> looked(record, observed));
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

  /** Nothing changes any more, everything arrives, and the sources look again. */
  void endsAsTheBucketDoes() {
    settle();
    finishListing();
    for (int i = 0; i < MOST_LISTINGS && !app.alive().equals(content); i++) {
      finishListing();
    }
    assertThat(app.alive()).isEqualTo(content);
    int events = log.events().size();
    finishListing();
    assertThat(log.events()).as("a listing that finds no difference").hasSize(events);
  }

  private void settle() {
    while (arrives(told.pollFirst())) {
      app.fold();
    }
    do {
      observe();
      while (delivered(observed.pollFirst())) {
        app.fold();
      }
      passes();
    } while (open > 0);
  }

  private void finishListing() {
    do {
      list();
      while (delivered(listed.pollFirst())) {
        app.fold();
      }
      passes();
    } while (listing != null);
  }

  @Override
  public void close() {
    known.close();
  }
}
