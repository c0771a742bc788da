package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.sink.FakeSinkContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KvStoreSinkTaskTest {
  @TempDir private Path directory;

  @Test
  void writesCommitsAndGivesUp() {
    ViewRows rows = new ViewRows("key: [org]\ntarget: kv");
    TopicPartition partition = new TopicPartition(rows.generation.viewTopic(), 0);
    KvStoreSinkTask task = new KvStoreSinkTask();
    task.initialize(new FakeSinkContext());
    task.start(Map.of("kvstore.uri", "embedded:" + directory));

    task.put(List.of(rows.upsert("Support", 1, 1, 7)));
    assertThat(task.preCommit(Map.of(partition, new OffsetAndMetadata(99))))
        .containsExactly(Map.entry(partition, new OffsetAndMetadata(99)));

    task.close(List.of(partition));
    assertThat(task.preCommit(Map.of())).isEmpty();
    task.stop();
  }

  @Test
  void stopsThoughItNeverStarted() {
    KvStoreSinkTask task = new KvStoreSinkTask();

    task.close(List.of());
    task.stop();

    assertThat(task.version()).isNotBlank();
  }
}
