package io.indexview.connect.common.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.connect.common.metadata.ViewStates.Event;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.schemas.time.Time;
import io.indexview.views.layout.ViewMetadata;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.connect.errors.RetriableException;

/**
 * Two tasks read the states of a view, each again and again from any earlier offset, and one is
 * suspended at any call to the store while the other goes on. At no time a generation is named as
 * serving whose rows may be being removed, and the end is the newest state.
 */
public final class ReplaySimulation {
  private final Target target;
  private final List<Event> log;
  private final Random random;
  private final MetadataWriter one;
  private final MetadataWriter two;
  private final Set<Integer> removed = new HashSet<>();
  private Runnable before = () -> {};
  private int other;

  /** What the tasks write to. */
  public interface Target {
    /**
     * Opens it for one task.
     *
     * @param before to be run before each call to the store
     */
    MetadataStore open(Runnable before);

    /** All metadata of the view that is there. */
    Collection<ViewMetadata> stored();
  }

  private ReplaySimulation(Target target, String type, List<Event> log, Random random) {
    this.target = target;
    this.log = log;
    this.random = random;
    this.one = new MetadataWriter(target.open(() -> before.run()), type, Time.SYSTEM);
    this.two = new MetadataWriter(target.open(() -> before.run()), type, Time.SYSTEM);
  }

  /**
   * Runs one view through states at random.
   *
   * @param type of the target
   * @param definitions that generations have, as in {@link ViewStates}
   * @param steps at most
   */
  public static void run(
      Target target, String type, String view, List<String> definitions, int steps, long seed) {
    Random random = new Random(seed);
    List<Event> log = ViewStates.of(view, definitions, 1 + random.nextInt(steps), random);
    ReplaySimulation simulation = new ReplaySimulation(target, type, log, random);
    simulation.readAgainAndAgain();
    simulation.checkNewest();
    simulation.suspendOneUntilTheOtherIsAtTheEnd();
    simulation.checkNewest();
  }

  private void readAgainAndAgain() {
    int next = 0;
    while (next < log.size()) {
      before = this::maybeLetTheOtherRun;
      apply(one, next);
      next = after(next);
    }
    before = () -> {};
  }

  /** Mostly the next one, at times an earlier one. */
  private int after(int index) {
    return random.nextInt(12) == 0 ? Math.max(0, index - random.nextInt(10)) : index + 1;
  }

  private void maybeLetTheOtherRun() {
    checkServing();
    if (random.nextInt(3) == 0) {
      alone(
          () -> {
            for (int steps = random.nextInt(5); steps > 0 && other < log.size(); steps--) {
              apply(two, other);
              other = after(other);
            }
          });
    }
    checkServing();
  }

  private void suspendOneUntilTheOtherIsAtTheEnd() {
    int late = random.nextInt(log.size());
    other = random.nextInt(late + 1);
    int[] callsLeft = {random.nextInt(6)};
    before =
        () -> {
          checkServing();
          if (callsLeft[0]-- == 0) {
            alone(
                () -> {
                  while (other < log.size()) {
                    apply(two, other++);
                  }
                });
          }
        };
    apply(one, late);
    before = () -> {};
    checkServing();
  }

  private void alone(Runnable task) {
    Runnable suspended = before;
    before = this::checkServing;
    task.run();
    before = suspended;
  }

  private void apply(MetadataWriter writer, int index) {
    boolean isApplied = false;
    while (!isApplied) {
      try {
        writer.apply(log.get(index).change());
        isApplied = true;
      } catch (RetriableException e) {
        assertThat(e).hasMessageContaining("other tasks");
      }
    }
    removed.addAll(log.get(index).removable());
  }

  private void checkServing() {
    for (ViewMetadata metadata : target.stored()) {
      if (metadata.state() == State.READY || metadata.state() == State.DEGRADED) {
        metadata
            .serving()
            .ifPresent(serving -> assertThat(removed).doesNotContain(serving.number()));
      }
    }
  }

  private void checkNewest() {
    Optional<ViewState> last = log.get(log.size() - 1).change().state();
    Collection<ViewMetadata> stored = target.stored();
    if (last.isEmpty()) {
      assertThat(stored).isEmpty();
    } else if (stored.isEmpty()) {
      // Of a view that is going, an old tombstone may take the metadata too soon.
      assertThat(last.get().state() == State.DELETING || last.get().generations().isEmpty())
          .isTrue();
    } else {
      assertThat(stored)
          .extracting(ViewMetadata::version, ViewMetadata::state)
          .containsExactly(tuple(last.get().version(), last.get().state()));
    }
  }
}
