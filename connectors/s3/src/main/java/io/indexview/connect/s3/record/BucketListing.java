package io.indexview.connect.s3.record;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.source.Acknowledgements;
import io.indexview.connect.common.source.Look;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.object.ObjectStoreException;
import io.indexview.connect.s3.object.RefusedLooks;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first listing of one bucket, page by page; complete once Kafka has every record of it.
 * Objects that nobody may look at are not published, or what only a look tells of them could never
 * be added by a listing: they are looked at again until that is allowed. For one thread.
 */
public final class BucketListing implements Listing {
  private static final Logger LOGGER = LoggerFactory.getLogger(BucketListing.class);
  private static final long MAX_OUTSTANDING = 10_000;
  private static final Duration PAUSE_BEFORE_ANEW = Duration.ofMinutes(1);
  private static final Duration PAUSE_AFTER_REFUSAL = Duration.ofMinutes(1);

  private final String bucket;
  private final ObjectStore store;
  private final FileEvents events;
  private final Position position;
  private final Backoff backoff;
  private final Clock clock;

  private final RefusedLooks refused;
  private Acknowledgements acknowledgements = new Acknowledgements();
  private long startedAt;
  private boolean started;
  private boolean atEnd;
  private long records;

  /** The last key of the pages that are listed; null before the first. */
  private String listedTo;

  private Instant quietUntil = Instant.MIN;

  /**
   * @param partition Connect's source partition of the bucket
   */
  public BucketListing(
      String bucket,
      Map<String, Object> partition,
      ObjectStore store,
      FileEvents events,
      Backoff backoff,
      Clock clock) {
    this.bucket = bucket;
    this.position = new Position(partition, SliceOffset.NONE.toMap());
    this.refused = new RefusedLooks(bucket);
    this.store = store;
    this.events = events;
    this.backoff = backoff;
    this.clock = clock;
  }

  @Override
  public List<SourceRecord> next() {
    Instant now = clock.instant();
    if (settled() && acknowledgements.dropped() > 0) {
      beginAnew(now);
    }
    boolean isListed = atEnd && refused.isEmpty();
    if (isListed || now.isBefore(quietUntil) || acknowledgements.outstanding() >= MAX_OUTSTANDING) {
      return List.of();
    }
    if (!started) {
      started = true;
      startedAt = now.toEpochMilli();
      LOGGER.info("Listing bucket {}", bucket);
    }
    List<ObjectInfo> found = new ArrayList<>();
    try {
      if (atEnd && refused.areOnlyOthers()) {
        goBack();
      }
      if (atEnd) {
        lookAgain(found, now);
      } else {
        list(found);
      }
      backoff.reset();
    } catch (ObjectStoreException.Unavailable e) {
      if (backoff.failures() == 0) {
        LOGGER.warn("Trying again until it answers: {}", e.getMessage());
        LOGGER.debug("The first failure", e);
      }
      quietUntil = now.plus(backoff.next());
    }
    return records(found);
  }

  private void list(List<ObjectInfo> found) {
    ObjectStore.Page page = store.listAfter(bucket, listedTo);
    page.refused().forEach((key, refusal) -> refused.add(key, refusal, listedTo));
    found.addAll(page.objects());
    listedTo = page.end();
    atEnd = page.isLast();
  }

  private void goBack() {
    listedTo = refused.forgetOthers();
    atEnd = false;
  }

  private void lookAgain(List<ObjectInfo> found, Instant now) {
    Map<String, Optional<ObjectInfo>> seen = refused.lookAgain(store);
    if (seen.isEmpty()) {
      quietUntil = now.plus(PAUSE_AFTER_REFUSAL);
    }
    seen.values().forEach(object -> object.ifPresent(found::add));
  }

  private void beginAnew(Instant now) {
    LOGGER.warn(
        "Bucket {} is not listed, because {} of {} records did not reach Kafka, and is listed again; take away the transformation that drops them",
        bucket,
        acknowledgements.dropped(),
        records);
    acknowledgements = new Acknowledgements();
    started = false;
    listedTo = null;
    atEnd = false;
    refused.clear();
    records = 0;
    quietUntil = now.plus(PAUSE_BEFORE_ANEW);
  }

  private List<SourceRecord> records(List<ObjectInfo> objects) {
    List<SourceRecord> page = new ArrayList<>(objects.size());
    for (ObjectInfo object : objects) {
      page.add(events.listed(bucket, object, position, acknowledgements::acknowledged));
    }
    acknowledgements.sent(page.size());
    records += page.size();
    return page;
  }

  private boolean settled() {
    return atEnd && acknowledgements.outstanding() == 0;
  }

  @Override
  public Optional<String> problem() {
    return refused.problem();
  }

  @Override
  public Optional<Look> completed() {
    if (!settled() || acknowledgements.dropped() > 0 || !refused.isEmpty()) {
      return Optional.empty();
    }
    Map<Integer, Long> ends = acknowledgements.ends();
    LOGGER.info("Bucket {} is listed: {} objects", bucket, records);
    return Optional.of(
        new Look(
            1,
            startedAt,
            clock.millis(),
            records,
            false,
            0,
            FileEvents.scope(bucket),
            SliceOffset.begins(ends),
            ends));
  }
}
