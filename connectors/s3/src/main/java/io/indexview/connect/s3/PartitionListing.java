package io.indexview.connect.s3;

import io.indexview.connect.common.index.CurrentTopic;
import io.indexview.connect.s3.index.ChangeTopic;
import io.indexview.connect.s3.listing.Listing;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.connect.s3.listing.ListingReporter;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One part of the source that this task answers for: a bucket, or the queue. A listing is for the
 * topic that was there before it and still is after it; when there is another one, it lists again.
 * For one thread, but for {@link #isHindered} and {@link #isListed}.
 */
final class PartitionListing {
  private static final Logger LOGGER = LoggerFactory.getLogger(PartitionListing.class);

  /** Who does not ask for so long cannot tell whether anybody would have answered. */
  private static final Duration UNASKED = Duration.ofMinutes(1);

  private static final String UNKNOWN_TOPIC =
      "the brokers have not said for %d minutes which topic %s there is, without which no listing begins or is complete: create it if it does not exist, allow the user of kafka.* to describe it (Read includes it), and see that the brokers of kafka.bootstrap.servers answer";

  private final ListingReporter reporter;
  private final Listings listings;
  private final ChangeTopic topic;
  private final CurrentTopic current;
  private final Time time;
  private Listing listing;
  private String listedTopic;
  private Scan finished;

  /** Time at which the last listing was finished, as of {@link System#nanoTime}. */
  private long finishedAt;

  private Instant givenUpAt = Instant.MIN;

  /** What keeps listings from being complete; reported until one is. */
  private volatile String problem;

  /** What the listing waits for; reported as long as it does. */
  private volatile String outage;

  /** Why no listing begins or is complete; reported as long as it is so. */
  private volatile String unknownTopic;

  private volatile boolean isListed;

  /**
   * Time since which the topic's id is unknown, as of {@link System#nanoTime}; null: it is known.
   */
  private Long unknownSince;

  /** When it was asked last which topic there is, like {@link System#nanoTime}. */
  private long askedAt;

  /** What there is to list. */
  interface Listings {
    /** A listing for a topic that this source partition was not listed for before. */
    Listing first();

    /**
     * A further listing that is requested or due now; nothing if none is.
     *
     * @param offset with the listings that are complete
     * @param givenUpAt when the last one was that could not be completed
     */
    Optional<Listing> next(ListingOffset offset, Instant givenUpAt);

    /** What holds up events for so long, and not only listings, that somebody should know. */
    Optional<String> heldUp();
  }

  PartitionListing(ListingReporter reporter, Listings listings, ChangeTopic topic, Time time) {
    this.reporter = reporter;
    this.listings = listings;
    this.topic = topic;
    this.current = new CurrentTopic(topic::idSince, time);
    this.time = time;
    this.askedAt = time.nanoTime();
    // Until a listing is complete nobody knows that what hindered an earlier task is over.
    this.problem = reporter.offset().problem();
    // Most often the topic is the one of before, and the brokers take their time to say so.
    this.isListed = reporter.offset().topicId() != null;
  }

  /** The next records of a listing; none when there is nothing to list now. */
  List<SourceRecord> list(Instant now) {
    Optional<String> topicId = topicId();
    topicId.ifPresent(id -> isListed = reporter.offset().isOf(id));
    if (listing != null && topicId.isPresent() && !topicId.get().equals(listedTopic)) {
      abandon();
    }
    if (listing == null) {
      topicId.ifPresent(this::begin);
    }
    if (listing == null) {
      outage = null;
      return List.of();
    }
    List<SourceRecord> records = listing.next();
    listing.problem().ifPresent(this::hindered);
    outage = listing.outage().orElse(null);
    if (listing.isGivenUp()) {
      listing = null;
      givenUpAt = now;
    }
    return records;
  }

  private Optional<String> topicId() {
    long now = time.nanoTime();
    Optional<String> topicId = current.id();
    // Connect does not poll while the brokers take no records.
    boolean wasUnasked = now - askedAt > UNASKED.toNanos();
    askedAt = now;
    if (topicId.isPresent()) {
      unknownSince = null;
      unknownTopic = null;
    } else if (unknownSince == null || (wasUnasked && unknownTopic == null)) {
      // What was reported stands until there is an answer.
      unknownSince = now;
    }
    boolean isOutage = unknownSince != null && now - unknownSince >= Listing.OUTAGE.toNanos();
    if (isOutage && unknownTopic == null) {
      unknownTopic = UNKNOWN_TOPIC.formatted(Listing.OUTAGE.toMinutes(), reporter.topic());
      LOGGER.warn("{} waits: {}", reporter.name(), unknownTopic);
    }
    return topicId;
  }

  /** The topic that there is now lacks what it sent, so nobody wants it any more. */
  private void abandon() {
    LOGGER.warn(
        "The change topic was created again while {} was listed; the listing begins again",
        reporter.name());
    listing = null;
    finished = null;
  }

  private void hindered(String by) {
    if (problem == null) {
      LOGGER.warn("The listing of {} is not complete, and tried again: {}", reporter.name(), by);
    }
    problem = by;
  }

  /** Whether everything is being published again. */
  boolean isPublishedAgain() {
    return listing != null && listing.isAdHoc();
  }

  /** Whether something keeps listings from being complete. */
  boolean isHindered() {
    return problem != null || outage != null || unknownTopic != null;
  }

  /**
   * Whether a listing is complete for the topic that there was last; as of an earlier task until
   * the brokers say which one there is.
   */
  boolean isListed() {
    return isListed;
  }

  private void begin(String topicId) {
    listedTopic = topicId;
    listing =
        isListed ? listings.next(reporter.offset(), givenUpAt).orElse(null) : listings.first();
  }

  /**
   * What is to be said of the source partition now.
   *
   * @param answering whether queue and object store answer
   * @param publishedUntil all that was sent to the queue before is in Kafka; empty: not known now
   */
  Optional<SourceRecord> report(
      Instant now, boolean answering, Supplier<Optional<Instant>> publishedUntil) {
    if (finished == null && listing != null) {
      finished = listing.completed().orElse(null);
      finishedAt = time.nanoTime();
    }
    // A listing that found nothing says no more than a heartbeat, which has to be true as well.
    boolean isDue = finished != null && (answering || !finished.ends().isEmpty());
    Optional<SourceRecord> completed =
        !isDue
            ? Optional.empty()
            : topic.idSince(finishedAt).flatMap(topicId -> end(topicId, now, publishedUntil));
    return completed.isPresent() || !answering
        ? completed
        : reporter.heartbeat(
            now,
            publishedUntil,
            Optional.ofNullable(problem).or(() -> Optional.ofNullable(outage)),
            Optional.ofNullable(unknownTopic).or(listings::heldUp));
  }

  private Optional<SourceRecord> end(
      String topicId, Instant now, Supplier<Optional<Instant>> publishedUntil) {
    if (!topicId.equals(listedTopic)) {
      abandon();
      return Optional.empty();
    }
    Scan scan = finished;
    finished = null;
    listing = null;
    if (problem != null) {
      LOGGER.info("The listing of {} is complete again", reporter.name());
      problem = null;
    }
    return Optional.of(reporter.completed(topicId, scan, now, publishedUntil));
  }
}
