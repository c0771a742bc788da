package io.indexview.connect.kvstore.config;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.config.KafkaFragment;
import io.indexview.kvstore.KvValidators;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Type;

/** How a source scans the store, and the index it compares what it sees with. */
public final class ScanFragment extends ConfigFragment {
  public static final String GROUP = "Scans";
  public static final String INDEX_GROUP = "Index";

  public static final String INCARNATION_CONFIG = "kvstore.incarnation";
  private static final String INCARNATION_DISPLAY = "Store incarnation";
  private static final String INCARNATION_DOC =
      """
      Part of the epoch of every version. Change it (1, 2, 3 ...) after the store was restored from \
      a backup: its versions count from an older state then.""";

  public static final String INTERVAL_CONFIG = "scan.interval.ms";
  private static final long INTERVAL_DEFAULT = 10_000;
  private static final String INTERVAL_DISPLAY = "Scan interval (ms)";
  private static final String INTERVAL_DOC =
      """
      Time from the end of a scan to the start of the next, at least. A change that no writer \
      publishes is seen within this time and the length of a scan; where scans have found nothing, \
      see scan.max.time.percent.""";

  public static final String MAX_TIME_CONFIG = "scan.max.time.percent";
  private static final int MAX_TIME_DEFAULT = 2;
  private static final String MAX_TIME_DISPLAY = "Time of scans that find nothing (%)";
  private static final String MAX_TIME_DOC =
      """
      Share of the time that scans of a record set take, about, as long as they find nothing: the \
      longer the shorter of the last two scans took, the later comes the next, up to \
      scan.max.interval.ms. After a scan that found a change it comes after scan.interval.ms. 100: always \
      after scan.interval.ms.""";

  public static final String MAX_INTERVAL_CONFIG = "scan.max.interval.ms";
  private static final long MAX_INTERVAL_DEFAULT = Duration.ofMinutes(5).toMillis();
  private static final String MAX_INTERVAL_DISPLAY = "Longest scan interval (ms)";
  private static final String MAX_INTERVAL_DOC =
      """
      Longest time that scan.max.time.percent puts between two scans. A change that no writer \
      publishes is seen within this time and the length of a scan, whatever scans found before.""";

  public static final String CONCURRENCY_CONFIG = "scan.concurrency";
  private static final int CONCURRENCY_DEFAULT = 4;
  private static final String CONCURRENCY_DISPLAY = "Partitions read at once";
  private static final String CONCURRENCY_DOC =
      "Partitions of the store that a scan reads at once. More is faster and loads the store more.";

  public static final String MAX_RECORDS_CONFIG = "scan.max.records.per.second";
  private static final String MAX_RECORDS_DISPLAY = "Records per second";
  private static final String MAX_RECORDS_DOC =
      """
      Records of the store that the scans of one record set read per second at most; 0: as fast as \
      they can. Less leaves more of the store to others, and lets changes that no writer publishes \
      wait longer.""";

  public static final String MAX_BYTES_CONFIG = "scan.max.bytes.per.second";
  private static final String MAX_BYTES_DISPLAY = "Bytes per second";
  private static final String MAX_BYTES_DOC =
      """
      Bytes of values that the scans of one record set read per second at most; 0: as many as they \
      can.""";

  public static final String BATCH_CONFIG = "batch.max.records";
  private static final int BATCH_DEFAULT = 500;
  private static final String BATCH_DISPLAY = "Records per batch";
  private static final String BATCH_DOC = "Events that one poll of a task returns at most.";

  public static final String INDEX_DIR_CONFIG = "index.dir";
  private static final String INDEX_DIR_DISPLAY = "Index directory";
  private static final String INDEX_DIR_DOC =
      """
      Directory on the worker's disk for the index of versions, about 100 bytes per record. If it \
      is lost the index is read from the topic again; if the topic is trimmed by then, every record \
      is published once more.""";

  public static final String RETENTION_CONFIG = "tombstone.retention.ms";
  private static final long RETENTION_DEFAULT = Duration.ofDays(15).toMillis();
  private static final String RETENTION_DISPLAY = "Tombstone retention (ms)";
  private static final String RETENTION_DOC =
      "Tombstones of primary records: how long a deleted key is remembered. Must be the streams"
          + " app's tombstone.retention.ms.";

