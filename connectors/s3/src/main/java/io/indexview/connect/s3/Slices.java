package io.indexview.connect.s3;

import io.indexview.connect.common.source.Looks;
import io.indexview.connect.common.source.SourceSlice;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.object.AttributedListings;
import io.indexview.connect.s3.object.ObjectLooks;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.record.BucketListing;
import io.indexview.connect.s3.record.ChangeTopic;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.ForcedListing;
import io.indexview.connect.s3.record.Listing;
import io.indexview.connect.s3.record.NothingToList;
import io.indexview.connect.s3.record.PeriodicListing;
import io.indexview.connect.s3.record.SliceOffset;
import io.indexview.connect.s3.record.SliceReporter;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the slices that a task answers for. */
final class Slices {
  private static final Logger LOGGER = LoggerFactory.getLogger(Slices.class);

  /** The only slice of a source that lists nothing. */
  static final String QUEUE_SLICE = "queue";

  private final S3SourceTaskConfig config;
  private final ObjectStore objects;
  private final ObjectLooks looks;
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
      Peers peers,
      ObjectLooks looks,
      Map<String, SliceOffset> offsets,
      Clock clock) {
    this.config = config;
    this.objects = peers.objects();
    this.looks = looks;
    this.topic = peers.topic();
    this.known = peers.known();
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
        new Slice.Looking() {
          @Override
          public Listing first() {
            return new BucketListing(bucket, partition, listed(), events, config.backoff(), clock);
          }

          @Override
          public Optional<Listing> next(SliceOffset offset, Instant givenUpAt) {
            return due(bucket, partition, offset, givenUpAt);
          }
        },
        topic);
  }

  /** The same objects, with all that file records tell of them. */
  private ObjectStore listed() {
    return events.needLooks()
        ? new AttributedListings(objects, looks, config::backoff, clock)
        : objects;
  }

  private Optional<Listing> due(
      String bucket, Map<String, Object> partition, SliceOffset offset, Instant givenUpAt) {
    Position position = new Position(partition, offset.toMap());
    if (topic.requested() > offset.looks().answered() || missesSomething(offset.looks())) {
      return Optional.of(resnapshot(bucket, position, offset.looks()));
    }
    return isListingDue(offset.looks(), givenUpAt)
        ? known.map(index -> listing(bucket, position, offset.looks(), index))
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

  private Listing listing(String bucket, Position position, Looks looks, KnownObjects index) {
    return new PeriodicListing(
        new PeriodicListing.Settings(bucket, position, looks.count() + 1, config.listing().grace()),
        objects,
        topic,
        index,
        events,
        config.backoff(),
        clock);
  }

  private Listing resnapshot(String bucket, Position position, Looks looks) {
    return new ForcedListing(
        bucket,
        new ForcedListing.Settings(
            position, looks.count() + 1, Math.max(topic.requested(), looks.answered()), known),
        listed(),
        topic,
        events,
        config.backoff(),
        clock);
  }

  /** Without buckets there is no first look to wait for: complete from the start. */
  private Slice queueSlice() {
    Map<String, Object> partition =
        SliceOffset.queuePartition(config.source().name(), config.queueUrl());
    SliceReporter reporter = reporter(QUEUE_SLICE, 1, partition, SliceOffset.NONE);
    return new Slice(
        reporter,
        new Slice.Looking() {
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

  private Optional<Listing> refuse() {
    if (topic.requested() > refused) {
      refused = topic.requested();
      LOGGER.warn(
          "A resnapshot is asked for and cannot be made: {} names no bucket to list",
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
