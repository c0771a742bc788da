package io.indexview.connect.s3.record;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.source.Acknowledgements;
import io.indexview.connect.common.source.Look;
import io.indexview.connect.s3.index.Known;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.object.ObjectStoreException;
import io.indexview.connect.s3.object.RefusedLooks;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listing that finds what notifications missed: compares a bucket, page by page, with what was
 * published of it, and publishes what still differs at a second look some time later. It is given
 * up in the end if somebody was refused such a look. For one thread, which folds the topic between
 * the pages and never while one is compared.
 */
public final class PeriodicListing implements Listing {
  private static final Logger LOGGER = LoggerFactory.getLogger(PeriodicListing.class);
  private static final int INDEX_SLICE = 1_000;

  /** Differences that wait for their second look; the listing waits when there are more. */
  private static final int MOST_DIFFERENCES = 10_000;

  private static final int LOOKS_PER_CALL = 50;
  private static final long MAX_OUTSTANDING = 10_000;

  private final Settings settings;
  private final String prefix;
  private final ObjectStore store;
  private final ChangeTopic topic;
  private final KnownObjects known;
  private final FileEvents events;
  private final Backoff backoff;
  private final Clock clock;

  private final Acknowledgements acknowledgements = new Acknowledgements();
  private final RefusedLooks refused;
  private final Deque<Difference> differences = new ArrayDeque<>();
  private long startedAt;
  private String topicId;
  private Map<Integer, Long> begins;
  private Map<Integer, Long> ends;

  /** The last key of the pages that are compared; null before the first. */
  private String comparedTo;

  /** The keys of the page that was compared last. */
  private Set<String> shown;

  /** The last key of the index that was compared with that page; null: all are. */
  private String missingAfter;

  private boolean atEnd;
  private long records;
  private Instant quietUntil = Instant.MIN;

  /**
   * What a listing stands for.
   *
   * @param position of the bucket's slice; its offset is what Connect has stored
   * @param number of the look
   * @param grace between the first look at a difference and the second
   */
  public record Settings(String bucket, Position position, long number, Duration grace) {}

  /** An object that differed from what was known then. */
  private record Difference(String key, Known known, Instant seenAt) {}

  public PeriodicListing(
      Settings settings,
      ObjectStore store,
      ChangeTopic topic,
      KnownObjects known,
      FileEvents events,
      Backoff backoff,
      Clock clock) {
    this.settings = settings;
    this.refused = new RefusedLooks(settings.bucket());
    this.prefix = FileEvents.primaryKey(settings.bucket(), "");
    this.store = store;
    this.topic = topic;
    this.known = known;
    this.events = events;
    this.backoff = backoff;
    this.clock = clock;
  }

  @Override
  public List<SourceRecord> next() {
    Instant now = clock.instant();
    if (ends != null || now.isBefore(quietUntil) || !known.isCaughtUp()) {
      return List.of();
    }
    try {
      return step(now);
    } catch (ObjectStoreException.Unavailable | KafkaException e) {
      pause(e, now);
      return List.of();
    }
  }

