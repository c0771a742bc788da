package io.indexview.connect.s3;

import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.s3.index.KnownObjects;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/** The connector's configuration and this task's share of the work. */
final class S3SourceTaskConfig extends S3SourceConfig {
  static final String ID_CONFIG = "task.id";
  static final String BUCKETS_CONFIG = "task.buckets";

  private static final String GROUP = "Task";

  S3SourceTaskConfig(Map<String, String> properties) {
    super(taskDefinition(), properties);
  }

  private static ConfigDef taskDefinition() {
    ConfigDef definition = definition();
    ConfigGroup.in(definition, GROUP)
        .required(ID_CONFIG, Type.INT, null, "Task", "Number of the task, from 0.")
        .required(BUCKETS_CONFIG, Type.LIST, null, "Buckets", "Buckets that this task lists.");
    return definition;
  }

  /** One task's properties: all receive from the queue, each lists its share of the buckets. */
  static Map<String, String> taskProperties(
      Map<String, String> connector, List<String> buckets, int task, int tasks) {
    StringBuilder share = new StringBuilder();
    for (int i = task; i < buckets.size(); i += tasks) {
      share.append(share.isEmpty() ? "" : ",").append(buckets.get(i));
    }
    Map<String, String> properties = new HashMap<>(connector);
    properties.put(ID_CONFIG, Integer.toString(task));
    properties.put(BUCKETS_CONFIG, share.toString());
    return properties;
  }

  List<String> taskBuckets() {
    return getList(BUCKETS_CONFIG);
  }

  int taskId() {
    return getInt(ID_CONFIG);
  }

  /** Where this task keeps its index; empty: nowhere. */
  Optional<KnownObjects.Settings> index() {
    return listing()
        .indexDir()
        .map(dir -> dir.resolve(threadName()))
        .map(dir -> new KnownObjects.Settings(dir, listing().tombstoneRetention()));
  }

  /** Threads that read objects; to be shut down. */
  ExecutorService readThreads() {
    return Executors.newFixedThreadPool(
        listing().concurrency(),
        task -> {
          Thread thread = new Thread(task, threadName() + "-read");
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Names the task's threads and what it keeps. */
  String threadName() {
    return "s3-source-%s-%d".formatted(source().name(), taskId());
  }

  /** Whether this task speaks for a source that lists nothing. */
  boolean ownsQueuePartition() {
    return buckets().isEmpty() && taskId() == 0;
  }
}
