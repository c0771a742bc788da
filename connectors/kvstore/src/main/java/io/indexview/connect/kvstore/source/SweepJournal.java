package io.indexview.connect.kvstore.source;

import io.indexview.connect.kvstore.source.index.BegunSweep;
import io.indexview.connect.kvstore.source.index.SweepPosition;
import java.time.Clock;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What of a sweep outlives the task: how far it came, as far as Kafka has its events. */
final class SweepJournal {
  private static final Logger LOGGER = LoggerFactory.getLogger(SweepJournal.class);
  private static final Duration SAVE_WITHIN = Duration.ofMinutes(5);

  private final FoldedTopic topic;
  private final Clock clock;
  private BegunSweep begun;
  private SweepPosition saved;
  private long savedAt;

  SweepJournal(FoldedTopic topic, Clock clock) {
    this.topic = topic;
    this.clock = clock;
  }

  /**
   * Begins a sweep, or goes on with one that was to do the same. An ad-hoc snapshot always begins:
   * nobody heard which keys the index met while the task was away.
   *
   * @param wanted one that begins
   */
  void begin(BegunSweep wanted) {
    begun = topic.begun().filter(known -> known.goesOnAs(wanted)).orElse(wanted);
    saved = begun.position();
    savedAt = clock.millis();
    topic.save(begun);
    if (saved.indexKey() != null) {
      LOGGER.info(
          "A sweep goes on where it was: scope={} startedAt={} records={}",
          begun.scope(),
          begun.startedAt(),
          begun.records());
    }
  }

  BegunSweep begun() {
    return begun;
  }

  /** From where the sweep begins or goes on. */
  SweepPosition position() {
    return saved;
  }

  /**
   * Notes how far the sweep is.
   *
   * @param settled Kafka has all that was sent
   * @param dropped something sent will never be there
   * @return whether it may go on; if not, it waits until it is settled, which was long ago
   */
  boolean note(SweepPosition position, boolean settled, boolean dropped) {
    if (begun.force() || position.equals(saved)) {
      return true;
    }
    if (settled && !dropped) {
      saved = position;
      savedAt = clock.millis();
      begun = begun.at(saved);
      topic.save(begun);
    }
    return settled || clock.millis() - savedAt <= SAVE_WITHIN.toMillis();
  }
}
