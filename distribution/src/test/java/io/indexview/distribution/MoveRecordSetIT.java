package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The steps of "Move a record set" in docs/run.md, for records of the KV store and for files, while
 * both change. Logs are in {@code target/move-record-set}.
 */
@Timeout(900)
@EnabledIfSystemProperty(
    named = "tries.longer",
    matches = "[1-9].*",
    disabledReason = "runs with -Pexhaustive")
class MoveRecordSetIT {
  private static final int MORE_PARTITIONS = 7;

  @TempDir private static Path directory;

  @Test
  void keepsViewsExactInTheRecordSetsThatTheyMoveTo() throws Exception {
    Path home = Unpacked.distribution(directory);
    Path plugins = Files.createDirectory(directory.resolve("plugins"));
    Unpacked.plugins(home, plugins);
    try (Deployment deployment = new Deployment(directory, Path.of("target", "move-record-set"))) {
      deployment.startApp(home);
      ConnectWorker worker = deployment.worker(ConnectWorker.newestLibraries(), plugins);
      worker.start();
      deployment.startServer(home);
      deployment.submitConnectors(home, worker);
      try (Load load = Load.start(deployment.stack())) {
        deployment.awaitWork();
        deployment.stack().createChangeTopics(List.of("people2", "files2"), MORE_PARTITIONS);
        deployment.restartApp(home, List.of("people", "orders", "files", "people2", "files2"));
        deployment.submit(
            home,
            worker,
            "kvstore-source",
            Map.of(
                "record.sets", "people2,orders",
                "record.set.people.prefix", "",
                "record.set.people.schema.file", "",
                "record.set.people.topic", "",
                "record.set.people2.prefix", "/Corporate/people",
                "record.set.people2.schema.file", directory.resolve("people.avsc").toString()));
        deployment.submit(
            home, worker, "s3-source", Map.of("s3.topic", "indexview.changes.files2"));
        deployment.awaitConnectors(worker);
        for (String view : List.of("people-by-org", "files-by-size")) {
          Path file = deployment.views().resolve(view + ".yaml");
          // Its source with a 2 behind it.
          Files.writeString(file, Files.readString(file).replaceFirst("source: \\w+", "$02"));
          deployment.command(home, "views", "apply", "-f", file.toString(), "--wait");
        }
        assertThat(load.changes()).isPositive();
      }
      deployment.awaitExactViews(List.of("people2", "orders"));
      deployment.restartApp(home, List.of("orders", "people2", "files2"));
      Load load = Load.start(deployment.stack());
      try (load) {
        deployment.awaitWork(List.of("people2", "orders", "files2"));
      }
      deployment.awaitExactViews(List.of("people2", "orders"));
    }
  }
}
