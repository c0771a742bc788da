package io.indexview.connect.dynamodb;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.connect.common.config.AwsFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.config.RetryFragment;
import io.indexview.connect.common.config.SinkFragment;
import io.indexview.connect.common.errors.Backoff;
import io.indexview.dynamodb.DynamoDbSettings;
import io.indexview.dynamodb.NewTables;
import io.indexview.schemas.Topics;
import io.indexview.schemas.config.Validators.OneOf;
import io.indexview.views.definition.Target;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/** Configuration of the DynamoDB sink. */
public final class DynamoDbSinkConfig extends AbstractConfig {
  public static final String WRITING_GROUP = "Writing";

  public static final String ENDPOINT_CONFIG = "dynamodb.endpoint";

  public static final String MODE_CONFIG = "dynamodb.mode";
  private static final String MODE_DEFAULT = "conditional";
  private static final String MODE_DISPLAY = "Write mode";
  private static final String MODE_DOC =
      """
      conditional: one request per row; a write never replaces a row of a higher revision, and a \
      deleted row leaves a tombstone so that a late write cannot bring it back. \
      batch: up to 25 rows per request and no tombstones; faster, but a task that lost its partitions \
      without noticing can overwrite newer rows.\
      """;

  public static final String AUTO_CREATE_CONFIG = "dynamodb.auto.create";
  private static final String AUTO_CREATE_DISPLAY = "Create tables";
  private static final String AUTO_CREATE_DOC =
      """
      Create the table of a view's generation with its indexes, and the table of the metadata, \
      when it is not there; and delete the table \
      of a generation that is removed, if the sink has created it. Without it the rows of a view \
      wait until somebody creates its table; without the table of the metadata the task fails. From tables that somebody else has created the rows of a removed \
      generation are deleted one by one; the table stays.\
      """;

  private static final String PREFIX_USE =
      """
      Must be the streams app's: the states of views come from the topic view-states. The table of \
      the views' metadata has it in its name, too: the prefix and -views.\
      """;

  public static final String TOMBSTONE_RETENTION_CONFIG = "row.tombstone.retention.ms";
  private static final long TOMBSTONE_RETENTION_DEFAULT = Duration.ofDays(15).toMillis();
  private static final String TOMBSTONE_RETENTION_DISPLAY = "Row tombstone retention (ms)";
  private static final String TOMBSTONE_RETENTION_DOC =
      """
      Tombstones of rows: for how long that of a deleted row stays in mode conditional; the table's \
      time to live removes it. Use what the streams app uses for primary records \
      (tombstone.retention.ms).\
      """;

  public static final String IN_FLIGHT_CONFIG = "dynamodb.max.in.flight.requests";
  private static final int IN_FLIGHT_DEFAULT = 64;
  private static final String IN_FLIGHT_DISPLAY = "Requests in flight";
  private static final String IN_FLIGHT_DOC =
      """
      Requests that one task has in flight at most, never two of one row. When a table does not \
      take all writes, because of throttling for instance, the requests to it that may be in flight \
      are halved; they grow again with each success.\
      """;

  public static final String UNITS_CONFIG = "dynamodb.table.write.units.per.second";
  private static final int UNITS_DEFAULT = 0;
  private static final String UNITS_DISPLAY = "Write units per second and task";
  private static final String UNITS_DOC =
      """
      For each task, so all tasks together may use as many times as much: write capacity units of \
      one table, its indexes' among them, that a task uses in a second, on the average; as DynamoDB \
      tells them, one for each row at least. 0: as many as the table takes.\
      """;

  public static final String BUFFER_CONFIG = "dynamodb.buffer.max.records";
  private static final int BUFFER_DEFAULT = 5_000;
  private static final String BUFFER_DISPLAY = "Buffered records";
  private static final String BUFFER_DOC =
      """
      Records that one task holds unwritten at most, give or take one poll. With more waiting it \
      asks Kafka for no more.\
      """;

  /** How rows are written. */
  public enum WriteMode {
    /** Each row has its own request, which never replaces a row of a higher revision. */
    CONDITIONAL,
    /** Several rows share a request without conditions. */
    BATCH
  }

  private static final OneOf<WriteMode> MODES = OneOf.of(WriteMode.class);

  private final AwsFragment aws;
  private final RetryFragment retries;
  private final SinkFragment sink;
  private final NewTablesFragment newTables;

  public DynamoDbSinkConfig(Map<String, String> properties) {
    super(definition(), properties, false);
    this.aws = new AwsFragment(this);
    this.retries = new RetryFragment(this);
    this.sink = new SinkFragment(this, Target.DynamoDb.TYPE);
    this.newTables = new NewTablesFragment(this);
  }

  /** All keys of the connector. */
  public static ConfigDef definition() {
    ConfigDef definition = new ConfigDef();
    AwsFragment.update(definition);
    AwsFragment.updateEndpoint(definition, ENDPOINT_CONFIG, "DynamoDB");
    SinkFragment.update(definition, PREFIX_USE);
    ConfigGroup.in(definition, WRITING_GROUP)
        .optional(MODE_CONFIG, Type.STRING, MODE_DEFAULT, MODES, MODE_DISPLAY, MODE_DOC)
        .optional(
            AUTO_CREATE_CONFIG, Type.BOOLEAN, false, null, AUTO_CREATE_DISPLAY, AUTO_CREATE_DOC)
        .optional(
            TOMBSTONE_RETENTION_CONFIG,
            Type.LONG,
            TOMBSTONE_RETENTION_DEFAULT,
            atLeast(1_000),
            TOMBSTONE_RETENTION_DISPLAY,
            TOMBSTONE_RETENTION_DOC)
        .tuning(
            IN_FLIGHT_CONFIG,
            Type.INT,
            IN_FLIGHT_DEFAULT,
            between(1, 1_000),
            IN_FLIGHT_DISPLAY,
            IN_FLIGHT_DOC)
        .tuning(UNITS_CONFIG, Type.INT, UNITS_DEFAULT, atLeast(0), UNITS_DISPLAY, UNITS_DOC)
        .tuning(BUFFER_CONFIG, Type.INT, BUFFER_DEFAULT, atLeast(1), BUFFER_DISPLAY, BUFFER_DOC);
    NewTablesFragment.update(definition);
    RetryFragment.update(definition);
    return definition;
  }

  ConfigProblems problems() {
    ConfigProblems problems = new ConfigProblems();
    aws.validate(problems);
    retries.validate(problems);
    sink.validate(problems);
    newTables.validate(problems);
    return problems;
  }

  DynamoDbSettings store() {
    return new DynamoDbSettings(
        aws.region(),
        aws.endpoint(ENDPOINT_CONFIG),
        aws.accessKeyId(),
        aws.secretAccessKey(),
        aws.sessionToken(),
        maxInFlight());
  }

  NewTables newTables() {
    return newTables.newTables();
  }

  Topics topics() {
    return sink.topics();
  }

  WriteMode mode() {
    return MODES.parse(getString(MODE_CONFIG));
  }

  boolean autoCreate() {
    return getBoolean(AUTO_CREATE_CONFIG);
  }

  Duration tombstoneRetention() {
    return Duration.ofMillis(getLong(TOMBSTONE_RETENTION_CONFIG));
  }

  int maxInFlight() {
    return getInt(IN_FLIGHT_CONFIG);
  }

  /** Write capacity units a second of each table; 0: no bound. */
  int unitsPerSecond() {
    return getInt(UNITS_CONFIG);
  }

  int maxBuffered() {
    return getInt(BUFFER_CONFIG);
  }

  Backoff backoff() {
    return retries.backoff();
  }
}
