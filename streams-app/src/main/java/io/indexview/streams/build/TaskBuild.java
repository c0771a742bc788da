package io.indexview.streams.build;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.derive.FollowedView;
import io.indexview.streams.derive.RowCounts;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.health.ViewFigures;
import io.indexview.streams.health.ViewMeter;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One generation as one task has it; what changes is saved at once, except during a slice of its
 * build. Not safe for use by several threads.
 */
final class TaskBuild implements AutoCloseable {
  private final GenerationKey key;
  private final BuildMemory memory;
  private Phase phase;
  private byte[] cursor;
  private long done;
  private RowCounts counts;
  private String reason;
  private FollowedView view;
  private ViewMeter meter;
  private PublishedGeneration published;
  private String waitsFor = "";
  private boolean isOpen;
  private boolean inSlice;
  private boolean remembered;

  private TaskBuild(GenerationKey key, BuildState state, BuildMemory memory) {
    this.key = key;
    this.memory = memory;
    this.phase = state.phase();
    this.cursor = state.cursor();
    this.done = state.done();
    this.counts = state.counts();
    this.reason = state.reason();
  }

  /** One that derives nothing. */
  static TaskBuild idle(GenerationKey key, BuildState state, BuildMemory memory) {
    return new TaskBuild(key, state, memory);
  }

  /** One that goes on from where it was. */
  static TaskBuild following(
      PublishedGeneration published,
      FrozenGeneration frozen,
      BuildState state,
      BuildMemory memory,
      AppMetrics metrics) {
    GenerationKey key = new GenerationKey(frozen.view(), frozen.number());
    TaskBuild build = new TaskBuild(key, state, memory);
    build.published = published;
    build.meter = metrics.join(frozen.view(), frozen.number());
    build.view = new FollowedView(frozen, build.meter, state.counts(), build::counted);
    if (build.phase == Phase.BUILT) {
      build.view.followAll();
    } else {
      build.view.followUpTo(build.cursor);
    }
    return build;
  }

  private void counted() {
    counts = view.counts();
    if (!inSlice) {
      save();
    }
  }

  void save() {
    remembered = true;
    memory.save(key, new BuildState(phase, cursor, done, counts, reason));
  }

  /** This, that was saved before. */
  TaskBuild remembered() {
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
    return phase;
  }

  /** Key of the last record built from; null: none. */
  byte[] cursor() {
    return cursor;
  }

  long done() {
    return done;
  }

  RowCounts counts() {
    return counts;
  }

  /** Why it failed, what it waits for, or why one of its records failed; empty if none of it. */
  String reason() {
    return Stream.of(reason, waitsFor, counts.reason())
        .filter(text -> !text.isEmpty())
        .findFirst()
        .orElse("");
  }

  /** Empty if it derives nothing. */
  Optional<FollowedView> view() {
    return Optional.ofNullable(view);
  }

  /**
   * Asks whether it may be built now; one that is being built may have to wait again, or fail.
   *
   * @return whether it still derives what it did
   */
  boolean ask(Map<BuildMode, BuildGate> gates) {
    if (phase != Phase.BUILDING) {
      return true;
    }
    BuildGate gate = gates.get(published.build().mode());
    String refusal = gate.refuses(published);
    if (!refusal.isEmpty()) {
      end(Phase.FAILED, refusal);
      return false;
    }
    waitsFor = gate.waitsFor(published);
    isOpen = waitsFor.isEmpty();
    return true;
  }

  /** Whether there is something to build now. */
  boolean isReady() {
    return phase == Phase.BUILDING && isOpen;
  }

  /** Higher: further. */
  static int compareCursors(TaskBuild left, TaskBuild right) {
    if (left.cursor == null || right.cursor == null) {
      return Boolean.compare(left.cursor != null, right.cursor != null);
    }
    return Arrays.compareUnsigned(left.cursor, right.cursor);
  }

  void beginSlice() {
    inSlice = true;
  }

  /**
   * @param last key of the last record that the slice saw; null: none
   * @param records that it built from
   * @param whole whether that was the last one of all
   */
  void endSlice(byte[] last, long records, boolean whole) {
    inSlice = false;
    done += records;
    if (whole) {
      phase = Phase.BUILT;
      cursor = null;
      view.followAll();
    } else {
      cursor = last;
      view.followUpTo(last);
    }
    save();
  }

  void stop() {
    memory.forgetPublished(key);
    end(Phase.STOPPED, "");
  }

  private void end(Phase last, String why) {
    close();
    phase = last;
    cursor = null;
    done = 0;
    counts = RowCounts.NONE;
    reason = why;
    waitsFor = "";
    save();
  }

  /** Shows on the metrics page how far it is. */
  void show(long estimated) {
    if (meter != null) {
      meter.show(
          new ViewFigures(
              done, estimated, counts.rows(), counts.keyBytes(), counts.failedRecords()));
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
