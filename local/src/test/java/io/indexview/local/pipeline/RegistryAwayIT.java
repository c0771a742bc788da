package io.indexview.local.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.indexview.local.FreePorts;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A sink that tolerates errors, and whose registry is away, and then refuses it. */
class RegistryAwayIT {
  private static final String SINK = "indexview-kvstore-sink";
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private static LocalStack stack;
  private static int registryPort;

  @BeforeAll
  static void start() throws IOException {
    stack =
        LocalStack.start(
            StackConfig.builder()
                .parts(PartName.BROKER, PartName.CONNECT, PartName.KV_STORE)
                .build());
    registryPort = FreePorts.next(InetAddress.getLoopbackAddress());
  }

  @AfterAll
  static void stop() {
    stack.close();
  }

  @Test
  void goodRowsWaitAndBecomeNoDeadLetters() throws Exception {
    produceRow();
    stack.connect().put(SINK, sink());
    stack.connect().awaitRunning(SINK, TIMEOUT);

    await().atMost(TIMEOUT).until(() -> retries() > 2);

    HttpServer refusing =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), registryPort), 0);
    refusing.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(401, -1);
          exchange.close();
        });
    refusing.start();
    try {
      double before = retries();
      await().atMost(TIMEOUT).until(() -> retries() > before + 2);
    } finally {
      refusing.stop(0);
    }
    assertThat(stack.connect().status(SINK).orElseThrow().isRunning()).isTrue();
    assertThat(deadLetters()).isZero();
  }

  /** Of a schema that only the registry could tell. */
  private static void produceRow() throws InterruptedException, ExecutionException {
    byte[] bytes = {0, 0, 0, 0, 7, 2, 'a'};
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", stack.bootstrapServers()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer
          .send(new ProducerRecord<>(stack.config().topics().viewStates(), 0, bytes, bytes))
          .get();
    }
  }

  private static double retries() throws JMException {
    ObjectName task =
        new ObjectName("kafka.connect:type=task-error-metrics,connector=" + SINK + ",task=0");
    return ((Number) ManagementFactory.getPlatformMBeanServer().getAttribute(task, "total-retries"))
        .doubleValue();
  }

  private static long deadLetters() throws InterruptedException, ExecutionException {
    TopicPartition topic = new TopicPartition(stack.config().topics().deadLetters("kv"), 0);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.bootstrapServers()))) {
      ListOffsetsResultInfo end =
          admin.listOffsets(Map.of(topic, OffsetSpec.latest())).all().get().get(topic);
      return end.offset();
    }
  }

  private static Map<String, String> sink() {
    String converter = "io.indexview.connect.common.avro.AvroConverter";
    String registry = "http://127.0.0.1:" + registryPort;
    Map<String, String> config = new HashMap<>();
    config.put("connector.class", "io.indexview.connect.kvstore.sink.KvStoreSinkConnector");
    config.put("kvstore.uri", stack.kvStoreUri());
    config.put("topic.prefix", stack.config().topics().prefix());
    config.put("topics.regex", stack.config().topics().sinkPattern("kv"));
    for (String part : List.of("key.converter", "value.converter")) {
      config.put(part, converter);
      config.put(part + ".schema.registry.url", registry);
      config.put(part + ".schema.registry.retries", "0");
    }
    config.put("consumer.override.isolation.level", "read_committed");
    config.put(
        "consumer.override.partition.assignment.strategy",
        CooperativeStickyAssignor.class.getName());
    config.put("consumer.override.auto.offset.reset", "earliest");
    config.put("errors.retry.timeout", "-1");
    config.put("errors.retry.delay.max.ms", "500");
    config.put("errors.tolerance", "all");
    config.put("errors.deadletterqueue.topic.name", stack.config().topics().deadLetters("kv"));
    config.put("errors.deadletterqueue.topic.replication.factor", "1");
    return config;
  }
}
