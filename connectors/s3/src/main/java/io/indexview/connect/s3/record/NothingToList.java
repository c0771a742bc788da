package io.indexview.connect.s3.record;

import io.indexview.connect.common.source.Look;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * The look of a source that is only told: complete at once.
 *
 * @param atMs ms since the epoch
 */
public record NothingToList(long atMs) implements Listing {
  @Override
  public List<SourceRecord> next() {
    return List.of();
  }

  @Override
  public Optional<Look> completed() {
    return Optional.of(new Look(1, atMs, atMs, 0, false, 0, null, Map.of(), Map.of()));
  }
}
