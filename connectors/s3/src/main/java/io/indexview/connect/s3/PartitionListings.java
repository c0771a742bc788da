package io.indexview.connect.s3;

import io.indexview.connect.common.source.ScanAnswers;
import io.indexview.connect.common.source.Scans;
import io.indexview.connect.common.source.SourcePartition;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.s3.index.ChangeTopic;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.listing.BucketListing;
import io.indexview.connect.s3.listing.Listing;
import io.indexview.connect.s3.listing.Listing.ListingMode;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.connect.s3.listing.ListingReporter;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.time.Time;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the source partitions that a task answers for. */
final class PartitionListings {
  private static final Logger LOGGER = LoggerFactory.getLogger(PartitionListings.class);

  /** The only source partition of a source that lists nothing. */
  static final String QUEUE_PARTITION = "queue";

  private static final String UNUSABLE_INDEX =
      "events without a sequencer wait in the queue for the index in %s: %%s; see that the brokers of kafka.bootstrap.servers and the schema registry answer, and that nobody else uses the directory"
          .formatted(ListingFragment.INDEX_DIR_CONFIG);

  private final S3SourceTaskConfig config;
  private final ObjectStore objects;
  private final ObjectReads reads;
  private final ChangeTopic topic;
  private final Optional<KnownObjects> known;
  private final BooleanSupplier eventsWait;
  private final Time time;
  private final SourceStates states;
  private final FileEvents events;
  private final List<PartitionListing> buckets = new ArrayList<>();
  private final Optional<PartitionListing> queue;
  private long refused;

  /**
   * @param offsets what Connect kept of each bucket
   * @param eventsWait whether events without a sequencer are under way, which need the index
   */
  PartitionListings(
      S3SourceTaskConfig config,
      SourceClients clients,
      ObjectReads reads,
      Map<String, ListingOffset> offsets,
      BooleanSupplier eventsWait,
      Time time) {
    this.config = config;
    this.eventsWait = eventsWait;
    this.objects = clients.objects();
    this.reads = reads;
    this.topic = clients.topic();
    this.known = clients.known();
    this.time = time;
    this.states =
        new SourceStates(
            config.source().topics().sourceStates(),
            config.index().map(KnownObjects.Settings::tombstoneRetention),
            Optional.empty(),
            refusesScans(config));
    this.events =
        new FileEvents(
            config.topic(),
            config.keyFields(),
            config.listing().attributes(),
            config.source().name(),
            time);
    for (String bucket : config.taskBuckets()) {
      buckets.add(bucketPartition(bucket, offsets.getOrDefault(bucket, ListingOffset.NONE)));
    }
    this.queue = config.ownsQueuePartition() ? Optional.of(queuePartition()) : Optional.empty();
  }

  private PartitionListing bucketPartition(String bucket, ListingOffset offset) {
    Map<String, Object> partition = ListingOffset.bucketPartition(config.source().name(), bucket);
    ScanAnswers answers = new ScanAnswers(topic::scanRequest);
    ListingReporter reporter =
        reporter(bucket, config.buckets().size(), partition, offset, answers);
    return new PartitionListing(
        reporter,
        new PartitionListing.Listings() {
          @Override
          public Listing first() {
            Position position = new Position(partition, ListingOffset.NONE.toMap());
            return listing(bucket, ListingMode.initial(), position, Optional.empty(), answers);
          }

          @Override
          public Optional<Listing> next(ListingOffset offset, Instant givenUpAt) {
            Position position = new Position(partition, offset.toMap());
            return due(offset, givenUpAt, answers)
                .map(mode -> listing(bucket, mode, position, known, answers));
          }

          @Override
          public Optional<String> heldUp() {
            return unusableIndex();
          }
        },
        topic,
        time);
  }

  private Listing listing(
      String bucket,
      ListingMode mode,
      Position position,
      Optional<KnownObjects> index,
      ScanAnswers answers) {
    answers.begins();
    return new BucketListing(
        bucket, mode, position, objects, reads, topic, index, events, config.backoff(), time);
  }

  /** Listings say for themselves what they wait for. */
  private Optional<String> unusableIndex() {
    return known
        .filter(index -> eventsWait.getAsBoolean())
        .flatMap(index -> index.outage(Listing.OUTAGE))
        .map(UNUSABLE_INDEX::formatted);
  }

  private Optional<ListingMode> due(ListingOffset offset, Instant givenUpAt, ScanAnswers answers) {
    Scans scans = offset.scans();
    long number = scans.count() + 1;
    // Without periodic listings nothing else tells that a stored problem is over.
    boolean isLeftOver =
        offset.problem() != null && (known.isEmpty() || config.listing().interval().isEmpty());
    if (topic.requested() > scans.answered() || missesSomething(scans) || isLeftOver) {
      return Optional.of(ListingMode.adHoc(number, Math.max(topic.requested(), scans.answered())));
    }
    return known.isPresent()
            && (isAsked(scans, givenUpAt, answers) || isListingDue(scans, givenUpAt))
        ? Optional.of(ListingMode.periodic(number, config.listing().grace()))
        : Optional.empty();
  }

