package io.indexview.streams.build;

import io.indexview.streams.derive.Entries;
import io.indexview.streams.derive.FollowedView;
import io.indexview.streams.derive.StateDeriver;
import io.indexview.streams.derive.TaskOutput;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Walks the state in slices and derives the rows of generations that are being built. */
final class BuildWalk {
  private final StateDeriver deriver;
  private final Entries entries;
  private final TaskOutput out;

  BuildWalk(StateDeriver deriver, Entries entries, TaskOutput out) {
    this.deriver = deriver;
    this.entries = entries;
    this.out = out;
  }

  /**
   * One slice, of one record at least.
   *
   * @param front builds with equal cursors, not empty
   * @param expired whether the time of the slice is over
   */
  void run(List<TaskBuild> front, BooleanSupplier expired) {
    front.forEach(TaskBuild::beginSlice);
    Slice slice = new Slice(views(front));
    boolean whole =
        entries.scan(
            front.get(0).cursor(),
            (key, entry) -> {
              slice.take(key, entry);
              return !expired.getAsBoolean();
            });
    front.forEach(build -> build.endSlice(slice.last, slice.records, whole));
  }

  private static Set<FollowedView> views(List<TaskBuild> front) {
    return front.stream()
        .flatMap(build -> build.view().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private final class Slice {
    private final Set<FollowedView> views;
    private byte[] last;
    private long records;

    Slice(Set<FollowedView> views) {
      this.views = views;
    }

    void take(byte[] key, byte[] entry) {
      if (deriver.derive(key, entry, views::contains, out)) {
        records++;
      }
      last = key;
    }
  }
}
