package io.indexview.connect.s3;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.s3.record.FileEvents.Attribute;
import io.indexview.schemas.config.Validators.OneOf;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;

/** How the source lists buckets and reads objects itself, and what it remembers for that. */
final class ListingFragment extends ConfigFragment {
  static final String GROUP = "Listings and metadata reads";

  static final String INTERVAL_CONFIG = "s3.listing.interval.ms";
  private static final long NEVER = 0;
  private static final String INTERVAL_DISPLAY = "Listing interval (ms)";
  private static final String INTERVAL_DOC =
      """
      Time from the end of one listing of a bucket to the start of the next, which finds what \
      notifications missed: creations, changes, removals. 0: buckets are listed once. Needs \
      index.dir and s3.buckets. A listing costs one request per 1,000 objects.\
      """;

  static final String GRACE_CONFIG = "s3.listing.grace.ms";
  private static final long GRACE_DEFAULT = 60_000;
  private static final String GRACE_DISPLAY = "Grace of a difference (ms)";
  private static final String GRACE_DOC =
      """
      What a periodic listing finds different is read (HEAD) after this time, in which the notification \
      that is on its way should come, and published only if it still differs. The first listing \
      needs none.\
      """;

  static final String CONCURRENCY_CONFIG = "s3.metadata.read.concurrency";
  private static final int CONCURRENCY_DEFAULT = 16;
  private static final String CONCURRENCY_DISPLAY = "Metadata reads at once";
  private static final String CONCURRENCY_DOC =
      "Objects whose metadata one task reads (HEAD) at once, at most.";

  static final String INDEX_DIR_CONFIG = "index.dir";
  private static final String INDEX_DIR_DISPLAY = "Index directory";
  private static final String INDEX_DIR_DOC =
      """
      Directory on the worker's disk for the index of objects, about 150 bytes per object and task: \
      the whole change topic, materialized. Needed by periodic listings and by events without a \
      sequencer, which without it are left to the queue's redrive policy. If it is lost it is read \
      from the topic again; if the topic is trimmed by then, the listed buckets are published once \
      more.\
      """;

  static final String RETENTION_CONFIG = "tombstone.retention.ms";
  private static final long RETENTION_DEFAULT = Duration.ofDays(15).toMillis();
  private static final String RETENTION_DISPLAY = "Tombstone retention (ms)";
  private static final String RETENTION_DOC =
      "Tombstones of primary records: how long the streams app remembers a deleted key. Must be the"
          + " app's tombstone.retention.ms; the index remembers it twice as long.";

  static final String ATTRIBUTES_CONFIG = "s3.attributes";
  private static final String ATTRIBUTES_DISPLAY = "Attributes";
  private static final String ATTRIBUTES_DOC =
      """
      What file records get that takes a read (HEAD) of each object: user_metadata (field \
      userMetadata), content_type (contentType), tags (tags, a second request). None by default. A \
      listing reads each object, too.\
      """;

  static final String READ_EVENTS_CONFIG = "s3.metadata.read.events";
  private static final String READ_EVENTS_DISPLAY = "Events that read the object";
  private static final String READ_EVENTS_DOC =
      """
      Beginnings of types of events that are no creation or removal, and yet make the source read \
      the object and publish it again: ObjectRestore, ObjectTagging; through EventBridge Object \
      Restore, Object Tags; of MinIO ObjectCreated:PutTagging; of Ceph ObjectSynced, which is all \
      that a zone tells that only synchronizes. Others are skipped and counted. They have no place \
      in the order of their object's events, so index.dir is needed.\
      """;

  static final String SEQUENCERS_CONFIG = "s3.sequencers";
  private static final String SEQUENCERS_DISPLAY = "Sequencers";
  private static final String SEQUENCERS_DOC =
      """
      trust: an event's sequencer tells its place in the order of its object's events, as Amazon S3 \
      promises. ignore: no event has one, and the source reads each object (needs index.dir): \
      for servers whose sequencers are the clocks of several nodes that do not agree, as MinIO's \
      and Ceph's can be.\
      """;

  /** What sequencers are worth. */
  enum Sequencers {
    TRUST,
    IGNORE
  }

  private static final OneOf<Sequencers> SEQUENCERS = OneOf.of(Sequencers.class);
  private static final OneOf<Attribute> ATTRIBUTES = OneOf.of(Attribute.class);

  ListingFragment(AbstractConfig config) {
    super(config);
  }

