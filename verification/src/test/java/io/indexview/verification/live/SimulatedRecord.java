package io.indexview.verification.live;

import io.indexview.verification.Row;
import java.util.Optional;

/** On the topic of a {@link SimulatedPipeline}. */
final class SimulatedRecord {
  final String id;
  final Optional<Row> row;
  final long revision;
  Fate fate = Fate.OPEN;

  /** Of the record's transaction. */
  enum Fate {
    OPEN,
    COMMITTED,
    ABORTED
  }

  SimulatedRecord(String id, Optional<Row> row, long revision) {
    this.id = id;
    this.row = row;
    this.revision = revision;
  }
}
