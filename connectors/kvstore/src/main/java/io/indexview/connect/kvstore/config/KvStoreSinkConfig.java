package io.indexview.connect.kvstore.config;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.config.RetryFragment;
import io.indexview.connect.common.config.SinkFragment;
import io.indexview.connect.common.preflight.Preflight.PreflightFragment;
import io.indexview.schemas.Topics;
import io.indexview.schemas.config.Validators.EachOnce;
import io.indexview.schemas.config.Validators.MatchesPattern;
import io.indexview.schemas.config.Validators.OneOf;
import io.indexview.views.definition.Target;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/** Configuration of the kvstore sink. What a view's rows look like comes with its topic. */
public final class KvStoreSinkConfig extends AbstractConfig {
  public static final String GROUP = "Writing";

  public static final String MODE_CONFIG = "kvstore.mode";
  private static final String MODE_DEFAULT = "overwrite";
  private static final String MODE_DISPLAY = "Write mode";
  private static final String MODE_DOC =
      """
      overwrite does not refuse late writes: a task that lost its partitions without noticing can \
      overwrite newer rows, and bring deleted ones back, until their next change. Only rows of \
      layout list are safe from that in both modes. conditional: a write never replaces a row of a \
      higher revision, and a deleted row leaves a tombstone so that a late write cannot bring it \
      back; a change of a row costs a read more, unless the task remembers the row \
      (sink.written.memory.bytes). Rows of layout key-only hold no revision: tell the streams app of \
      this mode (target.kv.sink.mode), so that such views are refused when they are submitted; a \
      sink that meets their rows nevertheless puts them to the dead letters.""";

  public static final String TOMBSTONE_RETENTION_CONFIG = "row.tombstone.retention.ms";
  private static final long TOMBSTONE_RETENTION_DEFAULT = Duration.ofDays(15).toMillis();
  private static final String TOMBSTONE_RETENTION_DISPLAY = "Row tombstone retention (ms)";
  private static final String TOMBSTONE_RETENTION_DOC =
      """
      Tombstones of rows: for how long after the deletion of a row its tombstone in the target \
      refuses late writes; then it is removed. Use what the streams app uses for primary records \
      (tombstone.retention.ms).""";

  public static final String TOMBSTONE_INTERVAL_CONFIG = "row.tombstone.removal.interval.ms";
  private static final long TOMBSTONE_INTERVAL_DEFAULT = Duration.ofDays(1).toMillis();
  private static final String TOMBSTONE_INTERVAL_DISPLAY = "Look for old row tombstones every (ms)";
  private static final String TOMBSTONE_INTERVAL_DOC =
      """
      Tombstones of rows: how often old ones are looked for, the first time when a task starts. A \
      scan reads every row of the views that can have tombstones: those of layout list, and in mode \
      conditional all.""";

  public static final String TOMBSTONE_RATE_CONFIG = "row.tombstone.removal.rate";
  private static final int TOMBSTONE_RATE_DEFAULT = 1_000;
  private static final String TOMBSTONE_RATE_DISPLAY = "Rows read a second";
  private static final String TOMBSTONE_RATE_DOC =
      """
      Tombstones of rows: how many rows a task reads in a second at most when it looks for old ones. \
      A view of 10,000,000 rows takes 2.8 hours at 1,000 a second; a higher rate loads the store \
      more.""";

  private static final MatchesPattern PREFIX =
      new MatchesPattern(Target.Kv.PREFIX_PATTERN, Target.Kv.PREFIX_RULE);

  private static final OneOf<WriteMode> MODES = OneOf.of(WriteMode.class);

  public static final String CONCURRENCY_CONFIG = "sink.concurrency";
  private static final int CONCURRENCY_DEFAULT = 32;
  private static final String CONCURRENCY_DISPLAY = "Requests at once";
  private static final String CONCURRENCY_DOC =
      """
      Requests that a task has in flight at once, each for rows of its own. More is faster and \
      loads the store more. In mode overwrite 100 rows and more that come together are put in \
      bulk, with 5 to 10 requests more to each shard of an Oracle NoSQL store, and up to 20 rows \
      that go share a request. As many may go on while later rows are written if the store is \
      slow to answer them, and one bulk.""";

  public static final String MAX_VALUE_CONFIG = "kvstore.value.max.bytes";
  private static final int MAX_VALUE_DEFAULT = 1 << 20;
  private static final int MAX_VALUE_MAX = 64 << 20;
  private static final String MAX_VALUE_DISPLAY = "Largest row value (bytes)";
  private static final String MAX_VALUE_DOC =
      """
      The most bytes that the value of a row takes; of layout list, the value that lists them. A \
      row with more goes to the dead letters, and its view is DEGRADED. A node of the store reads \
      a value into its memory as a whole, several at once, and one that has no room for it goes \
      down, again with each try: raise this only together with the nodes' heap.""";

  public static final String WRITTEN_BYTES_CONFIG = "sink.written.memory.bytes";
  private static final long WRITTEN_BYTES_DEFAULT = 32L << 20;
  private static final String WRITTEN_BYTES_DISPLAY = "Memory of written rows (bytes)";
  private static final String WRITTEN_BYTES_DOC =
      """
      What a task may take to remember the rows that it wrote last: the next change of one of them \
      needs no read in mode conditional. Not those of layout list, which several tasks write. 0: it remembers none.""";

  public static final String METADATA_PREFIXES_CONFIG = "metadata.prefixes";
  private static final String METADATA_PREFIXES_DISPLAY = "Metadata prefixes";
  private static final String METADATA_PREFIXES_DOC =
      """
      First components of the keys under which views keep their metadata: every metaPrefix that a \
      view definition names. The metadata of a dropped view is looked for here.""";

  private static final String PREFIX_USE =
      "Must be the streams app's: the states of views come from the topic view-states.";

