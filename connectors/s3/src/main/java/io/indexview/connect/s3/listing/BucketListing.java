package io.indexview.connect.s3.listing;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RetryTimer;
import io.indexview.connect.common.source.Acknowledgements;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.index.ChangeTopic;
import io.indexview.connect.s3.index.Known;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.listing.Differences.Difference;
import io.indexview.connect.s3.listing.Listing.ListingMode;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists a bucket page by page, compares each page with what is known of it, reads what differs, and
 * publishes what still does. The {@link ListingMode} says what is known, and whether the listing is
 * an ad-hoc snapshot. For one thread, which materializes the topic between the pages and never
 * while one is compared.
 *
 * <p>An ad-hoc snapshot publishes every object. A listing has no sequencer, so what it found would
 * win over a notification that came from another task in between, though that is newer. Hence each
 * page is listed again once Kafka has it: what is there still was right when it arrived, and what
 * is published later arrives later. What is not is published as it is now, and verified once more.
 *
 * <p>What may not be read is not published: else the record would lose what only a read tells, or
 * be taken for gone. A listing is not complete before everything could be read.
 */
public final class BucketListing implements Listing {
  private static final Logger LOGGER = LoggerFactory.getLogger(BucketListing.class);

  /** Differences that wait to be read; no further page is listed while there are more. */
  private static final int MAX_DIFFERENCES = 10_000;

  private static final long MAX_OUTSTANDING = 10_000;
  private static final int RETRIED_AT_ONCE = 100;
  private static final Duration PAUSE = Duration.ofMinutes(1);

  private final String bucket;
  private final ListingMode mode;
  private final Position position;
  private final BucketPages pages;
  private final ChangeTopic topic;
  private final Optional<KnownObjects> index;
  private final FileEvents events;
  private final RetryTimer retry;
  private final Time time;
  private final Timer refusalsPause;

  private final RefusedObjects refused;
  private Acknowledgements acknowledgements = new Acknowledgements();
  private long startedAt;
  private long endedAt;
  private Map<Integer, Long> begins;
  private Map<Integer, Long> ends;
  private boolean isGivenUp;
  private String dropped;
  private String lastFailure;

  private final Differences differences;

  /** What was published and not verified yet, by key; only in an ad-hoc snapshot. */
  private final Map<String, Optional<ObjectInfo>> unverified = new LinkedHashMap<>();

  private long retriedRefusals = -1;

  /**
   * @param position of the bucket's source partition; its offset is what Connect has stored
   * @param reads of the same store
   * @param index of the topic; empty: nothing is known. An ad-hoc snapshot names what the index has
   *     and the bucket has not, or the index would keep it; tombstones, too, or the app would only
   *     infer that the object is gone, and a read from before would bring it back
   */
  public BucketListing(
      String bucket,
      ListingMode mode,
      Position position,
      ObjectStore store,
      ObjectReads reads,
      ChangeTopic topic,
      Optional<KnownObjects> index,
      FileEvents events,
      Backoff backoff,
      Time time) {
    this.bucket = bucket;
    this.mode = mode;
    this.position = position;
    this.pages = new BucketPages(bucket, store, index, known -> mode.isAdHoc() || known.isAlive());
    this.topic = topic;
    this.index = index;
    this.events = events;
    this.retry = new RetryTimer(backoff, time);
    this.time = time;
    this.refusalsPause = new Timer(time);
    this.refused = new RefusedObjects(bucket);
    this.differences =
        new Differences(
            bucket, reads, mode.grace().orElse(Duration.ZERO), this::isStillKnown, time);
  }

  @Override
  public List<SourceRecord> next() {
    List<SourceRecord> found = new ArrayList<>();
    if (ends != null || isGivenUp || !retry.isDue()) {
      return found;
    }
    try {
      if (isReady()) {
        findDifferences();
        publish(found);
        finish();
      }
    } catch (AwsRequestException.Unavailable | KafkaException e) {
      pause(e);
    }
    return found;
  }

