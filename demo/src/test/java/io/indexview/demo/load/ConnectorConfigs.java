package io.indexview.demo.load;

import io.indexview.local.LocalStack;
import io.indexview.schemas.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;

/** The kvstore connectors of orders, for a worker that is killed. */
final class ConnectorConfigs {
  private static final String PACKAGE = "io.indexview.connect.";

  private final LocalStack stack;
  private final String storeUri;
  private final Path directory;

  ConnectorConfigs(LocalStack stack, String storeUri, Path directory) {
    this.stack = stack;
    this.storeUri = storeUri;
    this.directory = directory;
  }

  static Path schemaFile(Path directory) throws IOException {
    return Files.writeString(directory.resolve("orders.avsc"), Orders.SCHEMA.toString());
  }

  Map<String, String> kvSource() throws IOException {
    Map<String, String> config = common("kvstore.source.KvStoreSourceConnector");
    config.put("source.name", "kvstore");
    config.put("tasks.max", "1");
    config.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    config.put("exactly.once.support", "required");
    config.put("index.dir", directory.resolve("index").toString());
    config.put("kafka.bootstrap.servers", stack.bootstrapServers());
    config.put("schema.registry.url", stack.registryUrl().toString());
    config.put("scan.interval.ms", "200");
    config.put("scan.max.time.percent", "100");
    config.put("preflight.timeout.ms", "60000");
    config.put("record.sets", Orders.NAME);
    config.put("record.set.orders.prefix", Orders.PREFIX.toString());
    config.put("record.set.orders.topic", topics().changes(Orders.NAME));
    config.put("record.set.orders.schema.file", schemaFile(directory).toString());
    return config;
  }

  Map<String, String> kvSink() {
    Map<String, String> config = common("kvstore.sink.KvStoreSinkConnector");
    config.put("tasks.max", "2");
    converter(config, "key.converter");
    config.put("topics.regex", topics().sinkPattern("kv"));
    config.put("consumer.override.isolation.level", "read_committed");
    config.put("consumer.override.auto.offset.reset", "earliest");
    config.put("consumer.override.metadata.max.age.ms", "1000");
    config.put(
        "consumer.override.partition.assignment.strategy",
        CooperativeStickyAssignor.class.getName());
    config.put("consumer.override.session.timeout.ms", WorkerProcess.SESSION_TIMEOUT_MS);
    config.put("errors.tolerance", "all");
    config.put("errors.retry.timeout", "-1");
    config.put("errors.deadletterqueue.topic.name", topics().deadLetters("kv"));
    config.put("errors.deadletterqueue.topic.replication.factor", "1");
    return config;
  }

  private Map<String, String> common(String connectorClass) {
    Map<String, String> config = new HashMap<>();
    config.put("connector.class", PACKAGE + connectorClass);
    config.put("kvstore.uri", storeUri);
    converter(config, "value.converter");
    return config;
  }

  private void converter(Map<String, String> config, String key) {
    config.put(key, PACKAGE + "common.avro.AvroConverter");
    config.put(key + ".schema.registry.url", stack.registryUrl().toString());
  }

  private Topics topics() {
    return stack.config().topics();
  }
}
