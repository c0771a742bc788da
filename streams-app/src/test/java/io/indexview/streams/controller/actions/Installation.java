package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.streams.People;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.DeadLetterPosition;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.FakeCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** An installation in memory with one view, by-org, and its target's sink. */
public final class Installation {
  public static final String APP = "indexview";
  public static final String SINK = "connect-indexview-kvstore-sink";
  public static final String MEMORY = APP + "-builds-people-changelog";
  public static final String VIEW_TOPIC = "indexview.view.kv.by-org.1";
  public static final String DEAD_LETTERS = "indexview.dead-letters.kv";
  public static final String STATES = "indexview.view-states";
  public static final KeyScope SCOPE = new KeyScope("/people", null);
  public static final long NOW_MS = 2_000_000_000_000L;

  public static final PublishedGeneration BY_ORG =
      new PublishedGeneration(
          "by-org",
          1,
          "{}",
          "people",
          People.TOPIC,
          VIEW_TOPIC,
          "id of " + VIEW_TOPIC,
          new PublishedGeneration.SchemaIds(7, 8, 9),
          1,
          NOW_MS,
          BuildRequest.FIRST,
          false);
  public static final Action.Watched WATCHED = new Action.Watched(BY_ORG, "kv");

  public final FakeLog log = new FakeLog();
  public final FakeCluster cluster = new FakeCluster();
  public final Map<String, SourceState> sources = new HashMap<>();
  public final ObservedTopics observed = new ObservedTopics(cluster, () -> Map.copyOf(sources));
  public final Map<String, ViewState> states = new HashMap<>();
  public final Map<String, SourceRequest> requests = new HashMap<>();
  public final Map<String, Optional<PurgeProgress>> progress = new HashMap<>();
  public final Map<String, PublishedGeneration> generations = new HashMap<>();
  public final List<Finding> findings = new ArrayList<>();
  private SourceState.SnapshotNeeded snapshotNeeded;
  private final Map<String, String> settings = new HashMap<>();
  private final ManualClock clock = new ManualClock(Instant.ofEpochMilli(NOW_MS));

  /** What sources say from now on that keeps them from being complete. */
  public Optional<String> problem = Optional.empty();

  /** By which sources say from now on that they judge events. */
  public SourceState.ChangeFeed changeFeed;

  public Optional<Duration> tombstoneRetention = Optional.empty();

  /** What sources say from now on that they needed last. */
  public Optional<SourceState.SnapshotNeeded> lastSnapshotNeeded = Optional.empty();

  public Installation() {
    settings.put("bootstrap.servers", "127.0.0.1:1");
    settings.put("schema.registry.url", "mock://actions");
    settings.put("record.sets", "people");
    settings.put("state.dir", "state");
    createTopic(People.TOPIC, 2);
    createTopic(VIEW_TOPIC, 2);
    createTopic(DEAD_LETTERS, 1);
    createTopic(STATES, 1);
    createTopic(MEMORY, 2);
    log.add(MEMORY, 0, "changelog-id", "");
    log.add(MEMORY, 1, "changelog-id", "");
  }

  public void createTopic(String topic, int partitions) {
    cluster.add(topic, partitions);
    log.create(topic, partitions);
  }

  /** Adds a record to each partition of the change topic. */
  public void addRecords() {
    log.add(People.TOPIC, 0, "k", "v");
    log.add(People.TOPIC, 1, "k", "v");
  }

  public Installation set(String key, String value) {
    settings.put(key, value);
    return this;
  }

  public AppConfig config() {
    return AppConfig.parse(settings);
  }

  public ActionContext context() {
    return new ActionContext(
        config(),
        cluster,
        observed,
        log,
        new ActionContext.Tables(
            () -> generations,
            () -> states,
            () -> sources,
            () -> requests,
            () -> progress,
            () -> {}),
        clock);
  }

  /** The dead letters of the generation, of a topic that was read before. */
  public static DeadLetterReader deadLetters(
      DeadLetterWindow window, RejectedRowTracker rejected, Map<Integer, Long> from) {
    return new DeadLetterReader(
        BY_ORG, window, rejected, new DeadLetterPosition(window.topicId(), from));
  }

  public DeadLetterWindow deadLetterWindow() {
    return deadLetterWindow(true);
  }

  public DeadLetterWindow deadLetterWindow(boolean sinkRetriesForever) {
    return new DeadLetterWindow(
        log, DEAD_LETTERS, cluster.topicId(DEAD_LETTERS).orElseThrow(), sinkRetriesForever);
  }

