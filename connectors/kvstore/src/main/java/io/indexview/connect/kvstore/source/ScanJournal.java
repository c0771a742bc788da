package io.indexview.connect.kvstore.source;

import io.indexview.connect.kvstore.source.index.BegunScan;
import io.indexview.connect.kvstore.source.index.ScanPosition;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.SourceState.Scan;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What of a scan outlives the task: how far it came, as far as Kafka has its events. */
final class ScanJournal {
  private static final Logger LOGGER = LoggerFactory.getLogger(ScanJournal.class);
  private static final Duration SAVE_WITHIN = Duration.ofMinutes(5);

  private final MaterializedTopic topic;
  private final Clock clock;
  private BegunScan begun;
  private ScanPosition saved;
  private long savedAt;

  ScanJournal(MaterializedTopic topic, Clock clock) {
    this.topic = topic;
    this.clock = clock;
  }

  /**
   * Begins a scan, or goes on with one that was to do the same. An ad-hoc snapshot always begins:
   * nobody heard which keys the index met while the task was away.
   *
   * @param wanted one that begins
   * @return whether it goes on
   */
  boolean begin(BegunScan wanted) {
    begun = topic.begun().filter(known -> known.goesOnAs(wanted)).orElse(wanted);
    saved = begun.position();
    savedAt = clock.millis();
    topic.save(begun);
    if (saved.indexKey() != null) {
      LOGGER.info(
          "A scan goes on where it was: scope={} startedAt={} records={}",
          begun.scope(),
          begun.startedAt(),
          begun.records());
    }
    return begun != wanted;
  }

  BegunScan begun() {
    return begun;
  }

  /**
   * The scan is complete.
   *
   * @param number counts the scans of the source partition
   * @param records primary records seen
   * @param ends offset of each partition after every event of the scan was acknowledged
   */
  Scan completed(long number, long records, KeyScope scope, Map<Integer, Long> ends) {
    return new Scan(
        number,
        begun.startedAt(),
        clock.millis(),
        records,
        begun.adHoc(),
        begun.adHoc() ? begun.request() : 0,
        Optional.of(scope),
        begun.begins(),
        ends);
  }

  /** Position from which the scan begins or goes on. */
  ScanPosition position() {
    return saved;
  }

  /**
   * Notes how far the scan is.
   *
   * @param settled Kafka has all that was sent
   * @param dropped something sent will never be there
   * @return whether it may go on; if not, it waits until it is settled, which was long ago
   */
  boolean note(ScanPosition position, boolean settled, boolean dropped) {
    if (begun.adHoc() || position.equals(saved)) {
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
