package io.indexview.verification.live;

import io.indexview.verification.RowContent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The topic of a world that forgets deletions soon after a few rows of the target are read. */
final class CompactedLog implements RowLog {
  private static final int ROWS = SimulatedPipeline.MAX_PART + 1;

  private final SimulatedPipeline world;

  /** At each row that was read. */
  private final Deque<Map<Integer, Long>> ends = new ArrayDeque<>();

  /** Deletions before are forgotten, and all that they were of. */
  private Map<Integer, Long> forgotten = Map.of();

  private record Change(String id, Optional<RowContent> row) {}

  CompactedLog(SimulatedPipeline world) {
    this.world = world;
  }

  /** To be called after each row that is read. */
  void age() {
    ends.add(world.ends());
    while (ends.size() > ROWS && world.isApplied(ends.element())) {
      forgotten = ends.remove();
    }
  }

  @Override
  public Map<Integer, Long> ends() {
    return world.ends();
  }

  @Override
  public boolean isApplied(Map<Integer, Long> before) {
    return world.isApplied(before);
  }

  @Override
  public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
    List<Change> changes = new ArrayList<>();
    to.forEach(
        (partition, end) -> {
          long kept = forgotten.getOrDefault(partition, 0L);
          for (long offset = from.getOrDefault(partition, 0L); offset < end; offset++) {
            boolean isOld = offset < kept;
            readOne(
                partition,
                offset,
                to,
                (id, row) -> {
                  if (row.isEmpty() && isOld) {
                    changes.removeIf(change -> change.id().equals(id));
                  } else {
                    changes.add(new Change(id, row));
                  }
                });
          }
        });
    changes.forEach(change -> visitor.change(change.id(), change.row()));
  }

  private void readOne(int partition, long offset, Map<Integer, Long> to, Visitor visitor) {
    Map<Integer, Long> from = new HashMap<>(to);
    from.put(partition, offset);
    Map<Integer, Long> end = new HashMap<>(to);
    end.put(partition, offset + 1);
    world.read(from, end, visitor);
  }

  @Override
  public void close() {}
}
