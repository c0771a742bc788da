package io.indexview.streams.health;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StateRestoreListener;

/** How far tasks are with restoring their state. Safe for use by several threads. */
public final class RestoreProgress implements StateRestoreListener {
  private final Map<TopicPartition, Left> left = new ConcurrentHashMap<>();

  private record Left(long end, long next) {
    long offsets() {
      return Math.max(0, end - next);
    }
  }

  @Override
  public void onRestoreStart(TopicPartition changelog, String store, long start, long end) {
    left.put(changelog, new Left(end, start));
  }

  @Override
  public void onBatchRestored(TopicPartition changelog, String store, long last, long records) {
    left.computeIfPresent(changelog, (unused, before) -> new Left(before.end(), last + 1));
  }

  @Override
  public void onRestoreEnd(TopicPartition changelog, String store, long records) {
    left.remove(changelog);
  }

  @Override
  public void onRestoreSuspended(TopicPartition changelog, String store, long records) {
    left.remove(changelog);
  }

  /** Partitions of changelogs that tasks restore their state from now. */
  public int partitions() {
    return left.size();
  }

  /** Offsets of these partitions that are still to be read; at least as many as records. */
  public long offsets() {
    return left.values().stream().mapToLong(Left::offsets).sum();
  }
}
