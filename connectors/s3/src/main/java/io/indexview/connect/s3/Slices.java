package io.indexview.connect.s3;

import io.indexview.connect.common.source.Look;
import io.indexview.connect.common.source.Looks;
import io.indexview.connect.common.source.SourceSlice;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.s3.index.ChangeTopic;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.listing.BucketListing;
import io.indexview.connect.s3.listing.Listing;
import io.indexview.connect.s3.listing.ListingMode;
import io.indexview.connect.s3.listing.SliceOffset;
import io.indexview.connect.s3.listing.SliceReporter;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the slices that a task answers for. */
final class Slices {
  private static final Logger LOGGER = LoggerFactory.getLogger(Slices.class);

  /** The only slice of a source that lists nothing. */
  static final String QUEUE_SLICE = "queue";

  private final S3SourceTaskConfig config;
  private final ObjectStore objects;
  private final ObjectReads reads;
  private final ChangeTopic topic;
  private final Optional<KnownObjects> known;
  private final Clock clock;
  private final SourceStates states;
  private final FileEvents events;
  private final List<Slice> slices = new ArrayList<>();
  private long refused;

  /**
   * @param offsets what Connect kept of each bucket
   */
  Slices(
      S3SourceTaskConfig config,
      SourceClients clients,
      ObjectReads reads,
      Map<String, SliceOffset> offsets,
      Clock clock) {
    this.config = config;
    this.objects = clients.objects();
    this.reads = reads;
    this.topic = clients.topic();
    this.known = clients.known();
    this.clock = clock;
    this.states = new SourceStates(config.source().topics().sourceStates());
    this.events =
        new FileEvents(
            config.topic(),
            config.keyFields(),
            config.listing().attributes(),
            config.source().name(),
            clock);
    for (String bucket : config.taskBuckets()) {
      slices.add(bucketSlice(bucket, offsets.getOrDefault(bucket, SliceOffset.NONE)));
    }
    if (config.ownsQueueSlice()) {
      slices.add(queueSlice());
    }
  }

  private Slice bucketSlice(String bucket, SliceOffset offset) {
    Map<String, Object> partition = SliceOffset.bucketPartition(config.source().name(), bucket);
    SliceReporter reporter = reporter(bucket, config.buckets().size(), partition, offset);
    return new Slice(
        reporter,
        new Slice.Listings() {
          @Override
          public Listing first() {
            Position position = new Position(partition, SliceOffset.NONE.toMap());
            return listing(bucket, ListingMode.initial(), position, Optional.empty());
          }

          @Override
          public Optional<Listing> next(SliceOffset offset, Instant givenUpAt) {
            Position position = new Position(partition, offset.toMap());
            return due(offset.looks(), givenUpAt)
                .map(mode -> listing(bucket, mode, position, known));
          }
        },
        topic);
  }

  private Listing listing(
      String bucket, ListingMode mode, Position position, Optional<KnownObjects> index) {
    return new BucketListing(
        bucket, mode, position, objects, reads, topic, index, events, config.backoff(), clock);
  }

  private Optional<ListingMode> due(Looks looks, Instant givenUpAt) {
    long number = looks.count() + 1;
    if (topic.requested() > looks.answered() || missesSomething(looks)) {
      return Optional.of(ListingMode.adHoc(number, Math.max(topic.requested(), looks.answered())));
    }
    return known.isPresent() && isListingDue(looks, givenUpAt)
        ? Optional.of(ListingMode.periodic(number, config.listing().grace()))
        : Optional.empty();
  }

  private boolean isListingDue(Looks looks, Instant givenUpAt) {
    Instant completeAt = Instant.ofEpochMilli(looks.last().endedAt());
    Instant listedAt = givenUpAt.isAfter(completeAt) ? givenUpAt : completeAt;
    return config
        .listing()
        .interval()
        .filter(interval -> !clock.instant().isBefore(listedAt.plus(interval)))
        .isPresent();
  }

  /** What an index does not know that misses the start of the topic, only force can tell. */
  private boolean missesSomething(Looks looks) {
    return config.listing().interval().isPresent()
        && known.stream()
            .anyMatch(
                index ->
                    index.isCaughtUp()
                        && index.gapSince() > 0
                        && (looks.lastForced() == null
                            || looks.lastForced().startedAt() < index.gapSince()));
  }

  /** Without buckets there is no first listing to wait for: complete from the start. */
  private Slice queueSlice() {
    Map<String, Object> partition =
        SliceOffset.queuePartition(config.source().name(), config.queueUrl());
    SliceReporter reporter = reporter(QUEUE_SLICE, 1, partition, SliceOffset.NONE);
    return new Slice(
        reporter,
        new Slice.Listings() {
          @Override
          public Listing first() {
            return new NothingToList(clock.millis());
          }

          @Override
          public Optional<Listing> next(SliceOffset offset, Instant givenUpAt) {
            return refuse();
          }
        },
        topic);
  }

  /**
   * The listing of a source that is only told: complete at once.
   *
   * @param atMs ms since the epoch
   */
  private record NothingToList(long atMs) implements Listing {
    @Override
    public List<SourceRecord> next() {
      return List.of();
    }

    @Override
    public Optional<Look> completed() {
      return Optional.of(new Look(1, atMs, atMs, 0, false, 0, null, Map.of(), Map.of()));
    }
  }

  private Optional<Listing> refuse() {
    if (topic.requested() > refused) {
      refused = topic.requested();
      LOGGER.warn(
          "An ad-hoc snapshot was requested and cannot be made: {} names no bucket to list",
          S3SourceConfig.BUCKETS_CONFIG);
    }
    return Optional.empty();
  }

  private SliceReporter reporter(
      String name, int count, Map<String, Object> partition, SliceOffset offset) {
    SourceSlice slice = new SourceSlice(config.source().name(), config.topic(), name, count);
    return new SliceReporter(states, slice, partition, offset, config.source().heartbeatInterval());
  }

  List<Slice> slices() {
    return List.copyOf(slices);
  }

  FileEvents events() {
    return events;
  }
}