  private static final ConfigDef DEFINITION = definition();

  private final KvStoreFragment store;
  private final RetryFragment retry;
  private final SinkFragment sink;
  private final PreflightFragment preflight;

  /**
   * @throws org.apache.kafka.common.config.ConfigException if a key is not valid
   */
  public KvStoreSinkConfig(Map<String, String> originals) {
    super(DEFINITION, originals, false);
    this.store = new KvStoreFragment(this);
    this.retry = new RetryFragment(this);
    this.sink = new SinkFragment(this, Target.Kv.TYPE);
    this.preflight = new PreflightFragment(this);
  }

  public static ConfigDef definition() {
    ConfigDef definition = new ConfigDef();
    KvStoreFragment.updateWriter(definition);
    SinkFragment.update(definition, PREFIX_USE);
    updateWriting(definition);
    RetryFragment.update(definition);
    PreflightFragment.update(definition);
    return definition;
  }

  private static void updateWriting(ConfigDef definition) {
    ConfigGroup.in(definition, GROUP)
        .optional(MODE_CONFIG, Type.STRING, MODE_DEFAULT, MODES, MODE_DISPLAY, MODE_DOC)
        .optional(
            METADATA_PREFIXES_CONFIG,
            Type.LIST,
            Target.Kv.DEFAULT_META_PREFIX,
            new EachOnce(false),
            METADATA_PREFIXES_DISPLAY,
            METADATA_PREFIXES_DOC)
        .optional(
            TOMBSTONE_RETENTION_CONFIG,
            Type.LONG,
            TOMBSTONE_RETENTION_DEFAULT,
            atLeast(1_000),
            TOMBSTONE_RETENTION_DISPLAY,
            TOMBSTONE_RETENTION_DOC)
        .tuning(
            TOMBSTONE_INTERVAL_CONFIG,
            Type.LONG,
            TOMBSTONE_INTERVAL_DEFAULT,
            atLeast(1_000),
            TOMBSTONE_INTERVAL_DISPLAY,
            TOMBSTONE_INTERVAL_DOC)
        .tuning(
            TOMBSTONE_RATE_CONFIG,
            Type.INT,
            TOMBSTONE_RATE_DEFAULT,
            atLeast(10),
            TOMBSTONE_RATE_DISPLAY,
            TOMBSTONE_RATE_DOC)
        .tuning(
            CONCURRENCY_CONFIG,
            Type.INT,
            CONCURRENCY_DEFAULT,
            between(1, 64),
            CONCURRENCY_DISPLAY,
            CONCURRENCY_DOC)
        .tuning(
            MAX_VALUE_CONFIG,
            Type.INT,
            MAX_VALUE_DEFAULT,
            between(1_024, MAX_VALUE_MAX),
            MAX_VALUE_DISPLAY,
            MAX_VALUE_DOC)
        .tuning(
            WRITTEN_BYTES_CONFIG,
            Type.LONG,
            WRITTEN_BYTES_DEFAULT,
            atLeast(0),
            WRITTEN_BYTES_DISPLAY,
            WRITTEN_BYTES_DOC);
  }

  /** Validates a configuration, and reports each problem at its key. */
  public static Config validate(Map<String, String> originals) {
    return ConfigProblems.addTo(
        new Config(DEFINITION.validate(originals)),
        () -> new KvStoreSinkConfig(originals).problems());
  }

  /** What single-key validators cannot see. */
  public ConfigProblems problems() {
    ConfigProblems problems = new ConfigProblems();
    for (ConfigFragment fragment : List.of(store, retry, sink)) {
      fragment.validate(problems);
    }
    metadataPrefixes().forEach(prefix -> checkPrefix(prefix, problems));
    return problems;
  }

  private void checkPrefix(String prefix, ConfigProblems problems) {
    if (!PREFIX.matches(prefix)) {
      problems.add(
          METADATA_PREFIXES_CONFIG,
          "\"%s\" is no metaPrefix of a view; use %s".formatted(prefix, Target.Kv.PREFIX_RULE));
    } else if (metadataPrefixes().contains(prefix + Target.Kv.HISTORY_SUFFIX)) {
      problems.add(
          METADATA_PREFIXES_CONFIG,
          "%s%s belongs to the metadata under %s; use another metaPrefix"
              .formatted(prefix, Target.Kv.HISTORY_SUFFIX, prefix));
    }
  }

  public KvStoreFragment store() {
    return store;
  }

  public RetryFragment retry() {
    return retry;
  }

  public Topics topics() {
    return sink.topics();
  }

  public List<String> metadataPrefixes() {
    return getList(METADATA_PREFIXES_CONFIG);
  }

  public WriteMode mode() {
    return MODES.parse(getString(MODE_CONFIG));
  }

  public Duration tombstoneRetention() {
    return Duration.ofMillis(getLong(TOMBSTONE_RETENTION_CONFIG));
  }

  public Duration tombstoneRemovalInterval() {
    return Duration.ofMillis(getLong(TOMBSTONE_INTERVAL_CONFIG));
  }

  public int tombstoneRemovalRate() {
    return getInt(TOMBSTONE_RATE_CONFIG);
  }

  public int concurrency() {
    return getInt(CONCURRENCY_CONFIG);
  }

  public int maxValueBytes() {
    return getInt(MAX_VALUE_CONFIG);
  }

  public long writtenBytes() {
    return getLong(WRITTEN_BYTES_CONFIG);
  }

  public PreflightFragment preflight() {
    return preflight;
  }

  /** How rows are written. */
  public enum WriteMode {
    /** Each write replaces the row, whatever its revision. */
    OVERWRITE,
    /** A write never replaces a row of a higher revision, and a deleted row leaves a tombstone. */
    CONDITIONAL
  }
}