  static void update(ConfigDef definition) {
    ConfigGroup.in(definition, GROUP)
        .optional(INTERVAL_CONFIG, Type.LONG, NEVER, atLeast(0), INTERVAL_DISPLAY, INTERVAL_DOC)
        .optional(
            ATTRIBUTES_CONFIG,
            Type.LIST,
            List.of(),
            ConfigDef.LambdaValidator.with(
                ListingFragment::validateAttributes, ATTRIBUTES::toString),
            ATTRIBUTES_DISPLAY,
            ATTRIBUTES_DOC)
        .optional(
            READ_EVENTS_CONFIG,
            Type.LIST,
            List.of(),
            ConfigDef.LambdaValidator.with(
                ListingFragment::validateReadEvents, () -> "without s3: before them and * behind"),
            READ_EVENTS_DISPLAY,
            READ_EVENTS_DOC)
        .optional(
            SEQUENCERS_CONFIG, Type.STRING, "trust", SEQUENCERS, SEQUENCERS_DISPLAY, SEQUENCERS_DOC)
        .optional(INDEX_DIR_CONFIG, Type.STRING, null, null, INDEX_DIR_DISPLAY, INDEX_DIR_DOC)
        .tuning(GRACE_CONFIG, Type.LONG, GRACE_DEFAULT, atLeast(0), GRACE_DISPLAY, GRACE_DOC)
        .tuning(
            CONCURRENCY_CONFIG,
            Type.INT,
            CONCURRENCY_DEFAULT,
            between(1, 256),
            CONCURRENCY_DISPLAY,
            CONCURRENCY_DOC)
        .tuning(
            RETENTION_CONFIG,
            Type.LONG,
            RETENTION_DEFAULT,
            atLeast(1),
            RETENTION_DISPLAY,
            RETENTION_DOC);
  }

  private static void validateAttributes(String name, Object value) {
    for (Object attribute : (List<?>) value) {
      ATTRIBUTES.ensureValid(name, attribute);
    }
  }

  /** The names that a notification configuration takes are those of no event. */
  private static void validateReadEvents(String name, Object value) {
    for (Object type : (List<?>) value) {
      String text = ((String) type).strip();
      if (text.isEmpty() || text.startsWith("s3:") || text.endsWith("*")) {
        throw new ConfigException(
            name,
            value,
            "give beginnings of types as they stand in events: ObjectTagging, not s3:ObjectTagging:*");
      }
    }
  }

  @Override
  public void validate(ConfigProblems problems) {
    if (!trustsSequencers() && indexDir().isEmpty()) {
      problems.add(
          INDEX_DIR_CONFIG,
          "%s=ignore needs it to compare objects with: give a directory"
              .formatted(SEQUENCERS_CONFIG));
    }
    if (!readTypes().isEmpty() && indexDir().isEmpty()) {
      problems.add(
          INDEX_DIR_CONFIG,
          "the events of %s carry no sequencer: give a directory, or take them away"
              .formatted(READ_EVENTS_CONFIG));
    }
    if (interval().isPresent() && indexDir().isEmpty()) {
      problems.add(
          INDEX_DIR_CONFIG,
          "periodic listings compare with it: give a directory, or set %s to 0"
              .formatted(INTERVAL_CONFIG));
    }
    if (interval().isPresent() && config().getList(S3SourceConfig.BUCKETS_CONFIG).isEmpty()) {
      problems.add(
          INTERVAL_CONFIG,
          "%s names no bucket to list; name them, or set this to 0"
              .formatted(S3SourceConfig.BUCKETS_CONFIG));
    }
    indexDir()
        .filter(dir -> Files.exists(dir) && !(Files.isDirectory(dir) && Files.isWritable(dir)))
        .ifPresent(
            dir ->
                problems.add(
                    INDEX_DIR_CONFIG, dir + " is no directory that can be written on this worker"));
  }

  /** Empty: buckets are listed once. */
  Optional<Duration> interval() {
    return Optional.of(millis(INTERVAL_CONFIG)).filter(interval -> !interval.isZero());
  }

  Duration grace() {
    return millis(GRACE_CONFIG);
  }

  Set<Attribute> attributes() {
    return config().getList(ATTRIBUTES_CONFIG).stream()
        .map(ATTRIBUTES::parse)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether file records need more than listings and notifications say. */
  boolean readsObjects() {
    return !attributes().isEmpty() || indexDir().isPresent();
  }

  boolean trustsSequencers() {
    return SEQUENCERS.parse(config().getString(SEQUENCERS_CONFIG)) == Sequencers.TRUST;
  }

  List<String> readTypes() {
    return config().getList(READ_EVENTS_CONFIG);
  }

  int concurrency() {
    return config().getInt(CONCURRENCY_CONFIG);
  }

  /** Empty: there is no index. */
  Optional<Path> indexDir() {
    return Optional.ofNullable(config().getString(INDEX_DIR_CONFIG))
        .filter(dir -> !dir.isBlank())
        .map(Path::of);
  }

  Duration tombstoneRetention() {
    return millis(RETENTION_CONFIG);
  }
}
