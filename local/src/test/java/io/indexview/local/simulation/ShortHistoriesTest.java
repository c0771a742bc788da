package io.indexview.local.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.index.MaterializedIndex;
import io.indexview.connect.kvstore.source.index.ScannedIndexState;
import io.indexview.local.simulation.SourceWorld.Shared;
import io.indexview.schemas.fixtures.Tries;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * All short histories of one key. The order guard alone is proven over longer ones in its own
 * module.
 */
class ShortHistoriesTest {
  private static final int STEPS = Tries.steps(2);

  @TempDir private Path directory;
  private MaterializedIndex<ScannedIndexState> index;

  @BeforeEach
  void open() {
    index = ScannedIndexState.openIndex(directory);
  }

  @AfterEach
  void close() {
    index.close();
  }

  @Test
  void convergeWhenEventsMayArriveTwice() {
    HistorySearch search = new HistorySearch(Shared.of(index), 2);

    assertThat(search.counterexample(STEPS)).isEmpty();
    assertThat(search.size()).isGreaterThan(100);
  }

  @Test
  void convergeWhenEventsArriveOnceOrNever() {
    HistorySearch search = new HistorySearch(Shared.of(index), 1);

    assertThat(search.counterexample(STEPS + 1)).isEmpty();
    assertThat(search.size()).isGreaterThan(3_000);
  }
}
