package io.indexview.streams.build;

import io.indexview.streams.derive.RowCounts;
import java.util.Objects;

/**
 * How far a task has come with a generation, as it remembers it over a crash.
 *
 * @param cursor key of the last record built from; null: none. Not copied
 * @param done records built from
 * @param counts what stands
 * @param reason why it failed; empty otherwise
 */
record BuildState(Phase phase, byte[] cursor, long done, RowCounts counts, String reason) {
  BuildState {
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(counts, "counts");
    Objects.requireNonNull(reason, "reason");
  }
}
