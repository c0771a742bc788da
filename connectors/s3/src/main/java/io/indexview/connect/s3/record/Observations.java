package io.indexview.connect.s3.record;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.index.ChangeTopic;
import io.indexview.connect.s3.index.Known;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.object.ObjectStoreException;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events that have no place in the order of their object's events. Each makes the task read the
 * object and publish what differs from what is known. An observation may be overtaken on its way,
 * by a change that was told or by what another task saw: so once the index holds it, the object is
 * read again, until index and object agree. Then the event is done. For one thread, but for the
 * acknowledgements.
 */
public final class Observations {
  private static final Logger LOGGER = LoggerFactory.getLogger(Observations.class);

  /** Objects that change all the time must not keep the task from everything else. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final ChangeTopic topic;
  private final KnownObjects known;
  private final ObjectReads reads;
  private final FileEvents events;
  private final Position position;
  private final Predicate<String> isPublishedAgain;
  private final Backoff backoff;
  private final Clock clock;
  private final Deque<Observation> open = new ArrayDeque<>();
  private Instant quietUntil = Instant.MIN;

  /**
   * @param known of the topic; folded by somebody else
   * @param position of everything that comes through the queue
   * @param isPublishedAgain of a bucket, whether an ad-hoc snapshot is under way: what the app
   *     holds may be wrong then, and agree with no base
   */
  public Observations(
      ChangeTopic topic,
      KnownObjects known,
      ObjectReads reads,
      FileEvents events,
      Position position,
      Predicate<String> isPublishedAgain,
      Backoff backoff,
      Clock clock) {
    this.topic = topic;
    this.known = known;
    this.reads = reads;
    this.events = events;
    this.position = position;
    this.isPublishedAgain = isPublishedAgain;
    this.backoff = backoff;
    this.clock = clock;
  }

  /** Waits for what becomes of an event. */
  public interface Outcome {
    /** What is there is published. */
    void done();

    /** Nobody can read the object until somebody changes the bucket or permissions. */
    void failed(ObjectStoreException.Permanent cause);
  }

  /** One event. It reads, or waits until the index holds what it sent, or for its next read. */
  private static final class Observation {
    private final ObjectEvent event;
    private final Outcome outcome;
    private String topicId;

    /** Where the topic ended when the event came: what was told before is not to be missed. */
    private Map<Integer, Long> end;

    private Known base;
    private CompletableFuture<Optional<ObjectInfo>> read;
    private boolean isSent;

    /** The change may be one that does not show in what the index keeps. */
    private boolean isToSend;

    private volatile Map<Integer, Long> reached;
    private volatile boolean isDropped;
    private Instant nextRead = Instant.MIN;

    private Observation(ObjectEvent event, Outcome outcome) {
      this.event = event;
      this.outcome = outcome;
      this.isToSend = event.kind() == ObjectEvent.Kind.TOUCHED;
    }

    private String primaryKey() {
      return FileEvents.primaryKey(event.bucket(), event.key());
    }

    private void beginOn(String id, Map<Integer, Long> ends) {
      topicId = id;
      end = ends;
      isSent = false;
      reached = null;
      read = null;
    }

    private void acknowledged(RecordMetadata metadata) {
      if (metadata == null) {
        isDropped = true;
      } else {
        reached = Map.of(metadata.partition(), metadata.offset() + 1);
      }
    }
  }

  /**
   * Observes an object.
   *
   * @param outcome told on the thread of {@link #next}, once
   */
  public void observe(ObjectEvent event, Outcome outcome) {
    open.addLast(new Observation(event, outcome));
  }

  /** Events that are not done. */
  public int open() {
    return open.size();
  }

  /** What has to be published now. */
  public List<SourceRecord> next() {
    Instant now = clock.instant();
    if (open.isEmpty() || now.isBefore(quietUntil) || !known.isCaughtUp()) {
      return List.of();
    }
    try {
      begin();
    } catch (KafkaException e) {
      pause(e, now);
      return List.of();
    }
    List<SourceRecord> records = new ArrayList<>();
    Iterator<Observation> each = open.iterator();
    while (each.hasNext()) {
      Observation observation = each.next();
      if (isOver(observation, now, records)) {
        each.remove();
      }
    }
    return records;
  }

  /** Also when the topic is another one, on which nothing is known of what was sent before. */
  private void begin() {
    String id = known.topicId();
    if (open.stream().anyMatch(observation -> !id.equals(observation.topicId))) {
      Map<Integer, Long> ends = topic.ends();
      open.stream()
          .filter(observation -> !id.equals(observation.topicId))
          .forEach(observation -> observation.beginOn(id, ends));
    }
  }

  private boolean isOver(Observation observation, Instant now, List<SourceRecord> records) {
    if (observation.isSent) {
      if (observation.isDropped) {
        observation.outcome.done();
        return true;
      }
      if (observation.reached != null && known.hasReached(observation.reached)) {
        observation.isSent = false;
        observation.isToSend &=
            !known.of(observation.primaryKey()).isOfOrAfter(observation.reached);
      }
      return false;
    }
    if (observation.read == null) {
      if (!now.isBefore(observation.nextRead) && known.hasReached(observation.end)) {
        observation.reached = null;
        observation.base = known.of(observation.primaryKey());
        observation.read = reads.head(observation.event.bucket(), observation.event.key());
      }
      return false;
    }
    return observation.read.isDone() && isSettled(observation, now, records);
  }

  private boolean isSettled(Observation observation, Instant now, List<SourceRecord> records) {
    Optional<ObjectInfo> found;
    try {
      found = ObjectReads.answer(observation.read);
    } catch (ObjectStoreException.Permanent e) {
      observation.outcome.failed(e);
      return true;
    } catch (ObjectStoreException.Unavailable e) {
      pause(e, now);
      return false;
    } finally {
      observation.read = null;
    }
    backoff.reset();
    if (!observation.base.agrees(found) || (observation.isToSend && found.isPresent())) {
      send(observation, found, now, records);
      return false;
    }
    boolean isStillKnown = observation.base.equals(known.of(observation.primaryKey()));
    if (isStillKnown) {
      observation.outcome.done();
    }
    return isStillKnown;
  }

  private void send(
      Observation observation,
      Optional<ObjectInfo> found,
      Instant now,
      List<SourceRecord> records) {
    boolean isForced =
        observation.base.hasGap() || isPublishedAgain.test(observation.event.bucket());
    records.add(
        events.observed(
            observation.event.bucket(),
            observation.event.key(),
            new Known(observation.base.entry(), isForced),
            found,
            false,
            position,
            observation::acknowledged));
    observation.isSent = true;
    observation.nextRead = observation.nextRead.equals(Instant.MIN) ? now : now.plus(PAUSE);
  }

  private void pause(Throwable cause, Instant now) {
    if (now.isBefore(quietUntil)) {
      return;
    }
    if (backoff.failures() == 0) {
      LOGGER.warn(
          "Events without a sequencer wait until their objects can be read: {}",
          cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
    quietUntil = now.plus(backoff.next());
  }
}