  /**
   * One attempt of an activity in a round of its own, and a second that passes; what it tells is
   * kept.
   */
  public Activity.Progress advance(Activity activity) {
    observed.begin();
    log.beginRound();
    Activity.Progress progress = activity.advance(findings::add);
    passes(Duration.ofSeconds(1));
    return progress;
  }

  public void passes(Duration time) {
    clock.pass(time);
  }

  /** Somebody sets the wall clock back. */
  public void setBack(Duration step) {
    clock.setBack(step);
  }

  public void state(String view, long version) {
    states.put(
        view,
        new ViewState(
            view,
            "uid-1",
            version,
            0,
            ViewState.State.BUILDING,
            0,
            "",
            "people",
            "kv",
            SINK,
            List.of(),
            List.of(),
            ViewState.Freshness.UNKNOWN));
  }

  /** The view serves its generation, READY. */
  public void serve(ViewState.Freshness freshness) {
    generations.put(BY_ORG.key(), BY_ORG);
    states.put(
        BY_ORG.view(),
        new ViewState(
            BY_ORG.view(),
            "uid-1",
            1,
            0,
            ViewState.State.READY,
            0,
            "",
            "people",
            "kv",
            SINK,
            List.of(
                new ViewState.Generation(
                    1,
                    ViewState.Role.SERVING,
                    0,
                    "{}",
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty())),
            List.of(),
            freshness));
  }

  /** The sources say from now on that they need an ad-hoc snapshot; null: they do not. */
  public void needSnapshot(SourceState.SnapshotNeeded needed) {
    snapshotNeeded = needed;
  }

  /** What a source partition of the source of the record set said last. */
  public void sourcePartition(String sourcePartition, int sourcePartitions, SourceState.Scan scan) {
    sourcePartition(
        sourcePartition, sourcePartitions, scan != null && scan.adHoc() ? scan : null, scan);
  }

  /** The same; it published every record again once. */
  public void sourcePartition(
      String sourcePartition,
      int sourcePartitions,
      SourceState.Scan lastAdHocSnapshot,
      SourceState.Scan lastScan) {
    say(
        "kv",
        cluster.topicId(People.TOPIC),
        sourcePartition,
        sourcePartitions,
        lastAdHocSnapshot,
        lastScan);
  }

  /**
   * What a source partition of any source said last, of a topic that may be an earlier one of the
   * name.
   */
  public void say(
      String source,
      Optional<String> topicId,
      String sourcePartition,
      int sourcePartitions,
      SourceState.Scan lastAdHocSnapshot,
      SourceState.Scan lastScan) {
    SourceState state =
        new SourceState(
            source,
            People.TOPIC,
            topicId,
            sourcePartition,
            sourcePartitions,
            Optional.ofNullable(lastScan),
            Optional.ofNullable(lastAdHocSnapshot),
            clock.millis(),
            OptionalLong.empty(),
            problem,
            Optional.ofNullable(snapshotNeeded),
            lastSnapshotNeeded,
            tombstoneRetention,
            Optional.empty(),
            Optional.ofNullable(changeFeed),
            Optional.empty());
    sources.put(state.key(), state);
  }

  /**
   * A task has deleted what an ad-hoc snapshot did not name.
   *
   * @param begins of the scans of source partition 0, by source
   */
  public void purged(int partition, Map<String, Long> begins) {
    Map<String, Long> byId = new HashMap<>();
    begins.forEach((source, begin) -> byId.put(source + "|0|/people|", begin));
    PurgeProgress done =
        new PurgeProgress(
            "people", partition, cluster.topicId(People.TOPIC).orElseThrow(), byId, NOW_MS);
    progress.put(done.key(), Optional.of(done));
  }

  /** The same of its only source. */
  public void purged(int partition, long begin) {
    purged(partition, Map.of("kv", begin));
  }

  /** All tasks have. */
  public void purged(long begin) {
    purged(0, begin);
    purged(1, begin);
  }

  /** A scan that found its events between these offsets of both partitions. */
  public static SourceState.Scan scan(long startedAtMs, long begin, long end) {
    return new SourceState.Scan(
        1,
        startedAtMs,
        startedAtMs + 1,
        1,
        false,
        0,
        Optional.of(SCOPE),
        Map.of(0, begin, 1, begin),
        Map.of(0, end, 1, end));
  }

  /** The same, an ad-hoc snapshot that answers a request. */
  public static SourceState.Scan adHoc(long startedAtMs, long request, long begin, long end) {
    return new SourceState.Scan(
        2,
        startedAtMs,
        startedAtMs + 1,
        1,
        true,
        request,
        Optional.of(SCOPE),
        Map.of(0, begin, 1, begin),
        Map.of(0, end, 1, end));
  }
}
