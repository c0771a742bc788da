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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A sink that tolerates errors, and whose registry is away, and then refuses it. */
class RegistryAwayIT {
  private static final String SINK = "indexview-kvstore-sink";
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

  private static LocalStack stack;
  private static int registryPort;

  private final Set<String> asked = ConcurrentHashMap.newKeySet();

  @BeforeAll
  static void start() throws IOException {
    stack =
        LocalStack.start(
            StackConfig.builder()
                .parts(PartName.BROKER, PartName.CONNECT, PartName.KV_STORE)
                .build());
    registryPort = FreePorts.next(InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void removeSink() {
    stack.connect().delete(SINK);
    await().atMost(TIMEOUT).until(() -> !BEANS.isRegistered(errors()));
  }

  @AfterAll
  static void stop() {
    stack.close();
  }

  @Test
  void goodRowsWaitAndBecomeNoDeadLetters() throws Exception {
    long others = deadLetters();
    produceState(7);
    stack.connect().put(SINK, sink());
    stack.connect().awaitRunning(SINK, TIMEOUT);

    await().atMost(TIMEOUT).until(() -> retries() > 2);

    HttpServer refusing = registry(401);
    try {
      double before = retries();
      await().atMost(TIMEOUT).until(() -> retries() > before + 2);
    } finally {
      refusing.stop(0);
    }
    assertThat(stack.connect().status(SINK).orElseThrow().isRunning()).isTrue();
    assertThat(deadLetters()).isEqualTo(others);
  }

  /** The registry has lost its schema, and nobody can restore that. */
  @Test
  void aStateThatCannotBeReadGoesWithItsTopic() throws Exception {
    HttpServer without = registry(404);
    try {
      produceState(7);
      stack.connect().put(SINK, sink());
      stack.connect().awaitRunning(SINK, TIMEOUT);
      await().atMost(TIMEOUT).until(() -> retries() > 2);

      removeSink();
      String states = stack.config().topics().viewStates();
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", stack.bootstrapServers()))) {
        admin.deleteTopics(List.of(states)).all().get();
        await()
            .atMost(TIMEOUT)
            .ignoreExceptions()
            .untilAsserted(
                () -> admin.createTopics(List.of(new NewTopic(states, 1, (short) 1))).all().get());
      }
      produceState(8);
      asked.clear();
      stack.connect().put(SINK, sink());

      await().atMost(TIMEOUT).until(() -> asked.contains("/schemas/ids/8"));
      assertThat(asked).containsOnly("/schemas/ids/8");
    } finally {
      without.stop(0);
    }
  }

  private HttpServer registry(int status) throws IOException {
    HttpServer registry =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), registryPort), 0);
    registry.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestURI().getPath());
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    registry.start();
    return registry;
  }

  /** Of a schema that only the registry could tell. */
  private static void produceState(int schemaId) throws InterruptedException, ExecutionException {
    byte[] bytes = {0, 0, 0, 0, (byte) schemaId, 2, 'a'};
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
    return ((Number) BEANS.getAttribute(errors(), "total-retries")).doubleValue();
  }

  /** As long as the task is there. */
  private static ObjectName errors() throws JMException {
    return new ObjectName("kafka.connect:type=task-error-metrics,connector=" + SINK + ",task=0");
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
