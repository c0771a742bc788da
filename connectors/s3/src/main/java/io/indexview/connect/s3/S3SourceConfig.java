package io.indexview.connect.s3;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.aws.AwsAccess;
import io.indexview.connect.common.config.AwsFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.config.KafkaFragment;
import io.indexview.connect.common.config.RetryFragment;
import io.indexview.connect.common.config.SourceFragment;
import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.preflight.Preflight.PreflightFragment;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.schemas.config.Validators.HttpAddress;
import io.indexview.schemas.config.Validators.MatchesPattern;
import io.indexview.schemas.config.Validators.OneOf;
import io.indexview.schemas.registry.RegistryConfig;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;

/** Configuration of the S3 source. */
public class S3SourceConfig extends AbstractConfig {
  public static final String POLLING_GROUP = "Polling";
  public static final String RECORD_GROUP = "Record";
  public static final String KAFKA_GROUP = "Kafka";

  public static final String SQS_ENDPOINT_CONFIG = "sqs.endpoint";
  public static final String S3_ENDPOINT_CONFIG = "s3.endpoint";

  public static final String TOPIC_CONFIG = "s3.topic";
  private static final String TOPIC_DISPLAY = "Topic";
  private static final String TOPIC_DOC =
      "The primary-change topic of the file records. It must exist.";

  public static final String QUEUE_URL_CONFIG = "sqs.queue.url";
  private static final String QUEUE_URL_DISPLAY = "Queue URL";
  private static final String QUEUE_URL_DOC =
      """
      URL of the SQS queue that the buckets' notifications come to: directly, through an SNS topic, \
      or through EventBridge. Nothing else may read from it. Give it a redrive policy: messages \
      that cannot be read stay in the queue until it takes them away.\
      """;

  static final String INDEX_DIR_CONFIG = ListingFragment.INDEX_DIR_CONFIG;

  public static final String BUCKETS_CONFIG = "s3.buckets";
  private static final String BUCKETS_DISPLAY = "Buckets";
  private static final String BUCKETS_DOC =
      """
      Buckets that are listed when the source begins, so that objects from before their \
      notifications were switched on are found; again and again with s3.listing.interval.ms. Switch \
      the notifications on first. Events of other buckets are refused and left to the queue's \
      redrive policy. Without buckets the events of all are taken, and the source counts as \
      complete from its start.\
      """;

  public static final String KEY_PATTERN_CONFIG = "s3.key.pattern";
  private static final String KEY_PATTERN_DISPLAY = "Object key pattern";
  private static final String KEY_PATTERN_DOC =
      """
      Regular expression for a whole object key; its named groups uploadUser and fileId become \
      fields of the file record. By default user_file.ext and user-file.ext in any folder. A key \
      that does not match has no user, and its last part as file id.\
      """;

  public static final String RECEIVERS_CONFIG = "sqs.receivers";
  private static final int RECEIVERS_DEFAULT = 16;
  private static final String RECEIVERS_DISPLAY = "Receivers";
  private static final String RECEIVERS_DOC =
      """
      Receive requests that one task has open at the queue at once, at most: it has one while the \
      queue has little, and more while answers are full. Each brings up to 10 messages: 16 of them \
      about 5,000 messages a second where the queue takes 30 ms to answer.\
      """;

  public static final String WAIT_CONFIG = "sqs.receive.wait.ms";
  private static final long WAIT_DEFAULT = 10_000;
  private static final String WAIT_DISPLAY = "Long poll (ms)";
  private static final String WAIT_DOC =
      "How long an open receive request waits for messages; SQS counts whole seconds.";

  public static final String VISIBILITY_CONFIG = "sqs.visibility.timeout.ms";
  private static final long VISIBILITY_DEFAULT = 60_000;
  private static final String VISIBILITY_DISPLAY = "Visibility timeout (ms)";
  private static final String VISIBILITY_DOC =
      """
      After this time without a word of the task a message is handed out again. The task extends \
      it for as long as it works on a message. A message that cannot be read is seen again after \
      this time.\
      """;

  public static final String IN_FLIGHT_CONFIG = "s3.max.in.flight.messages";
  private static final int IN_FLIGHT_DEFAULT = 1_000;
  private static final String IN_FLIGHT_DISPLAY = "Messages in flight";
  private static final String IN_FLIGHT_DOC =
      """
      Messages that one task has received and not deleted at most; with more it receives no \
      further ones, nor while records are still to be made of messages of 16 million characters; \
      what requests that are open then bring comes on top. SQS allows 120,000 per queue.\
      """;