  private void pause(RuntimeException cause) {
    lastFailure = cause.getMessage();
    if (retry.failed()) {
      LOGGER.warn(
          "The listing of bucket {} waits, and goes on when S3 and the brokers answer: {}",
          bucket,
          cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
    differences.pause();
  }

  /** Whether the index holds all that was published before the listing began. */
  private boolean isReady() {
    if (index.isPresent() && !index.get().isCaughtUp()) {
      index.get().materialize();
      if (!index.get().isCaughtUp()) {
        return false;
      }
    }
    if (begins == null) {
      begins = index.isPresent() ? index.get().follow() : topicEnds();
      startedAt = Math.max(time.millis(), mode.isAdHoc() ? gapSince() : 0);
      if (!mode.isPeriodic()) {
        LOGGER.info("Listing bucket {}: number={} adHoc={}", bucket, mode.number(), mode.isAdHoc());
      }
    }
    if (index.isEmpty()) {
      return true;
    }
    if (!index.get().hasReached(begins)) {
      index.get().materialize();
    }
    return index.get().isCaughtUp() && index.get().hasReached(begins);
  }

  /** The clock may have been set back since: what lists for the sake of the gap is later. */
  private long gapSince() {
    return index.map(KnownObjects::gapSince).orElse(0L);
  }

  /** Nobody makes use of where the topic ended before and after a first listing. */
  private Map<Integer, Long> topicEnds() {
    return mode.isInitial() ? Map.of() : topic.ends();
  }

  private void findDifferences() {
    boolean isIdle = differences.isEmpty();
    if (isIdle && !unverified.isEmpty()) {
      if (acknowledgements.outstanding() == 0) {
        verify();
      }
    } else if (isIdle || !mode.isAdHoc()) {
      if (differences.waiting() < MAX_DIFFERENCES
          && acknowledgements.outstanding() < MAX_OUTSTANDING) {
        goOn(isIdle);
      }
    }
  }

  private void goOn(boolean isIdle) {
    if (pages.isAtEnd() && isIdle && !mode.isPeriodic()) {
      retryRefused();
    }
    List<BucketPages.Row> rows = pages.next();
    for (BucketPages.Row row : rows) {
      if (isDifferent(row.known(), row.listed(), null)) {
        boolean isToRead = mode.isPeriodic() || events.needReads();
        add(row.key(), row.known(), isToRead ? null : row.listed().orElse(null), null);
      } else {
        String primaryKey = FileEvents.primaryKey(bucket, row.key());
        row.listed().ifPresent(seen -> index.orElseThrow().learn(primaryKey, row.known(), seen));
      }
    }
    if (!rows.isEmpty()) {
      retry.succeeded();
    }
  }

  /** Reads some of the refused objects again; when none of them could be read, there is a pause. */
  private void retryRefused() {
    if (refused.isEmpty() || refused.size() == retriedRefusals && !refusalsPause.isExpired()) {
      return;
    }
    if (refused.areOnlyOthers()) {
      pages.goBackTo(refused.forgetOthers());
      return;
    }
    retriedRefusals = refused.size();
    refusalsPause.reset(PAUSE);
    refused.oldest(RETRIED_AT_ONCE).forEach(key -> add(key, pages.known(key), null, null));
  }

  /**
   * Objects that came in between have change events; those that a full page pushed out are read.
   */
  private void verify() {
    Map<String, ObjectInfo> present = new HashMap<>();
    pages.listAgain().forEach(object -> present.put(object.key(), object));
    retry.succeeded();
    unverified.forEach(
        (key, published) -> {
          ObjectInfo listed = present.get(key);
          if (listed == null || !isSame(published, Optional.of(listed))) {
            add(key, pages.known(key), events.needReads() ? null : listed, published);
          }
        });
    unverified.clear();
  }

  private void add(String key, Known known, ObjectInfo listed, Optional<ObjectInfo> published) {
    differences.add(
        new Difference(key, known, listed, published, pages.follows(), time.nanoTime()));
  }

  /**
   * Whether what is known has not changed since the comparison. Whoever changed it has published
   * the difference.
   */
  private boolean isStillKnown(Difference difference) {
    return mode.isAdHoc() || pages.known(difference.key()).equals(difference.known());
  }

  /** Differences that wait to be read. */
  int differences() {
    return differences.waiting();
  }

  private void publish(List<SourceRecord> found) {
    while (acknowledgements.outstanding() < MAX_OUTSTANDING && differences.isAnswered()) {
      Difference difference = differences.first();
      try {
        Optional<ObjectInfo> seen = differences.answer();
        retry.succeeded();
        refused.answered(difference.key());
        if (isDifferent(difference.known(), seen, difference.published())) {
          found.add(published(difference, seen));
        }
      } catch (AwsRequestException.Permanent e) {
        refused.add(difference.key(), e, difference.follows());
      }
      differences.removeFirst();
    }
  }

  private SourceRecord published(Difference difference, Optional<ObjectInfo> seen) {
    acknowledgements.sent(1);
    if (mode.isAdHoc()) {
      unverified.put(difference.key(), seen);
    }
    Known known = mode.isAdHoc() ? new Known(difference.known().entry(), true) : difference.known();
    return events.snapshotRead(
        bucket,
        difference.key(),
        known,
        seen,
        !mode.isPeriodic(),
        position,
        acknowledgements::acknowledged);
  }

  private boolean isDifferent(
      Known known, Optional<ObjectInfo> seen, Optional<ObjectInfo> published) {
    return mode.isAdHoc() ? published == null || !isSame(published, seen) : !known.agrees(seen);
  }

  private static boolean isSame(Optional<ObjectInfo> one, Optional<ObjectInfo> other) {
    return one.isEmpty() || other.isEmpty()
        ? one.isEmpty() && other.isEmpty()
        : one.get().hasContentOf(other.get());
  }

  private void finish() {
    boolean isIdle = differences.isEmpty() && unverified.isEmpty();
    if (!pages.isAtEnd() || !isIdle || acknowledgements.outstanding() > 0) {
      return;
    }
    if (acknowledgements.dropped() > 0) {
      noteDropped();
      if (mode.isPeriodic()) {
        isGivenUp = true;
      } else {
        beginAnew();
      }
    } else if (refused.isEmpty()) {
      ends = topicEnds();
      endedAt = time.millis();
      if (!mode.isPeriodic() || acknowledgements.sent() > 0) {
        LOGGER.info(
            "Bucket {} is listed: number={} objects={} published={} dropped={}",
            bucket,
            mode.number(),
            pages.objects(),
            acknowledgements.sent(),
            acknowledgements.dropped());
      }
    } else {
      isGivenUp = mode.isPeriodic();
    }
  }

  private void noteDropped() {
    dropped =
        "%d of %d records of the listing of bucket %s did not reach Kafka: a transformation of the connector drops them, or errors.tolerance=all passes over them; take it away"
            .formatted(acknowledgements.dropped(), acknowledgements.sent(), bucket);
  }

  private void beginAnew() {
    acknowledgements = new Acknowledgements();
    begins = null;
    pages.beginAnew();
    retriedRefusals = -1;
    refused.clear();
    retry.setDueIn(PAUSE);
  }

  @Override
  public boolean isAdHoc() {
    return mode.isAdHoc();
  }

  @Override
  public Optional<String> problem() {
    return refused.problem().or(() -> Optional.ofNullable(dropped));
  }

  @Override
  public Optional<String> outage() {
    Optional<String> own =
        retry.hasFailedFor(OUTAGE) ? Optional.ofNullable(lastFailure) : Optional.empty();
    return own.or(() -> index.flatMap(known -> known.outage(OUTAGE)))
        .map(cause -> "the listing of bucket %s has to wait: %s".formatted(bucket, cause));
  }

  @Override
  public boolean isGivenUp() {
    return isGivenUp;
  }

  @Override
  public Optional<Scan> completed() {
    if (ends == null) {
      return Optional.empty();
    }
    // A partition whose end was not known has its events.
    Map<Integer, Long> reached = new HashMap<>(ends);
    acknowledgements.ends().forEach((partition, end) -> reached.merge(partition, end, Math::max));
    return Optional.of(
        new Scan(
            mode.number(),
            startedAt,
            endedAt,
            pages.objects(),
            mode.isAdHoc(),
            mode.request(),
            Optional.of(FileEvents.scope(bucket)),
            begins,
            reached));
  }
}
