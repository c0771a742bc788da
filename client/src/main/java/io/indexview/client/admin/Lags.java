package io.indexview.client.admin;

import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.progress.KafkaAnswers;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far serving rows may lie behind their primary records, as time: the age of the oldest change
 * event that the app or the sink has not taken, or of what the source has not published: the oldest
 * message of its queue, or its last sign of life if it does not tell. A record set of which no
 * source says anything (flat topics, foreign sources) is counted from Kafka on.
 */
final class Lags {
  private static final Logger LOGGER = LoggerFactory.getLogger(Lags.class);

  private final ControlTopicTables control;
  private final Positions positions;
  private final Clock clock;

  /** Where consumer groups stand. */
  interface Positions extends AutoCloseable {
    /**
     * Timestamps of records that a group has not taken, ms since the epoch: the oldest of each
     * topic that has some.
     */
    Map<String, Long> oldestBehind(String group, Set<String> topics);

    /** Whether a process is in the group. */
    boolean hasMembers(String group);

    @Override
    default void close() {}
  }

  Lags(ControlTopicTables control, Positions positions, Clock clock) {
    this.control = control;
    this.positions = positions;
    this.clock = clock;
  }

  /** What a serving view goes through. */
  private record Path(
      String view, String sourceTopic, String application, String viewTopic, String sinkGroup) {}

  /**
   * The lags that are known, by view.
   *
   * @param generations by {@link PublishedGeneration#key}
   */
  Map<String, Duration> of(
      Collection<ViewState> states, Map<String, PublishedGeneration> generations) {
    Map<String, RecordSetInfo> recordSets = control.recordSets();
    List<Path> paths =
        states.stream().flatMap(state -> path(state, generations, recordSets).stream()).toList();
    if (paths.isEmpty()) {
      return Map.of();
    }
    Collection<SourceState> sources = control.sources().values();
    long now = clock.millis();
    Map<String, Map<String, Long>> oldest = oldestBehind(paths);
    Map<String, Duration> lags = new HashMap<>();
    for (Path path : paths) {
      OptionalLong asOf = asOf(path, oldest, sources, now);
      if (asOf.isPresent()) {
        lags.put(path.view(), Duration.ofMillis(Math.max(0, now - asOf.getAsLong())));
      }
    }
    return lags;
  }

  private static Optional<Path> path(
      ViewState state,
      Map<String, PublishedGeneration> generations,
      Map<String, RecordSetInfo> recordSets) {
    RecordSetInfo recordSet = recordSets.get(state.recordSet());
    PublishedGeneration serving =
        state
            .serving()
            .map(found -> generations.get(PublishedGeneration.key(state.view(), found.number())))
            .orElse(null);
    return recordSet == null || serving == null || state.sinkGroup().isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Path(
                state.view(),
                serving.sourceTopic(),
                recordSet.application(),
                serving.viewTopic(),
                state.sinkGroup()));
  }

  /** Lags by group and topic; each group is asked once. */
  private Map<String, Map<String, Long>> oldestBehind(List<Path> paths) {
    Map<String, Set<String>> topicsOfGroups = new HashMap<>();
    for (Path path : paths) {
      topicsOfGroups
          .computeIfAbsent(path.application(), group -> new HashSet<>())
          .add(path.sourceTopic());
      topicsOfGroups
          .computeIfAbsent(path.sinkGroup(), group -> new HashSet<>())
          .add(path.viewTopic());
    }
    Map<String, Map<String, Long>> oldest = new HashMap<>();
    topicsOfGroups.forEach(
        (group, topics) ->
            oldestBehind(group, topics).ifPresent(found -> oldest.put(group, found)));
    return oldest;
  }

  /** Empty if it is not known now, such as when a topic was deleted meanwhile. */
  private Optional<Map<String, Long>> oldestBehind(String group, Set<String> topics) {
    try {
      return Optional.of(positions.oldestBehind(group, topics));
    } catch (KafkaException e) {
      LOGGER.debug("The lag of a group cannot be read: group={} topics={}", group, topics, e);
      return Optional.empty();
    }
  }

  private static OptionalLong asOf(
      Path path, Map<String, Map<String, Long>> oldest, Collection<SourceState> sources, long now) {
    TopicSources ofTopic = TopicSources.of(sources, path.sourceTopic());
    OptionalLong published = ofTopic.isEmpty() ? OptionalLong.of(now) : ofTopic.publishedUntil();
    Map<String, Long> app = oldest.get(path.application());
    Map<String, Long> sink = oldest.get(path.sinkGroup());
    if (published.isEmpty() || app == null || sink == null) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(
        Math.min(
            published.getAsLong(),
            Math.min(
                app.getOrDefault(path.sourceTopic(), now),
                sink.getOrDefault(path.viewTopic(), now))));
  }

  /** Positions on a cluster. Thread-safe: callers wait for each other. */
  static final class KafkaPositions implements Lags.Positions {
    private final Admin admin;
    private final Consumer<byte[], byte[]> reader;
    private final GroupProgress progress;

    KafkaPositions(Map<String, Object> kafka) {
      Map<String, Object> settings = AnswerTimeouts.in(kafka);
      this.admin = Admin.create(settings);
      this.reader = ControlTable.consumer(settings);
      this.progress = new GroupProgress(admin, reader);
    }

    @Override
    public synchronized Map<String, Long> oldestBehind(String group, Set<String> topics) {
      Map<String, Long> oldest = new HashMap<>();
      progress
          .oldestBehind(group, progress.ends(topics))
          .forEach((partition, time) -> oldest.merge(partition.topic(), time, Math::min));
      return oldest;
    }

    @Override
    public boolean hasMembers(String group) {
      try {
        return !KafkaAnswers.await(
                admin.describeConsumerGroups(List.of(group)).describedGroups().get(group))
            .members()
            .isEmpty();
      } catch (GroupIdNotFoundException e) {
        return false;
      }
    }

    @Override
    public synchronized void close() {
      try (admin) {
        reader.close();
      }
    }
  }
}