  public static final String UNREADABLE_CONFIG = "sqs.unreadable.messages";
  private static final String UNREADABLE_DISPLAY = "Unreadable messages";
  private static final String UNREADABLE_DOC =
      """
      What becomes of a message that can never be read (no JSON, no S3 event). redrive: it stays \
      for the queue's redrive policy. dead_letter: it is copied to the dead-letter topic of the \
      installation (its key is the message's id) and deleted.\
      """;

  /** What becomes of messages that can never be read. */
  enum Unreadable {
    REDRIVE,
    DEAD_LETTER
  }

  private static final OneOf<Unreadable> UNREADABLE = OneOf.of(Unreadable.class);

  private static final String BOOTSTRAP_DOC =
      """
      Brokers that tell which topic the source lists for, so that one that was deleted and created \
      again is not taken for complete, and the requests to publish every record again \
      (indexview.source-requests), which need buckets to list.\
      """;

  /**
   * How names end that S3 gives to no general purpose bucket. Events do not name aliases of access
   * points, and directory buckets are listed in no order.
   */
  private static final List<String> OTHER_ENDINGS =
      List.of("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3");

  private static final Pattern QUEUE_HOST =
      Pattern.compile("sqs\\.([a-z0-9-]+)\\.amazonaws\\.com(?:\\.cn)?");

  /** Key of Connect itself. */
  private static final String TOLERANCE_CONFIG = "errors.tolerance";

  private final SourceFragment source;
  private final AwsFragment aws;
  private final RetryFragment retries;
  private final KafkaFragment kafka;
  private final ListingFragment listing;
  private final PreflightFragment preflight;

  public S3SourceConfig(Map<String, String> properties) {
    this(definition(), properties);
  }

  S3SourceConfig(ConfigDef definition, Map<String, String> properties) {
    super(definition, properties, false);
    this.source = new SourceFragment(this);
    this.aws = new AwsFragment(this);
    this.retries = new RetryFragment(this);
    this.kafka = new KafkaFragment(this);
    this.listing = new ListingFragment(this);
    this.preflight = new PreflightFragment(this);
  }

  /** All keys of the connector. */
  public static ConfigDef definition() {
    ConfigDef definition = new ConfigDef();
    PreflightFragment.update(definition);
    SourceFragment.update(definition);
    ConfigGroup.in(definition, SourceFragment.GROUP)
        .required(TOPIC_CONFIG, Type.STRING, MatchesPattern.TOPIC, TOPIC_DISPLAY, TOPIC_DOC)
        .optional(BUCKETS_CONFIG, Type.LIST, List.of(), null, BUCKETS_DISPLAY, BUCKETS_DOC);
    AwsFragment.update(definition);
    ConfigGroup.in(definition, AwsFragment.CONNECTION_GROUP)
        .required(
            QUEUE_URL_CONFIG, Type.STRING, new HttpAddress(), QUEUE_URL_DISPLAY, QUEUE_URL_DOC);
    AwsFragment.updateEndpoint(definition, SQS_ENDPOINT_CONFIG, "SQS");
    AwsFragment.updateEndpoint(definition, S3_ENDPOINT_CONFIG, "S3");
    updatePolling(definition);
    ListingFragment.update(definition);
    ConfigGroup.in(definition, RECORD_GROUP)
        .optional(
            KEY_PATTERN_CONFIG,
            Type.STRING,
            ObjectKeyFields.DEFAULT_PATTERN,
            ConfigDef.LambdaValidator.with(
                S3SourceConfig::validateKeyPattern, () -> "a regular expression"),
            KEY_PATTERN_DISPLAY,
            KEY_PATTERN_DOC);
    KafkaFragment.updateRequired(definition, KAFKA_GROUP, BOOTSTRAP_DOC);
    RegistryConfig.update(definition);
    RetryFragment.update(definition);
    return definition;
  }

  private static void updatePolling(ConfigDef definition) {
    ConfigGroup.in(definition, POLLING_GROUP)
        .tuning(
            RECEIVERS_CONFIG,
            Type.INT,
            RECEIVERS_DEFAULT,
            between(1, 64),
            RECEIVERS_DISPLAY,
            RECEIVERS_DOC)
        .tuning(WAIT_CONFIG, Type.LONG, WAIT_DEFAULT, between(0, 20_000), WAIT_DISPLAY, WAIT_DOC)
        .tuning(
            VISIBILITY_CONFIG,
            Type.LONG,
            VISIBILITY_DEFAULT,
            between(2_000, 43_200_000),
            VISIBILITY_DISPLAY,
            VISIBILITY_DOC)
        .tuning(
            IN_FLIGHT_CONFIG,
            Type.INT,
            IN_FLIGHT_DEFAULT,
            atLeast(10),
            IN_FLIGHT_DISPLAY,
            IN_FLIGHT_DOC)
        .optional(
            UNREADABLE_CONFIG,
            Type.STRING,
            "redrive",
            UNREADABLE,
            UNREADABLE_DISPLAY,
            UNREADABLE_DOC);
  }

