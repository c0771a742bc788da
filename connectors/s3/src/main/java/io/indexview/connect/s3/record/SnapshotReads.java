package io.indexview.connect.s3.record;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RetryTimer;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.index.Known;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
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
 * object and publish what differs from what is known. A snapshot read may be overtaken on its way,
 * by a change event or by what another task saw: so once the index holds it, the object is read
 * again, until index and object agree. Then the event is done. For one thread, but for the
 * acknowledgements.
 */
public final class SnapshotReads {
  private static final Logger LOGGER = LoggerFactory.getLogger(SnapshotReads.class);

  /** Objects that change all the time must not keep the task from everything else. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final KnownObjects known;
  private final ObjectReads reads;
  private final FileEvents events;
  private final Position position;
  private final Predicate<String> isPublishedAgain;
  private final RetryTimer retry;
  private final Time time;
  private final Deque<SnapshotRead> open = new ArrayDeque<>();

  /**
   * @param known of the change topic; materialized by somebody else
   * @param position of everything that comes through the queue
   * @param isPublishedAgain of a bucket, whether an ad-hoc snapshot is under way: what the app
   *     holds may be wrong then, and agree with no base
   */
  public SnapshotReads(
      KnownObjects known,
      ObjectReads reads,
      FileEvents events,
      Position position,
      Predicate<String> isPublishedAgain,
      Backoff backoff,
      Time time) {
    this.known = known;
    this.reads = reads;
    this.events = events;
    this.position = position;
    this.isPublishedAgain = isPublishedAgain;
    this.retry = new RetryTimer(backoff, time);
    this.time = time;
  }

  /** Waits for what becomes of an event. */
  public interface Outcome {
    /** What is there is published. */
    void done();

    /** Nobody can read the object until somebody changes the bucket or permissions. */
    void failed(AwsRequestException.Permanent cause);
  }

  /** One event. It reads, or waits until the index holds what it sent, or for its next read. */
  private static final class SnapshotRead {
    private final ObjectEvent event;
    private final Outcome outcome;
    private final Timer pause;
    private String topicId;

    /** Where the topic ended when the event came: what was published before is not to be missed. */
    private Map<Integer, Long> end;

    private Known base;
    private CompletableFuture<Optional<ObjectInfo>> read;
    private boolean isSent;

    /** The change may be one that does not show in what the index keeps. */
    private boolean isToSend;

    private volatile Map<Integer, Long> reached;
    private volatile boolean isDropped;
    private boolean isRepeated;

    private SnapshotRead(ObjectEvent event, Outcome outcome, Time time) {
      this.event = event;
      this.outcome = outcome;
      this.pause = new Timer(time);
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
   * Reads the object of an event, until index and object agree.
   *
   * @param outcome called on the thread of {@link #next}, once
   */
  public void observe(ObjectEvent event, Outcome outcome) {
    open.addLast(new SnapshotRead(event, outcome, time));
  }

  /** Events that are not done. */
  public int open() {
    return open.size();
  }

  /** Whether S3 and the brokers answer, as far as they were asked: no event waits until they do. */
  public boolean isAnswered() {
    return open.isEmpty() || retry.failures() == 0;
  }

  /** What has to be published now. */
  public List<SourceRecord> next() {
    if (open.isEmpty() || !retry.isDue() || !known.isCaughtUp()) {
      return List.of();
    }
    try {
      begin();
    } catch (KafkaException e) {
      pause(e);
      return List.of();
    }
    List<SourceRecord> records = new ArrayList<>();
    Iterator<SnapshotRead> each = open.iterator();
    while (each.hasNext()) {
      SnapshotRead snapshotRead = each.next();
      if (isOver(snapshotRead, records)) {
        each.remove();
      }
    }
    return records;
  }

  /**
   * Follows the topic from here on, also if it is another one, on which nothing is known of what
   * was sent before. An event that is here before the topic is asked for is one that every listing
   * for a later topic sees.
   */
  private void begin() {
    if (open.stream().allMatch(snapshotRead -> known.topicId().equals(snapshotRead.topicId))) {
      return;
    }
    Map<Integer, Long> ends = known.follow();
    String id = known.topicId();
    open.stream()
        .filter(snapshotRead -> !id.equals(snapshotRead.topicId))
        .forEach(snapshotRead -> snapshotRead.beginOn(id, ends));
  }

  private boolean isOver(SnapshotRead snapshotRead, List<SourceRecord> records) {
    if (snapshotRead.isSent) {
      if (snapshotRead.isDropped) {
        snapshotRead.outcome.done();
        return true;
      }
      if (snapshotRead.reached != null && known.hasReached(snapshotRead.reached)) {
        snapshotRead.isSent = false;
        snapshotRead.isToSend &=
            !known.of(snapshotRead.primaryKey()).isOfOrAfter(snapshotRead.reached);
      }
      return false;
    }
    if (snapshotRead.read == null) {
      if (snapshotRead.pause.isExpired() && known.hasReached(snapshotRead.end)) {
        snapshotRead.reached = null;
        snapshotRead.base = known.of(snapshotRead.primaryKey());
        snapshotRead.read = reads.head(snapshotRead.event.bucket(), snapshotRead.event.key());
      }
      return false;
    }
    return snapshotRead.read.isDone() && isSettled(snapshotRead, records);
  }

  private boolean isSettled(SnapshotRead snapshotRead, List<SourceRecord> records) {
    Optional<ObjectInfo> found;
    try {
      found = ObjectReads.answer(snapshotRead.read);
    } catch (AwsRequestException.Permanent e) {
      retry.succeeded();
      snapshotRead.outcome.failed(e);
      return true;
    } catch (AwsRequestException.Unavailable e) {
      pause(e);
      return false;
    } finally {
      snapshotRead.read = null;
    }
    retry.succeeded();
    if (!snapshotRead.base.agrees(found) || (snapshotRead.isToSend && found.isPresent())) {
      send(snapshotRead, found, records);
      return false;
    }
    boolean isStillKnown = snapshotRead.base.equals(known.of(snapshotRead.primaryKey()));
    if (isStillKnown) {
      snapshotRead.outcome.done();
    }
    return isStillKnown;
  }

  private void send(
      SnapshotRead snapshotRead, Optional<ObjectInfo> found, List<SourceRecord> records) {
    boolean isAdHoc =
        snapshotRead.base.hasGap() || isPublishedAgain.test(snapshotRead.event.bucket());
    records.add(
        events.snapshotRead(
            snapshotRead.event.bucket(),
            snapshotRead.event.key(),
            new Known(snapshotRead.base.entry(), isAdHoc),
            found,
            false,
            position,
            snapshotRead::acknowledged));
    snapshotRead.isSent = true;
    snapshotRead.pause.reset(snapshotRead.isRepeated ? PAUSE : Duration.ZERO);
    snapshotRead.isRepeated = true;
  }

  private void pause(Throwable cause) {
    if (retry.failed()) {
      LOGGER.warn(
          "Events without a sequencer wait until S3 and the brokers answer: {}",
          cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
  }
}
