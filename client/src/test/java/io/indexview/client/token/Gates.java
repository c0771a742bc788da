package io.indexview.client.token;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.progress.GroupProgress.Taken;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/** Gates for those who test what comes behind them. */
public final class Gates {
  private static final ByteBuffer KEY = ByteBuffer.allocate(1);

  private Gates() {}

  /**
   * Everything is taken, but a row was rejected.
   *
   * @param row offset 0 of this partition
   */
  public static FreshnessGate rejecting(TopicPartition row, RecordSetInfo recordSet) {
    return new FreshnessGate(
        new Rejecting(row), new Topics(Topics.DEFAULT_PREFIX), () -> List.of(recordSet));
  }

  private record Rejecting(TopicPartition row) implements PipelinePositions {
    @Override
    public Optional<Topic> topic(String name) {
      return Optional.of(new Topic(Uuid.ZERO_UUID, 1));
    }

    @Override
    public long end(TopicPartition partition) {
      return 1;
    }

    @Override
    public OptionalLong committed(String group, TopicPartition partition) {
      return OptionalLong.of(1);
    }

    @Override
    public Taken taken(String group, TopicPartition partition) {
      return new Taken(1, 1);
    }

    @Override
    public void newDeadLetters(String topic, Consumer<RejectedRecord> taker) {
      taker.accept(new RejectedRecord(row, 0, KEY, "it is too large"));
    }

    @Override
    public long keys(
        TopicPartition partition, long from, long to, ObjLongConsumer<ByteBuffer> taker) {
      return to;
    }

    @Override
    public void close() {
      // Nothing to close.
    }
  }
}
