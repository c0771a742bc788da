package io.indexview.streams.generation;

import io.indexview.schemas.Topics;
import io.indexview.streams.generation.Cluster.TopicSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;

/** The topics that the application creates, and how. */
public final class AppTopics {
  private static final String SINK_MAY_LAG = Long.toString(Duration.ofDays(7).toMillis());

  /**
   * How long topics of dead letters keep them: from when they are written, however old the records
   * are that they are about.
   */
  public static final Map<String, String> DEAD_LETTERS_STAY =
      Map.of(
          TopicConfig.CLEANUP_POLICY_CONFIG,
          TopicConfig.CLEANUP_POLICY_DELETE,
          TopicConfig.RETENTION_MS_CONFIG,
          Long.toString(Duration.ofDays(30).toMillis()),
          TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
          "LogAppendTime");

  private static final int CONTROL_SEGMENT_BYTES = 8 * 1024 * 1024;

  private final Topics names;
  private final List<String> deadLetters;
  private final String maxMessageBytes;
  private final Map<String, String> compaction;
  private final Map<String, String> ofViews;

  /**
   * @param deadLetters topics of the sinks
   * @param maxMessageBytes of all that the application writes; the brokers' default might refuse
   *     what the producer lets pass, and end its transaction again and again
   * @param compaction what bounds how long topics with values of records keep replaced ones
   * @param ofViews more settings of topics of views; the broker knows whether there are such
   */
  public AppTopics(
      Topics names,
      Collection<String> deadLetters,
      int maxMessageBytes,
      Map<String, String> compaction,
      Map<String, String> ofViews) {
    this.ofViews = Map.copyOf(ofViews);
    this.names = names;
    this.deadLetters = deadLetters.stream().sorted().distinct().toList();
    this.maxMessageBytes = Integer.toString(maxMessageBytes);
    this.compaction = Map.copyOf(compaction);
  }

  public Topics names() {
    return names;
  }

  /** All but the view topics. */
  public List<TopicSpec> shared() {
    List<TopicSpec> shared = new ArrayList<>();
    shared.addAll(
        List.of(
            control(names.viewDefinitions()),
            control(names.viewGenerations()),
            control(names.viewStates())));
    shared.addAll(exchanged());
    shared.addAll(written());
    return shared;
  }

  /** Shared topics that the controller cannot work without. */
  public List<TopicSpec> ofController() {
    List<TopicSpec> all = new ArrayList<>(published());
    all.add(control(names.viewDefinitions()));
    all.add(control(names.viewProgress()));
    return all;
  }

  /** Shared topics that the controller publishes to. */
  public List<TopicSpec> published() {
    return List.of(control(names.viewGenerations()), control(names.viewStates()));
  }

  /** Shared topics for the exchange between sources, servers and the application. */
  public List<TopicSpec> exchanged() {
    return List.of(
        control(names.viewVerifications()),
        control(names.viewRepairs()),
        control(names.recordSets()),
        control(names.sourceRequests()),
        control(names.sourceStates()));
  }

  /** Shared topics that tasks and sinks write. */
  public List<TopicSpec> written() {
    List<TopicSpec> written =
        new ArrayList<>(List.of(control(names.viewProgress()), deadLetters(names.deadLetters())));
    deadLetters.forEach(topic -> written.add(deadLetters(topic)));
    return written;
  }

  /** A topic for the controller's own memory. */
  public TopicSpec controllerMemory(String topic) {
    return control(topic);
  }

  public TopicSpec view(String topic, int partitions) {
    Map<String, String> settings = new HashMap<>(ofViews);
    settings.putAll(compaction);
    settings.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT);
    settings.put(TopicConfig.DELETE_RETENTION_MS_CONFIG, SINK_MAY_LAG);
    // How long a row waits for its sink, whatever the age of the change behind it.
    settings.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
    settings.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, maxMessageBytes);
    return new TopicSpec(topic, partitions, settings);
  }

  /** A compacted topic that is cleaned early, because each reader reads all of it at its start. */
  private TopicSpec control(String topic) {
    return new TopicSpec(
        topic,
        1,
        Map.of(
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.CLEANUP_POLICY_COMPACT,
            TopicConfig.SEGMENT_BYTES_CONFIG,
            // Brokers refuse a batch that is larger.
            Integer.toString(Math.max(CONTROL_SEGMENT_BYTES, Integer.parseInt(maxMessageBytes))),
            TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
            "0.1",
            TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
            maxMessageBytes));
  }

  private TopicSpec deadLetters(String topic) {
    Map<String, String> settings = new HashMap<>(compaction);
    // Nothing is compacted there; what is over is removed with its segment.
    settings.remove(TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG);
    settings.putAll(DEAD_LETTERS_STAY);
    settings.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, maxMessageBytes);
    return new TopicSpec(topic, 1, settings);
  }
}
