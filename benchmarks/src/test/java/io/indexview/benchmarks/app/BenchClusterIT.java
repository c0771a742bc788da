package io.indexview.benchmarks.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.app.BenchCluster.BenchPaths;
import io.indexview.benchmarks.app.BenchCluster.Wanted;
import io.indexview.benchmarks.app.Running.Turn;
import io.indexview.benchmarks.data.ViewSet;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What all benchmarks with processes of their own rest on, with the smallest contestant. */
class BenchClusterIT {
  private static final int PEOPLE = 10;

  @TempDir private Path directory;

  @Test
  void runsBrokerAndContestantInProcessesOfTheirOwn() throws Exception {
    ViewSet views = ViewSet.of(1);
    Wanted wanted = Wanted.parse("limit");
    try (BenchCluster cluster = BenchCluster.start(BenchPaths.in(directory));
        Running limit =
            cluster.contestant(wanted, "bench0", views, new Workload(PEOPLE, false, views))) {
      limit.start();
      Turn turn = limit.fill();

      assertThat(turn.events()).isEqualTo(PEOPLE);
      assertThat(turn.used().cpuNanos()).isPositive();
      assertThat(limit.check()).isEqualTo(PEOPLE);
    }
    assertThat(directory).isEmptyDirectory();
  }
}