  private static final String BOOTSTRAP_DOC =
      "Brokers to read the primary-change topics and requests to publish every record again from.";

  public ScanFragment(AbstractConfig config) {
    super(config);
  }

  public static void update(ConfigDef definition) {
    ConfigGroup.in(definition, GROUP)
        .optional(
            INTERVAL_CONFIG,
            Type.LONG,
            INTERVAL_DEFAULT,
            atLeast(1),
            INTERVAL_DISPLAY,
            INTERVAL_DOC)
        .optional(
            MAX_INTERVAL_CONFIG,
            Type.LONG,
            MAX_INTERVAL_DEFAULT,
            atLeast(1),
            MAX_INTERVAL_DISPLAY,
            MAX_INTERVAL_DOC)
        .optional(
            MAX_TIME_CONFIG,
            Type.INT,
            MAX_TIME_DEFAULT,
            between(1, 100),
            MAX_TIME_DISPLAY,
            MAX_TIME_DOC)
        .optional(
            INCARNATION_CONFIG,
            Type.STRING,
            "1",
            KvValidators.INCARNATION,
            INCARNATION_DISPLAY,
            INCARNATION_DOC)
        .tuning(
            CONCURRENCY_CONFIG,
            Type.INT,
            CONCURRENCY_DEFAULT,
            between(1, 64),
            CONCURRENCY_DISPLAY,
            CONCURRENCY_DOC)
        .tuning(MAX_RECORDS_CONFIG, Type.LONG, 0, atLeast(0), MAX_RECORDS_DISPLAY, MAX_RECORDS_DOC)
        .tuning(MAX_BYTES_CONFIG, Type.LONG, 0, atLeast(0), MAX_BYTES_DISPLAY, MAX_BYTES_DOC)
        .tuning(
            BATCH_CONFIG, Type.INT, BATCH_DEFAULT, between(1, 10_000), BATCH_DISPLAY, BATCH_DOC);
    ConfigGroup.in(definition, INDEX_GROUP)
        .required(
            INDEX_DIR_CONFIG, Type.STRING, new NonEmptyString(), INDEX_DIR_DISPLAY, INDEX_DIR_DOC);
    KafkaFragment.updateRequired(definition, INDEX_GROUP, BOOTSTRAP_DOC);
    ConfigGroup.in(definition, INDEX_GROUP)
        .tuning(
            RETENTION_CONFIG,
            Type.LONG,
            RETENTION_DEFAULT,
            atLeast(1),
            RETENTION_DISPLAY,
            RETENTION_DOC);
  }

  @Override
  public void validate(ConfigProblems problems) {
    Path dir = indexDir();
    if (Files.exists(dir) && !(Files.isDirectory(dir) && Files.isWritable(dir))) {
      problems.add(INDEX_DIR_CONFIG, dir + " is no directory that can be written on this worker");
    }
  }

  public String incarnation() {
    return config().getString(INCARNATION_CONFIG);
  }

  public Duration interval() {
    return millis(INTERVAL_CONFIG);
  }

  public Duration maxInterval() {
    return millis(MAX_INTERVAL_CONFIG);
  }

  /** Greatest part of the time to scan, in percent, 1 to 100. */
  public int maxTimePercent() {
    return config().getInt(MAX_TIME_CONFIG);
  }

  public int concurrency() {
    return config().getInt(CONCURRENCY_CONFIG);
  }

  /** 0: no limit. */
  public long maxRecordsPerSecond() {
    return config().getLong(MAX_RECORDS_CONFIG);
  }

  /** Most bytes of values read in a second; 0: no limit. */
  public long maxBytesPerSecond() {
    return config().getLong(MAX_BYTES_CONFIG);
  }

  public int batchSize() {
    return config().getInt(BATCH_CONFIG);
  }

  public Path indexDir() {
    return Path.of(config().getString(INDEX_DIR_CONFIG));
  }

  public Duration tombstoneRetention() {
    return millis(RETENTION_CONFIG);
  }
}
