package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.demo.DemoJob.FileRounds;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.Poll;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.verification.ViewVerifier.Verification;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The main job on the whole stack, while its parts die and come back. */
@Timeout(1_800)
class MainJobIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(4);

  @TempDir private Path directory;

  private final DemoPlan plan = DemoPlan.shipped(Path.of("..", "schemas").toAbsolutePath());
  private LocalStack stack;
  private Pipeline pipeline;
  private Clients clients;
  private FileRounds files;

  @Test
  void endsWithExactRowsWhenAppAndWorkerDieInTheMiddle() throws Exception {
    Path views = plan.writeViews(directory);
    StackConfig config = StackConfig.builder().build().withDataDirectory(directory.resolve("data"));
    try (LocalStack started = LocalStack.start(config);
        Pipeline deployed =
            Pipeline.deploy(
                started, plan.pipeline(views), AppProcess.launcher(directory), line -> {});
        Clients opened = Clients.of(started)) {
      stack = started;
      pipeline = deployed;
      clients = opened;
      files = new FileRounds(clients.bucket(), FileTree.of(plan.files()));
      runWithDeaths();
    }
  }

  private void runWithDeaths() throws Exception {
    change(0);
    awaitRowsBeyond(0);
    ((AppProcess) pipeline.app()).kill();
    change(1);
    long before = rowsPublished();
    pipeline.startApp();
    awaitRowsBeyond(before);
    stack.restart(PartName.CONNECT);
    ((AppProcess) pipeline.app()).kill();
    pipeline.startApp();
    pipeline.settle(TIMEOUT);

    List<Verification> proofs = new Proof(plan, clients).of(pipeline.settling().generations());
    assertThat(proofs).hasSize(6).allMatch(Verification::exact);
    assertThat(proofs).allMatch(proof -> proof.rows() > 0);
  }

  private void change(int round) throws IOException {
    for (DataSet set : plan.dataSets()) {
      try (JsonLines records = set.snapshots().get(round).open(set.schema())) {
        new SnapshotLoader(clients.store(), set.key(), set.schema()).apply(records);
      }
    }
    files.round(round);
  }

  private void awaitRowsBeyond(long rows) throws Exception {
    Poll.until(
        () -> rowsPublished() > rows ? Optional.of(true) : Optional.empty(),
        TIMEOUT,
        () -> new IllegalStateException("no row beyond " + rows));
  }

  private long rowsPublished() throws Exception {
    try (Admin admin =
        Admin.create(Map.of("bootstrap.servers", (Object) stack.bootstrapServers()))) {
      List<String> topics =
          admin.listTopics().names().get().stream()
              .filter(topic -> topic.startsWith("indexview.view."))
              .toList();
      Map<TopicPartition, OffsetSpec> ends =
          admin.describeTopics(topics).allTopicNames().get().values().stream()
              .flatMap(
                  topic ->
                      topic.partitions().stream()
                          .map(info -> new TopicPartition(topic.name(), info.partition())))
              .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
      return admin.listOffsets(ends).all().get().values().stream()
          .mapToLong(end -> end.offset())
          .sum();
    }
  }
}
