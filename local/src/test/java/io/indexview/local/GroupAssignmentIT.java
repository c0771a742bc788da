package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.streams.generation.KafkaCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a real broker says of a group whose members share their partitions. */
@Timeout(600)
class GroupAssignmentIT {
  private static final String TOPIC = "rows";
  private static final Set<TopicPartition> ALL =
      IntStream.range(0, 4)
          .mapToObj(number -> new TopicPartition(TOPIC, number))
          .collect(Collectors.toSet());
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);

  @TempDir private Path directory;
  private Map<String, Object> kafka;

  @Test
  void hasNoneWhileAMemberIsWaitedFor() throws Exception {
    try (LocalStack stack =
        LocalStack.start(
            StackConfig.builder().dataDirectory(directory).parts(PartName.BROKER).build())) {
      kafka = Map.of("bootstrap.servers", stack.bootstrapServers());
      try (Admin admin = Admin.create(kafka);
          KafkaConsumer<byte[], byte[]> one = member();
          KafkaConsumer<byte[], byte[]> other = member()) {
        admin.createTopics(List.of(new NewTopic(TOPIC, 4, (short) 1))).all().get();
        KafkaCluster cluster = new KafkaCluster(admin, (short) -1);
        assertThat(cluster.assignment("sink")).contains(Map.of());

        await().atMost(TIMEOUT).until(() -> polled(one).assignment().equals(ALL));
        assertThat(cluster.assignment("sink").orElseThrow().values()).containsExactly(ALL);

        await()
            .atMost(TIMEOUT)
            .until(
                () -> {
                  polled(other);
                  return cluster.assignment("sink").isEmpty();
                });

        await()
            .atMost(TIMEOUT)
            .until(
                () -> {
                  polled(one);
                  return polled(other).assignment().size() == 2 && one.assignment().size() == 2;
                });
        Optional<Map<String, Set<TopicPartition>>> shared =
            await()
                .atMost(TIMEOUT)
                .until(
                    () -> {
                      Stream.of(one, other).forEach(GroupAssignmentIT::polled);
                      return cluster.assignment("sink");
                    },
                    Optional::isPresent);
        assertThat(shared.orElseThrow().values())
            .containsExactlyInAnyOrder(one.assignment(), other.assignment());
      }
    }
  }

  private KafkaConsumer<byte[], byte[]> member() {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put("group.id", "sink");
    settings.put("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
    settings.put("heartbeat.interval.ms", 100);
    KafkaConsumer<byte[], byte[]> member =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    member.subscribe(List.of(TOPIC));
    return member;
  }

  private static KafkaConsumer<byte[], byte[]> polled(KafkaConsumer<byte[], byte[]> member) {
    member.poll(POLL);
    return member;
  }
}
