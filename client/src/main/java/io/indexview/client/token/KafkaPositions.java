package io.indexview.client.token;

import io.indexview.client.look.AnswerTimeouts;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.progress.GroupProgress.Taken;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Positions on a cluster. */
final class KafkaPositions implements PipelinePositions {
  private static final int FETCH_WAIT_MS = 10;

  private final Admin admin;
  private final Consumer<byte[], byte[]> reader;
  private final GroupProgress progress;

  /**
   * @param kafka settings of the cluster: bootstrap servers, security
   */
  KafkaPositions(Map<String, Object> kafka) {
    Map<String, Object> settings = AnswerTimeouts.in(kafka);
    this.admin = Admin.create(settings);
    // A fetch that still waits for more would hold up the next look for as long.
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MS);
    this.reader = ControlTable.consumer(settings);
    this.progress = new GroupProgress(admin, reader);
  }

  @Override
  public Optional<Topic> topic(String name) {
    try {
      TopicDescription found =
          await(admin.describeTopics(List.of(name)).topicNameValues().get(name));
      return Optional.of(new Topic(found.topicId(), found.partitions().size()));
    } catch (UnknownTopicOrPartitionException e) {
      return Optional.empty();
    }
  }

  @Override
  public long end(TopicPartition partition) {
    return await(
            admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition))
        .offset();
  }

  @Override
  public OptionalLong committed(String group, TopicPartition partition) {
    return progress.committed(group, partition);
  }

  @Override
  public Taken taken(String group, TopicPartition partition) {
    // Of all that the progress does, only this uses the one reader.
    synchronized (reader) {
      return progress.taken(group, partition);
    }
  }

  private static <T> T await(Future<T> answer) {
    try {
      return answer.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KafkaException cause) {
        throw cause;
      }
      throw new KafkaException(e.getCause().getMessage(), e.getCause());
    }
  }

  @Override
  public void close() {
    try (admin) {
      synchronized (reader) {
        reader.close();
      }
    }
  }
}
