package io.indexview.streams.lifecycle.view;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewWish;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * One generation of a view.
 *
 * @param published as it is, or will be, on {@code view-generations}
 * @param tasks newest report of each partition
 */
public record GenerationLife(
    PublishedGeneration published,
    Frozen frozen,
    Standing standing,
    Map<Integer, TaskProgress> tasks,
    Faults faults) {
  public GenerationLife {
    Objects.requireNonNull(published, "published");
    Objects.requireNonNull(frozen, "frozen");
    Objects.requireNonNull(standing, "standing");
    tasks = Map.copyOf(tasks);
    Objects.requireNonNull(faults, "faults");
  }

  /**
   * What freezing told beside.
   *
   * @param description the frozen generation as JSON
   * @param partitions of the record set's topic
   */
  public record Frozen(String description, Place place, int partitions) {}

  /**
   * Where rows lie. Generations of one place overwrite each other's rows.
   *
   * @param target as in the definition
   * @param store name of the index or table
   */
  public record Place(String target, String store) {}

  /**
   * @param since version of the state that first said the role
   * @param graceFromMs when the target was known to show that state; {@value #NO_GRACE}: not yet
   */
  public record Standing(Stage stage, long since, long graceFromMs) {
    public static final long NO_GRACE = -1;

    /**
     * @param nextVersion of the state that will say so, if the role changes
     */
    public Standing to(Stage next, long nextVersion) {
      return next.role() == stage.role()
          ? new Standing(next, since, graceFromMs)
          : new Standing(next, nextVersion, NO_GRACE);
    }

    /**
     * Whether nobody writes its rows, and nobody reads them any more.
     *
     * @param applied newest version that the target is known to show
     */
    public boolean isOver(long applied) {
      return stage == Stage.DRAINED && since <= applied;
    }

    public Standing withGraceFrom(long nowMs) {
      return new Standing(stage, since, nowMs);
    }
  }

  public int number() {
    return published.generation();
  }

  public Stage stage() {
    return standing.stage();
  }

  public Place place() {
    return frozen.place();
  }

  public boolean serves(ViewWish wish) {
    return published.definition().equals(wish.definition())
        && published.build().number() == wish.build().number();
  }

  /** Whether the newest report of every partition is of the phase. */
  public boolean all(TaskProgress.Phase phase) {
    return IntStream.range(0, frozen.partitions())
        .allMatch(
            partition -> tasks.containsKey(partition) && tasks.get(partition).phase() == phase);
  }

  /** Records that have no rows because they cannot be derived. */
  public long failedRecords() {
    return tasks.values().stream().mapToLong(TaskProgress::failedRecords).sum();
  }

  /** A task that cannot write it; of several, that of the lowest partition. */
  public Optional<TaskProgress> anyFailed() {
    return new TreeMap<>(tasks)
        .values().stream().filter(task -> task.phase() == TaskProgress.Phase.FAILED).findFirst();
  }

  public GenerationLife with(PublishedGeneration newer) {
    return new GenerationLife(newer, frozen, standing, tasks, faults);
  }

  public GenerationLife with(Standing newer) {
    return new GenerationLife(published, frozen, newer, tasks, faults);
  }

  public GenerationLife with(Faults newer) {
    return new GenerationLife(published, frozen, standing, tasks, newer);
  }

  public GenerationLife withoutTasks() {
    return new GenerationLife(published, frozen, standing, Map.of(), faults);
  }

  public GenerationLife with(TaskProgress report) {
    Map<Integer, TaskProgress> newer = new TreeMap<>(tasks);
    newer.put(report.partition(), report);
    return new GenerationLife(published, frozen, standing, newer, faults);
  }
}
