package io.indexview.benchmarks.dynamodb;

import io.indexview.benchmarks.sink.BenchSinkContext;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import io.indexview.connect.dynamodb.DynamoDbSinkTask;
import io.indexview.dynamodb.ItemStore;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;

/** A running task of the DynamoDB sink, called as a worker calls it. */
public final class DynamoDbSinkRun implements AutoCloseable {
  /** Records that a worker's consumer hands out at once. */
  private static final int BATCH = 500;

  private final DynamoDbSinkTask task;
  private final BenchSinkContext context = new BenchSinkContext();

  /**
   * @param store is closed with this
   */
  public DynamoDbSinkRun(ItemStore store, WriteMode mode, int inFlight) {
    task = new DynamoDbSinkTask(config -> store);
    task.initialize(context);
    task.start(
        Map.of(
            "aws.region",
            "local",
            "dynamodb.mode",
            mode.name().toLowerCase(Locale.ROOT),
            "dynamodb.auto.create",
            "true",
            "dynamodb.max.in.flight.requests",
            Integer.toString(inFlight)));
  }

  /** Hands out records of one partition, and waits until all may be committed; returns how many. */
  public long write(List<SinkRecord> records) {
    SinkRecord last = records.get(records.size() - 1);
    TopicPartition partition = new TopicPartition(last.topic(), last.kafkaPartition());
    context.assign(partition);
    for (int from = 0; from < records.size(); from += BATCH) {
      while (context.isPaused()) {
        waitForRecords();
        put(List.of());
      }
      put(records.subList(from, Math.min(from + BATCH, records.size())));
      task.preCommit(Map.of());
    }
    while (!isCommitted(partition, last.kafkaOffset() + 1)) {
      waitForRecords();
      put(List.of());
    }
    context.requireNothingRejected();
    return records.size();
  }

  private void put(List<SinkRecord> records) {
    boolean taken = false;
    while (!taken) {
      try {
        task.put(records);
        taken = true;
      } catch (RetriableException e) {
        waitForRecords();
      }
    }
  }

  private void waitForRecords() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(context.timeout()));
  }

  private boolean isCommitted(TopicPartition partition, long end) {
    OffsetAndMetadata committable = task.preCommit(Map.of()).get(partition);
    return committable != null && committable.offset() >= end;
  }

  @Override
  public void close() {
    task.stop();
  }
}
