package io.indexview.client.admin;

import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.progress.GroupProgress;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;

/** Positions on a cluster. Thread-safe: callers wait for each other. */
final class KafkaPositions implements Lags.Positions {
  private final Admin admin;
  private final Consumer<byte[], byte[]> reader;
  private final GroupProgress progress;

  KafkaPositions(Map<String, Object> kafka) {
    Map<String, Object> settings = AnswerTimeouts.in(kafka);
    this.admin = Admin.create(settings);
    this.reader = ControlTable.consumer(settings);
    this.progress = new GroupProgress(admin, reader);
  }

  @Override
  public synchronized Map<String, Long> oldestBehind(String group, Set<String> topics) {
    Map<String, Long> oldest = new HashMap<>();
    progress
        .oldestBehind(group, progress.ends(topics))
        .forEach((partition, time) -> oldest.merge(partition.topic(), time, Math::min));
    return oldest;
  }

  @Override
  public synchronized void close() {
    try (admin) {
      reader.close();
    }
  }
}