  /** What could not be completed since the request would not be now. */
  private boolean isAsked(Scans scans, Instant givenUpAt, ScanAnswers answers) {
    return config.listing().interval().isPresent()
        && answers.isAsked(latest(scans.last().startedAtMs(), givenUpAt));
  }

  /**
   * The later one of both times, in ms since the epoch. A time in the future is from before the
   * clock was set back, and does not count.
   */
  private long latest(long listedAt, Instant givenUpAt) {
    long now = time.millis();
    long givenUp = givenUpAt.equals(Instant.MIN) ? 0 : givenUpAt.toEpochMilli();
    return LongStream.of(listedAt, givenUp).filter(time -> time <= now).max().orElse(0);
  }

  /** Why buckets are not listed when somebody asks for it; empty: they are. */
  private static String refusesScans(S3SourceTaskConfig config) {
    if (config.buckets().isEmpty()) {
      return "it names no bucket to list (%s)".formatted(S3SourceConfig.BUCKETS_CONFIG);
    }
    return config.listing().interval().isPresent()
        ? ""
        : "it lists its buckets only once (%s=0)".formatted(ListingFragment.INTERVAL_CONFIG);
  }

  private boolean isListingDue(Scans scans, Instant givenUpAt) {
    long passed = time.millis() - latest(scans.last().endedAtMs(), givenUpAt);
    return config.listing().interval().filter(due -> passed >= due.toMillis()).isPresent();
  }

  /** Only an ad-hoc snapshot names what an index misses that did not see the topic's start. */
  private boolean missesSomething(Scans scans) {
    return config.listing().interval().isPresent()
        && known.stream()
            .anyMatch(
                index ->
                    index.isCaughtUp()
                        && index.gapSince() > 0
                        && (scans.lastAdHocSnapshot() == null
                            || scans.lastAdHocSnapshot().startedAtMs() < index.gapSince()));
  }

  /**
   * The source partition of the queue. Without buckets there is no first listing to wait for: it is
   * complete from the start.
   */
  private PartitionListing queuePartition() {
    Map<String, Object> partition =
        ListingOffset.queuePartition(config.source().name(), config.queueUrl());
    ListingReporter reporter =
        reporter(
            QUEUE_PARTITION, 1, partition, ListingOffset.NONE, new ScanAnswers(Optional::empty));
    return new PartitionListing(
        reporter,
        new PartitionListing.Listings() {
          @Override
          public Listing first() {
            return new NothingToList(time.millis());
          }

          @Override
          public Optional<Listing> next(ListingOffset offset, Instant givenUpAt) {
            return refuse();
          }

          @Override
          public Optional<String> heldUp() {
            return unusableIndex();
          }
        },
        topic,
        time);
  }

  /**
   * The listing of a source that only takes notifications: complete at once.
   *
   * @param atMs ms since the epoch
   */
  private record NothingToList(long atMs) implements Listing {
    @Override
    public List<SourceRecord> next() {
      return List.of();
    }

    @Override
    public Optional<Scan> completed() {
      return Optional.of(
          new Scan(1, atMs, atMs, 0, false, 0, Optional.empty(), Map.of(), Map.of()));
    }
  }

  private Optional<Listing> refuse() {
    if (topic.requested() > refused) {
      refused = topic.requested();
      LOGGER.warn(
          "An ad-hoc snapshot was requested and is not made: name the buckets to list in {}",
          S3SourceConfig.BUCKETS_CONFIG);
    }
    return Optional.empty();
  }

  private ListingReporter reporter(
      String name,
      int count,
      Map<String, Object> partition,
      ListingOffset offset,
      ScanAnswers answers) {
    SourcePartition sourcePartition =
        new SourcePartition(config.source().name(), config.topic(), name, count);
    return new ListingReporter(
        states,
        sourcePartition,
        partition,
        offset,
        config.source().heartbeatInterval(),
        answers,
        time);
  }

  List<PartitionListing> sourcePartitions() {
    return Stream.concat(buckets.stream(), queue.stream()).toList();
  }

  /** Buckets of which no listing is complete yet. For any thread. */
  long unlistedBuckets() {
    return buckets.stream().filter(bucket -> !bucket.isListed()).count();
  }

  /** Buckets whose listing cannot be completed now. For any thread. */
  long incompleteBuckets() {
    return buckets.stream().filter(PartitionListing::isHindered).count();
  }

  FileEvents events() {
    return events;
  }
}
