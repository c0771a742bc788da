package io.indexview.distribution;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each of two Connect workers is held still in the middle of its work until others have its tasks,
 * and goes on with what it was about to write. Sinks in mode {@code conditional} keep every view
 * exact. How often: system property {@code rounds}. Logs are in {@code target/zombie-worker}.
 */
@Timeout(1_800)
@EnabledIfSystemProperty(
    named = "tries.longer",
    matches = "[1-9].*",
    disabledReason = "runs with -Pexhaustive")
class ZombieWorkerIT {
  private static final int ROUNDS = Integer.getInteger("rounds", 3);

  @TempDir private Path directory;

  /** Each worker has a disk of its own, as on a machine of its own. */
  private Map<String, Map<String, String>> connectors() {
    Map<String, String> source = Map.of("index.dir", directory + "/index-${env:HOSTNAME}");
    return Map.of(
        "kvstore-source",
        source,
        "s3-source",
        source,
        "kvstore-sink",
        Map.of("kvstore.mode", "conditional"),
        "dynamodb-sink",
        Map.of("dynamodb.mode", "conditional"));
  }

  @Test
  void holdsOffWhatAWorkerWritesThatWasTakenForDead() throws Exception {
    Path home = Unpacked.distribution(directory);
    Path plugins = Files.createDirectory(directory.resolve("plugins"));
    Unpacked.plugins(home, plugins);
    try (Deployment deployment = new Deployment(directory, Path.of("target", "zombie-worker"))) {
      deployment.startApp(home);
      ConnectWorker first = deployment.worker(ConnectWorker.newestLibraries(), plugins);
      ConnectWorker second = deployment.worker(ConnectWorker.newestLibraries(), plugins);
      first.start();
      second.start();
      deployment.submitConnectors(home, first, connectors());
      try (Load load = Load.start(deployment.stack())) {
        for (int round = 0; round < ROUNDS; round++) {
          for (ConnectWorker worker : List.of(first, second)) {
            deployment.awaitWork();
            worker.suspend();
            deployment.awaitWork();
            worker.resume();
          }
        }
      }
      deployment.awaitExactViews();
    }
  }
}
