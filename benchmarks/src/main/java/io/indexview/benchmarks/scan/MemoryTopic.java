package io.indexview.benchmarks.scan;

import io.indexview.connect.common.log.ChangeLog;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * A topic of one partition, read by one reader from its start, that keeps an event until it was
 * read: what a scan costs is seen without a broker, and in little memory.
 */
final class MemoryTopic implements ChangeLog {
  /** As many as a consumer hands out at once. */
  private static final int MAX_POLL_EVENTS = 500;

  private static final int PARTITION = 0;

  private final Queue<LoggedEvent> unread = new ArrayDeque<>();
  private long end;
  private long position;

  /** Returns the offset. */
  long append(byte[] key, byte[] value, long timestampMs) {
    unread.add(new LoggedEvent(PARTITION, end, timestampMs, key, value));
    return end++;
  }

  @Override
  public Bounds bounds() {
    return new Bounds("memory", Map.of(PARTITION, 0L), Map.of(PARTITION, end));
  }

  @Override
  public void seek(Map<Integer, Long> positions) {
    if (positions.get(PARTITION) != position) {
      throw new IllegalStateException("offset %s was read before".formatted(positions));
    }
  }

  @Override
  public List<LoggedEvent> poll(Duration timeout) {
    List<LoggedEvent> events = new ArrayList<>();
    while (events.size() < MAX_POLL_EVENTS && !unread.isEmpty()) {
      events.add(unread.remove());
    }
    position += events.size();
    return events;
  }

  @Override
  public Map<Integer, Long> positions() {
    return Map.of(PARTITION, position);
  }

  @Override
  public void close() {}
}
