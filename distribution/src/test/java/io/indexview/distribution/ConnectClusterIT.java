package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The distribution on a cluster of two Connect workers. A follower and the leader are killed while
 * records and files change, the leader just when it has handed over tasks. Then every view is
 * exact. Logs are in {@code target/connect-cluster}.
 */
@Timeout(900)
class ConnectClusterIT {
  @TempDir private static Path directory;

  @Test
  void keepsViewsExactWhenAFollowerAndTheLeaderAreKilled() throws Exception {
    Path home = Unpacked.distribution(directory);
    Path plugins = Files.createDirectory(directory.resolve("plugins"));
    Unpacked.plugins(home, plugins);
    try (Deployment deployment = new Deployment(directory, Path.of("target", "connect-cluster"))) {
      deployment.startApp(home);
      // The member that comes first leads the group.
      ConnectWorker leader = deployment.worker(ConnectWorker.newestLibraries(), plugins);
      ConnectWorker follower = deployment.worker(ConnectWorker.newestLibraries(), plugins);
      leader.start();
      follower.start();
      deployment.submitConnectors(home, leader);
      Load load = Load.start(deployment.stack());
      try (load) {
        deployment.awaitWork();
        follower.kill();
        deployment.awaitWork();
        follower.startWithTasks();
        leader.kill();
        deployment.awaitWork();
        leader.start();
      }
      assertThat(load.changes()).isGreaterThan(Deployment.WORK);
      deployment.awaitExactViews();
    }
  }
}