  private void pause(RuntimeException cause, Instant now) {
    if (backoff.failures() == 0) {
      LOGGER.warn("Trying again until it answers: {}", cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
    quietUntil = now.plus(backoff.next());
  }

  private List<SourceRecord> step(Instant now) {
    if (begins == null) {
      begins = topic.ends();
      topicId = known.topicId();
      startedAt = now.toEpochMilli();
    }
    if (!topicId.equals(known.topicId())) {
      // Whoever asked for the look will ask for another.
      ends = topic.ends();
      return List.of();
    }
    if (!known.hasReached(begins)) {
      return List.of();
    }
    if (differences.size() < MOST_DIFFERENCES) {
      findDifferences(now);
    }
    List<SourceRecord> found = lookAgain(now);
    if (isCompared() && differences.isEmpty() && acknowledgements.outstanding() == 0) {
      ends = topic.ends();
    }
    return found;
  }

  private boolean isCompared() {
    return atEnd && missingAfter == null;
  }

  private void findDifferences(Instant now) {
    if (missingAfter != null) {
      missing(now);
    } else if (!atEnd) {
      compare(store.listAfter(settings.bucket(), comparedTo), now);
      missing(now);
    }
  }

  /** The index did not change since before the page was listed. */
  private void compare(ObjectStore.Page page, Instant now) {
    Set<String> present = new HashSet<>();
    String lastKey = null;
    for (ObjectInfo object : page.objects()) {
      present.add(object.key());
      lastKey = object.key();
      Known base = known.of(primaryKey(object.key()));
      if (base.agrees(Optional.of(object))) {
        known.learn(primaryKey(object.key()), base, object);
      } else {
        differences.add(new Difference(object.key(), base, now));
      }
    }
    records += present.size();
    atEnd = page.isLast() || lastKey == null;
    shown = present;
    missingAfter = primaryKey(comparedTo == null ? "" : comparedTo);
    comparedTo = lastKey;
    backoff.reset();
  }

  /**
   * Some records of objects that the page should have shown. Those that were told of since it was
   * listed show at the second look.
   */
  private void missing(Instant now) {
    String last = atEnd ? null : primaryKey(comparedTo);
    KnownObjects.Slice slice = known.alive(missingAfter, prefix, last, INDEX_SLICE);
    slice
        .alive()
        .forEach(
            (primaryKey, base) -> {
              String key = primaryKey.substring(prefix.length());
              if (!shown.contains(key)) {
                differences.add(new Difference(key, base, now));
              }
            });
    missingAfter = slice.end();
  }

  /** Differences that wait for their second look. */
  int differences() {
    return differences.size();
  }

  private List<SourceRecord> lookAgain(Instant now) {
    List<SourceRecord> found = new ArrayList<>();
    try {
      for (int looks = 0; looks < LOOKS_PER_CALL && isDue(now); looks++) {
        lookAgain(differences.peek()).ifPresent(found::add);
        differences.remove();
      }
    } catch (ObjectStoreException.Unavailable e) {
      pause(e, now);
    }
    return found;
  }

  /** Whoever changed what is known has told of the difference. */
  private Optional<SourceRecord> lookAgain(Difference difference) {
    Known base = known.of(primaryKey(difference.key()));
    if (!base.equals(difference.known())) {
      return Optional.empty();
    }
    Optional<ObjectInfo> object;
    try {
      object = store.headOrGone(settings.bucket(), difference.key());
    } catch (ObjectStoreException.Permanent e) {
      refused.add(difference.key(), e, null);
      return Optional.empty();
    }
    backoff.reset();
    if (base.agrees(object)) {
      return Optional.empty();
    }
    acknowledgements.sent(1);
    return Optional.of(
        events.different(
            settings.bucket(),
            difference.key(),
            base,
            object,
            settings.position(),
            done -> acknowledgements.acknowledged(done)));
  }

  private boolean isDue(Instant now) {
    return !differences.isEmpty()
        && !now.isBefore(differences.peek().seenAt().plus(settings.grace()))
        && acknowledgements.outstanding() < MAX_OUTSTANDING;
  }

  private String primaryKey(String key) {
    return FileEvents.primaryKey(settings.bucket(), key);
  }

  @Override
  public Optional<String> problem() {
    return refused.problem();
  }

  @Override
  public boolean isGivenUp() {
    return ends != null && !refused.isEmpty();
  }

  /** What a transformation dropped is found again by the next listing. */
  @Override
  public Optional<Look> completed() {
    if (ends == null || !refused.isEmpty()) {
      return Optional.empty();
    }
    if (acknowledgements.sent() > 0) {
      LOGGER.info(
          "Bucket {} was listed again: objects={} published={} dropped={}",
          settings.bucket(),
          records,
          acknowledgements.sent(),
          acknowledgements.dropped());
    }
    Span span = Span.of(begins, ends, acknowledgements);
    return Optional.of(
        new Look(
            settings.number(),
            startedAt,
            clock.millis(),
            records,
            false,
            0,
            FileEvents.scope(settings.bucket()),
            span.begins(),
            span.ends()));
  }
}
