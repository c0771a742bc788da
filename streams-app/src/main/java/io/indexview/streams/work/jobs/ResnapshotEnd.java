package io.indexview.streams.work.jobs;

import io.indexview.schemas.control.CompleteLook;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.work.Surroundings;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** Whether the application is done with what sources published again. */
final class ResnapshotEnd {
  private final Surroundings around;
  private final RecordSetConfig recordSet;

  ResnapshotEnd(Surroundings around, RecordSetConfig recordSet) {
    this.around = around;
    this.recordSet = recordSet;
  }

  /** What it waits for, for people; empty: nothing, it has taken all in and deleted the rest. */
  String waitsFor(CompleteLook look) {
    if (!around.positions().hasPassed(around.config().applicationId(), look.ends())) {
      return "the application to take in topic " + recordSet.topic();
    }
    return isPurged(look)
        ? ""
        : "the application to delete what the sources of topic %s did not publish again"
            .formatted(recordSet.topic());
  }

  private boolean isPurged(CompleteLook look) {
    OptionalInt partitions = around.cluster().partitions(recordSet.topic());
    Map<String, Optional<PurgeProgress>> progress = around.tables().progress().get();
    return partitions.isPresent()
        && IntStream.range(0, partitions.getAsInt())
            .mapToObj(partition -> PurgeProgress.key(recordSet.name(), partition))
            .map(key -> progress.getOrDefault(key, Optional.empty()))
            .allMatch(purge -> purge.filter(done -> done.covers(look)).isPresent());
  }
}
