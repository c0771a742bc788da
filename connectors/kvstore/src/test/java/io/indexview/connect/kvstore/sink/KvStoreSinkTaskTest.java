package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.sink.FakeSinkContext;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.awaitility.Awaitility;
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
    // On a busy machine the write outlasts the call, and a later one takes its answer.
    Awaitility.await()
        .untilAsserted(
            () -> {
              task.put(List.of());
              assertThat(task.preCommit(Map.of(partition, new OffsetAndMetadata(99))))
                  .containsExactly(Map.entry(partition, new OffsetAndMetadata(99)));
            });

    task.close(List.of(partition));
    assertThat(task.preCommit(Map.of())).isEmpty();
    task.stop();
  }

  @Test
  void saysWhatHelpsIfTheWorkerLacksClasses() {
    KvStoreSinkTask task = new KvStoreSinkTask();
    task.initialize(
        (SinkTaskContext)
            Proxy.newProxyInstance(
                KvStoreSinkTaskTest.class.getClassLoader(),
                new Class<?>[] {SinkTaskContext.class},
                (proxy, method, arguments) -> {
                  throw new NoClassDefFoundError("a/b/Missing");
                }));

    assertThatThrownBy(() -> task.start(Map.of("kvstore.uri", "embedded:" + directory)))
        .isInstanceOf(ConnectException.class)
        .hasMessageContainingAll("a/b/Missing", "runs on Kafka Connect from 3.9");
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