  private static void validateKeyPattern(String name, Object value) {
    try {
      new ObjectKeyFields((String) value);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(name, value, e.getMessage());
    }
  }

  ConfigProblems problems() {
    ConfigProblems problems = new ConfigProblems();
    source.validate(problems);
    aws.validate(problems);
    retries.validate(problems);
    listing.validate(problems);
    if ("all".equalsIgnoreCase((String) originals().get(TOLERANCE_CONFIG))) {
      problems.add(
          TOLERANCE_CONFIG,
          "set it to none: a message whose event cannot be converted would be deleted, and the"
              + " event be lost");
    }
    queueRegion()
        .filter(region -> aws.endpoint(SQS_ENDPOINT_CONFIG) == null && !region.equals(aws.region()))
        .ifPresent(
            region ->
                problems.add(
                    AwsFragment.REGION_CONFIG,
                    "%s names a queue of the region %s; set this to it, buckets may be elsewhere"
                        .formatted(QUEUE_URL_CONFIG, region)));
    List<String> buckets = getList(BUCKETS_CONFIG);
    if (new LinkedHashSet<>(buckets).size() < buckets.size()) {
      problems.add(BUCKETS_CONFIG, "names a bucket twice");
    }
    if (buckets.stream().anyMatch(bucket -> bucket.isBlank() || bucket.contains("/"))) {
      problems.add(BUCKETS_CONFIG, "give names of buckets, without prefixes or empty ones");
    }
    buckets.stream()
        .filter(bucket -> aws.endpoint(S3_ENDPOINT_CONFIG) == null)
        .filter(bucket -> OTHER_ENDINGS.stream().anyMatch(bucket::endsWith))
        .forEach(
            bucket ->
                problems.add(
                    BUCKETS_CONFIG,
                    "%s is an access point, or no general purpose bucket: give the bucket that its events name"
                        .formatted(bucket)));
    return problems;
  }

  SourceFragment source() {
    return source;
  }

  KafkaFragment kafka() {
    return kafka;
  }

  ListingFragment listing() {
    return listing;
  }

  PreflightFragment preflight() {
    return preflight;
  }

  /** What to tell of a bucket that cannot be listed. */
  static String notListed(AwsRequestException.Permanent refusal) {
    return "%s; give the permission s3:ListBucket for it, or take it from %s"
        .formatted(refusal.getMessage(), BUCKETS_CONFIG);
  }

  Backoff backoff() {
    return retries.backoff();
  }

  String topic() {
    return getString(TOPIC_CONFIG);
  }

  String queueUrl() {
    return getString(QUEUE_URL_CONFIG);
  }

  /** The region that a queue's URL at AWS names. */
  private Optional<String> queueRegion() {
    Matcher aws = QUEUE_HOST.matcher(URI.create(queueUrl()).getHost());
    return aws.matches() ? Optional.of(aws.group(1)) : Optional.empty();
  }

  AwsAccess sqs() {
    return access(SQS_ENDPOINT_CONFIG);
  }

  AwsAccess s3() {
    return access(S3_ENDPOINT_CONFIG);
  }

  private AwsAccess access(String endpointKey) {
    return new AwsAccess(
        aws.region(),
        aws.endpoint(endpointKey),
        aws.accessKeyId(),
        aws.secretAccessKey(),
        aws.sessionToken());
  }

  List<String> buckets() {
    return getList(BUCKETS_CONFIG);
  }

  ObjectKeyFields keyFields() {
    return new ObjectKeyFields(getString(KEY_PATTERN_CONFIG));
  }

  int receivers() {
    return getInt(RECEIVERS_CONFIG);
  }

  Duration receiveWait() {
    return Duration.ofMillis(getLong(WAIT_CONFIG));
  }

  Duration visibility() {
    return Duration.ofMillis(getLong(VISIBILITY_CONFIG));
  }

  /** The topic that messages go to that can never be read; empty: they are left to the queue. */
  Optional<String> deadLetters() {
    return UNREADABLE.parse(getString(UNREADABLE_CONFIG)) == Unreadable.DEAD_LETTER
        ? Optional.of(source.topics().deadLetters())
        : Optional.empty();
  }

  int maxInFlight() {
    return getInt(IN_FLIGHT_CONFIG);
  }
}
