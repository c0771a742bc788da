package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KvStoreSourceTaskTest {
  @TempDir private Path directory;

  @Test
  void saysWhatHelpsIfTheWorkerLacksClasses() throws Exception {
    Path schema = directory.resolve("people.avsc");
    Files.writeString(schema, "{\"type\": \"record\", \"name\": \"Person\", \"fields\": []}");
    Map<String, String> properties =
        new HashMap<>(
            Map.of(
                "source.name", "corporate",
                "kvstore.uri", "embedded:" + directory.resolve("store"),
                "kafka.bootstrap.servers", "127.0.0.1:1",
                "schema.registry.url", "mock://people",
                "index.dir", directory.resolve("index").toString(),
                "record.sets", "people",
                "record.set.people.prefix", "/Corporate/people",
                "record.set.people.schema.file", schema.toString()));
    properties.put(KvStoreSourceTask.RECORD_SETS_CONFIG, "people");
    KvStoreSourceTask task = new KvStoreSourceTask();
    task.initialize(
        (SourceTaskContext)
            Proxy.newProxyInstance(
                KvStoreSourceTaskTest.class.getClassLoader(),
                new Class<?>[] {SourceTaskContext.class},
                (proxy, method, arguments) -> {
                  throw new NoClassDefFoundError("a/b/Missing");
                }));

    assertThatThrownBy(() -> task.start(properties))
        .isInstanceOf(ConnectException.class)
        .hasMessageContainingAll("a/b/Missing", "runs on Kafka Connect from 3.9");
    task.stop();
  }
}
