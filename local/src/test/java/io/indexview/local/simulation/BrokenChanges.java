package io.indexview.local.simulation;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Changes as the store tells them, but for the rule that is broken.
 *
 * @param end of the changes by now
 */
record BrokenChanges(KvChanges changes, Capture capture, Supplier<KvChangePosition> end)
    implements KvChanges {
  @Override
  public Batch poll(Duration timeout) {
    Batch batch = changes.poll(timeout);
    return new Batch(
        batch.keys(),
        batch.hasGap() && capture != Capture.GAPS_IGNORED,
        capture == Capture.POSITION_AHEAD ? end.get() : batch.next());
  }

  @Override
  public Optional<Duration> provenAge() {
    return capture == Capture.ALWAYS_CAUGHT_UP ? Optional.of(Duration.ZERO) : changes.provenAge();
  }

  @Override
  public void close() {
    changes.close();
  }
}
