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
import io.indexview.schemas.change.Origin;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A resnapshot of one bucket: every object again, by force. For one thread.
 *
 * <p>A listing has no sequencer, so what it found would win over a notification that came from
 * another task in between, though that is newer. Hence each page is looked at again once Kafka has
 * it: what is there still was right when it arrived, and what is told of later arrives later. What
 * is not is sent as it is now, and looked at once more.
 *
 * <p>What nobody may look at is not sent, and the look is not complete before somebody may: else
 * the record would lose what only a look tells, or be taken for gone.
 */
public final class ForcedListing implements Listing {
  private static final Logger LOGGER = LoggerFactory.getLogger(ForcedListing.class);
  private static final int INDEX_SLICE = 100;
  private static final Duration PAUSE_BEFORE_ANEW = Duration.ofMinutes(1);
  private static final Duration PAUSE_AFTER_REFUSAL = Duration.ofMinutes(1);

  private final String bucket;
  private final Settings settings;
  private final ObjectStore store;
  private final ChangeTopic topic;
  private final Optional<KnownObjects> known;
  private final FileEvents events;
  private final Backoff backoff;
  private final Clock clock;

  private final RefusedLooks refused;
  private Acknowledgements acknowledgements = new Acknowledgements();
  private long startedAt;
  private Map<Integer, Long> begins;
  private Map<Integer, Long> ends;

  /** The last key of the pages that are done; null before the first. */
  private String doneTo;

  /** The keys of the page that was listed. */
  private Set<String> shown;

  /** The last key of the index that was compared with the page; null: all are, or no index. */
  private String missingAfter;

  /** The page that is being sent, by key, as it was sent last; null between pages. */
  private Map<String, ObjectInfo> page;

  private String pageEnd;
  private boolean lastPage;

  /** Every page is done. */
  private boolean isListed;

  private long records;
  private Instant quietUntil = Instant.MIN;

  /**
   * What a listing stands for.
   *
   * @param position of the bucket's slice; its offset is what Connect has stored
   * @param number of the look
   * @param request that it answers
   * @param known of the topic, if there is an index: it must not keep what the look does not find
   */
  public record Settings(
      Position position, long number, long request, Optional<KnownObjects> known) {}

  public ForcedListing(
      String bucket,
      Settings settings,
      ObjectStore store,
      ChangeTopic topic,
      FileEvents events,
      Backoff backoff,
      Clock clock) {
    this.bucket = bucket;
    this.refused = new RefusedLooks(bucket);
    this.settings = settings;
    this.store = store;
    this.topic = topic;
    this.known = settings.known();
    this.events = events;
    this.backoff = backoff;
    this.clock = clock;
  }

  @Override
  public List<SourceRecord> next() {
    Instant now = clock.instant();
    if (ends != null || now.isBefore(quietUntil) || acknowledgements.outstanding() > 0) {
      return List.of();
    }
    if (acknowledgements.dropped() > 0) {
      beginAnew(now);
      return List.of();
    }
    try {
      List<SourceRecord> next = step(now);
      backoff.reset();
      return next;
    } catch (ObjectStoreException.Unavailable | KafkaException e) {
      if (backoff.failures() == 0) {
        LOGGER.warn("Trying again until it answers: {}", e.getMessage());
      }
      quietUntil = now.plus(backoff.next());
      return List.of();
    }
  }

  private void beginAnew(Instant now) {
    LOGGER.warn(
        "Bucket {} is not published again, because {} records did not reach Kafka, and is tried again; take away the transformation that drops them",
        bucket,
        acknowledgements.dropped());
    acknowledgements = new Acknowledgements();
    begins = null;
    doneTo = null;
    missingAfter = null;
    page = null;
    isListed = false;
    refused.clear();
    records = 0;
    quietUntil = now.plus(PAUSE_BEFORE_ANEW);
  }

  private List<SourceRecord> step(Instant now) {
    if (begins == null) {
      begins = topic.ends();
      startedAt = now.toEpochMilli();
      LOGGER.info("Publishing every object of bucket {} again, as was asked for", bucket);
    }
    if (known.isPresent() && !isRead(known.get())) {
      return List.of();
    }
    if (page == null && missingAfter != null) {
      return missing(known.orElseThrow());
    }
    if (page == null && isListed && refused.areOnlyOthers()) {
      doneTo = refused.forgetOthers();
      isListed = false;
    }
    if (page == null && isListed) {
      return lookAgain(now);
    }
    ObjectStore.Page listed = store.listAfter(bucket, doneTo);
    return page == null ? send(listed) : verify(listed);
  }

  /** Whether the index holds all that the app may have missed. */
  private boolean isRead(KnownObjects index) {
    if (!index.isCaughtUp() || !index.hasReached(begins)) {
      index.fold();
    }
    boolean isRead = index.isCaughtUp() && index.hasReached(begins);
    if (!isRead && isAnotherTopic()) {
      // Whoever asked for the look will ask for another.
      ends = topic.ends();
    }
    return isRead;
  }

  /**
   * Records of objects that the page should have shown. The app takes away what nobody names, but
   * the index would keep it: so they are named.
   */
  private List<SourceRecord> missing(KnownObjects index) {
    String last = lastPage ? null : FileEvents.primaryKey(bucket, pageEnd);
    String prefix = FileEvents.primaryKey(bucket, "");
    KnownObjects.Slice slice = index.alive(missingAfter, prefix, last, INDEX_SLICE);
    Map<String, ObjectInfo> looked = new LinkedHashMap<>();
    List<SourceRecord> sent = new ArrayList<>();
    for (String primaryKey : slice.alive().keySet()) {
      String key = primaryKey.substring(prefix.length());
      if (!shown.contains(key)) {
        look(key)
            .ifPresent(
                now -> {
                  looked.put(key, now.orElse(null));
                  sent.add(found(key, now));
                });
      }
    }
    missingAfter = slice.end();
    page = looked;
    if (sent.isEmpty()) {
      pageIsDone();
    }
    acknowledgements.sent(sent.size());
    return sent;
  }

