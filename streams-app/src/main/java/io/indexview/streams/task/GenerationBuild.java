package io.indexview.streams.task;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.derive.FollowedView;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.health.ViewMeter;
import io.indexview.streams.health.ViewMeter.ViewFigures;
import io.indexview.streams.state.RowCounts;
import io.indexview.streams.state.StoredScanProgress;
import io.indexview.streams.state.StoredScanProgress.Chunk;
import io.indexview.streams.state.StoredScanProgress.Phase;
import io.indexview.streams.state.TaskMemory;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One generation as one task has it: built by a scan of the state, then followed by events. What
 * changes is saved at once, except during a chunk of the scan. Not safe for use by several threads.
 */
final class GenerationBuild implements AutoCloseable {
  static final String PROGRESS = "scan|build|";
  static final String PUBLISHED = "published|";

  private final GenerationKey key;
  private final TaskMemory memory;
  private final String memoryKey;
  private StoredScanProgress progress;
  private FollowedView view;
  private ViewMeter meter;
  private PublishedGeneration published;
  private Runnable onFirstFailure = () -> {};
  private String waitsFor = "";
  private boolean isOpen;
  private boolean inChunk;
  private boolean remembered;

  private GenerationBuild(GenerationKey key, StoredScanProgress progress, TaskMemory memory) {
    this.key = key;
    this.memory = memory;
    this.memoryKey = PROGRESS + key.text();
    this.progress = progress;
  }

  /** Returns a build that derives nothing. */
  static GenerationBuild idle(GenerationKey key, StoredScanProgress progress, TaskMemory memory) {
    return new GenerationBuild(key, progress, memory);
  }

  /**
   * Returns a build that goes on from its saved progress.
   *
   * @param progress null: it begins
   * @param onFirstFailure run when the first of its records cannot be derived
   */
  static GenerationBuild following(
      PublishedGeneration published,
      FrozenGeneration frozen,
      StoredScanProgress progress,
      TaskMemory memory,
      AppMetrics metrics,
      Runnable onFirstFailure) {
    Phase first = published.build().mode() == BuildMode.REPLAY ? Phase.WAITING : Phase.RUNNING;
    GenerationBuild build =
        new GenerationBuild(
            new GenerationKey(frozen.view(), frozen.number()),
            progress == null ? StoredScanProgress.of(first, "") : progress,
            memory);
    build.published = published;
    build.onFirstFailure = onFirstFailure;
    build.meter = metrics.join(frozen.view(), frozen.number());
    build.view = new FollowedView(frozen, build.meter, build.progress.counts(), build::rowsChanged);
    build.follow();
    return build;
  }

  private void follow() {
    if (progress.phase() == Phase.DONE) {
      view.followAll();
    } else {
      view.followUpTo(progress.cursor());
    }
  }

  private void rowsChanged() {
    boolean failed = progress.counts().failedRecords() > 0;
    progress = progress.with(view.counts());
    if (!inChunk) {
      save();
    }
    if (!failed && progress.counts().failedRecords() > 0) {
      onFirstFailure.run();
    }
  }

  void save() {
    remembered = true;
    memory.put(memoryKey, progress.encode());
  }

  /** Marks this build as saved before. */
  GenerationBuild remembered() {
    remembered = true;
    return this;
  }

  /** Whether the task knows of it after a restart. */
  boolean isRemembered() {
    return remembered;
  }

  GenerationKey key() {
    return key;
  }

  Phase phase() {
    return progress.phase();
  }

  /** Key of the last entry that the scan has seen; null: none. */
  byte[] cursor() {
    return progress.cursor();
  }

  /** Empty if it derives nothing. */
  Optional<FollowedView> view() {
    return Optional.ofNullable(view);
  }

  /** Asks what it waits for; one that is being built may have to wait again. */
  void ask(Function<PublishedGeneration, String> gate, String replaying) {
    waitsFor =
        switch (phase()) {
          case WAITING -> replaying;
          case RUNNING -> gate.apply(published);
          case DONE, STOPPED, FAILED -> "";
        };
    isOpen = waitsFor.isEmpty();
  }

  /** Whether there is something to build now. */
  boolean isReady() {
    return phase() == Phase.RUNNING && isOpen;
  }

  /** The topic is replayed: it is built from the state as soon as it is asked again. */
  void replayed() {
    progress = progress.with(Phase.RUNNING);
    isOpen = false;
    save();
  }

  void beginChunk() {
    inChunk = true;
  }

  /**
   * @param records that it built from
   */
  void endChunk(Chunk chunk, long records) {
    inChunk = false;
    progress = progress.after(chunk, records);
    follow();
    save();
  }

  /** Further ones last. */
  static int compareCursors(GenerationBuild left, GenerationBuild right) {
    if (left.cursor() == null || right.cursor() == null) {
      return Boolean.compare(left.cursor() != null, right.cursor() != null);
    }
    return Arrays.compareUnsigned(left.cursor(), right.cursor());
  }

  void stop() {
    memory.put(PUBLISHED + key.text(), null);
    end(Phase.STOPPED, "");
  }

  void fail(String why) {
    end(Phase.FAILED, why);
  }

  private void end(Phase last, String why) {
    close();
    progress = StoredScanProgress.of(last, why);
    waitsFor = "";
    save();
  }

  /**
   * What is reported of it.
   *
   * @param estimated records in the state, about
   */
  TaskProgress report(String recordSet, int partition, long estimated, long nowMs) {
    TaskProgress.Phase reported =
        switch (phase()) {
          case WAITING, RUNNING -> TaskProgress.Phase.BUILDING;
          case DONE -> TaskProgress.Phase.BUILT;
          case STOPPED -> TaskProgress.Phase.STOPPED;
          case FAILED -> TaskProgress.Phase.FAILED;
        };
    boolean isBuilding = reported == TaskProgress.Phase.BUILDING;
    RowCounts counts = progress.counts();
    return new TaskProgress(
        recordSet,
        partition,
        key.view(),
        key.number(),
        reported,
        progress.done(),
        isBuilding ? Math.max(progress.done(), estimated) : progress.done(),
        counts.rows(),
        counts.keyBytes(),
        counts.failedRecords(),
        reason(),
        nowMs);
  }

  /** Why it failed, what it waits for, or why one of its records failed; empty if none of it. */
  private String reason() {
    return Stream.of(progress.reason(), waitsFor, progress.counts().reason())
        .filter(text -> !text.isEmpty())
        .findFirst()
        .orElse("");
  }

  /** Shows on the metrics page how far it is. */
  void show(long estimated) {
    if (meter != null) {
      RowCounts counts = progress.counts();
      meter.show(
          new ViewFigures(
              progress.done(),
              estimated,
              counts.rows(),
              counts.keyBytes(),
              counts.failedRecords()));
    }
  }

  /** Derives nothing any more; what it remembers stays. */
  @Override
  public void close() {
    view = null;
    if (meter != null) {
      meter.close();
      meter = null;
    }
  }
}