  /** What is seen at last is sent and verified as what a page should have shown. */
  private List<SourceRecord> lookAgain(Instant now) {
    Map<String, ObjectInfo> looked = new LinkedHashMap<>();
    List<SourceRecord> sent = new ArrayList<>();
    refused
        .lookAgain(store)
        .forEach(
            (key, seen) -> {
              looked.put(key, seen.orElse(null));
              sent.add(found(key, seen));
            });
    if (sent.isEmpty()) {
      quietUntil = now.plus(PAUSE_AFTER_REFUSAL);
      return List.of();
    }
    page = looked;
    records += looked.values().stream().filter(Objects::nonNull).count();
    acknowledgements.sent(sent.size());
    return sent;
  }

  private boolean isAnotherTopic() {
    Map<Integer, Long> now = topic.ends();
    return begins.entrySet().stream()
        .anyMatch(begin -> now.getOrDefault(begin.getKey(), 0L) < begin.getValue());
  }

  private List<SourceRecord> send(ObjectStore.Page listed) {
    page = new LinkedHashMap<>();
    List<SourceRecord> sent = new ArrayList<>();
    for (ObjectInfo object : listed.objects()) {
      page.put(object.key(), object);
      sent.add(found(object.key(), Optional.of(object)));
    }
    listed.refused().forEach((key, refusal) -> refused.add(key, refusal, doneTo));
    pageEnd = listed.end() == null ? pageEnd : listed.end();
    lastPage = listed.isLast();
    shown = new HashSet<>(page.keySet());
    shown.addAll(listed.refused().keySet());
    missingAfter =
        known.isPresent() ? FileEvents.primaryKey(bucket, doneTo == null ? "" : doneTo) : null;
    records += sent.size();
    acknowledgements.sent(sent.size());
    return sent;
  }

  /** Objects that came in between are told of; those that a full page pushed out are asked for. */
  private List<SourceRecord> verify(ObjectStore.Page listed) {
    Map<String, ObjectInfo> present =
        listed.objects().stream().collect(Collectors.toMap(ObjectInfo::key, Function.identity()));
    Map<String, Optional<ObjectInfo>> changed = new LinkedHashMap<>();
    page.forEach(
        (key, sent) -> {
          Optional<ObjectInfo> now = now(key, sent, present.get(key));
          if (!isSame(sent, now.orElse(null))) {
            changed.put(key, now);
          }
        });
    if (changed.isEmpty()) {
      pageIsDone();
      return List.of();
    }
    List<SourceRecord> again = new ArrayList<>();
    changed.forEach(
        (key, now) -> {
          page.put(key, now.orElse(null));
          again.add(found(key, now));
        });
    acknowledgements.sent(again.size());
    return again;
  }

  /** What nobody may look at stays as it was sent, until somebody may. */
  private Optional<ObjectInfo> now(String key, ObjectInfo sent, ObjectInfo listed) {
    return listed != null
        ? Optional.of(listed)
        : look(key).orElseGet(() -> Optional.ofNullable(sent));
  }

  /** What is under a key; empty: nobody may look at it. */
  private Optional<Optional<ObjectInfo>> look(String key) {
    try {
      Optional<ObjectInfo> now = store.headOrGone(bucket, key);
      refused.answered(key);
      return Optional.of(now);
    } catch (ObjectStoreException.Permanent e) {
      refused.add(key, e, doneTo);
      return Optional.empty();
    }
  }

  /** The page that was sent, or the slice of what it should have shown. */
  private void pageIsDone() {
    if (missingAfter == null) {
      if (lastPage && refused.isEmpty()) {
        ends = topic.ends();
      }
      doneTo = pageEnd;
      isListed = lastPage;
    }
    page = null;
  }

  /** A HEAD tells whole seconds only. */
  private static boolean isSame(ObjectInfo sent, ObjectInfo now) {
    if (sent == null || now == null) {
      return sent == now;
    }
    return sent.size() == now.size()
        && Objects.equals(sent.eTag(), now.eTag())
        && sent.lastModified()
            .truncatedTo(ChronoUnit.SECONDS)
            .equals(now.lastModified().truncatedTo(ChronoUnit.SECONDS));
  }

  private SourceRecord found(String key, Optional<ObjectInfo> now) {
    Origin.Base base =
        known
            .map(index -> index.of(FileEvents.primaryKey(bucket, key)).base())
            .orElse(Known.NOTHING_KNOWN);
    return events.found(
        bucket, key, base, now, settings.position(), done -> acknowledgements.acknowledged(done));
  }

  @Override
  public boolean isForced() {
    return true;
  }

  @Override
  public Optional<String> problem() {
    return refused.problem();
  }

  @Override
  public Optional<Look> completed() {
    if (ends == null) {
      return Optional.empty();
    }
    LOGGER.info("Bucket {} is published again: {} objects", bucket, records);
    Span span = Span.of(begins, ends, acknowledgements);
    return Optional.of(
        new Look(
            settings.number(),
            startedAt,
            clock.millis(),
            records,
            true,
            settings.request(),
            FileEvents.scope(bucket),
            span.begins(),
            span.ends()));
  }
}
