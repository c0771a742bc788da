package io.indexview.connect.common.index;

import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A topic in memory; every reader of it is a {@link ChangeTopicReader}. */
public final class FakeTopic {
  private static final int MAX_POLL_EVENTS = 7;

  private final Time time;
  private int partitionCount;
  private List<List<ChangeTopicReader.LoggedEvent>> partitions;
  private long[] begins;
  private String id;
  private boolean available = true;
  private boolean questionsAnswered = true;
  private int describedPartitions = Integer.MAX_VALUE;
  private long[] readable;
  private final Deque<ChangeTopicReader.Bounds> answers = new ArrayDeque<>();

  public FakeTopic(int partitionCount, Time time) {
    this.time = time;
    this.partitionCount = partitionCount;
    recreate();
  }

  /** Another topic of the name, with nothing in it. */
  public void recreate() {
    id = UUID.randomUUID().toString();
    begins = new long[partitionCount];
    partitions = new ArrayList<>();
    for (int i = 0; i < partitionCount; i++) {
      partitions.add(new ArrayList<>());
    }
  }

  /** Keys may go to other partitions from now on. */
  public void addPartition() {
    partitionCount++;
    partitions.add(new ArrayList<>());
    begins = Arrays.copyOf(begins, partitionCount);
  }

  /** Forgets what every partition holds by now. */
  public void trim() {
    for (int i = 0; i < partitionCount; i++) {
      begins[i] = partitions.get(i).size();
    }
  }

  /** Its readers see nothing that comes from now on, until {@link #release}. */
  public void hold() {
    readable = partitions.stream().mapToLong(List::size).toArray();
  }

  public void release() {
    readable = null;
  }

  /** What its readers do not see yet. */
  public List<ChangeTopicReader.LoggedEvent> heldBack() {
    return readable == null
        ? List.of()
        : all().stream().filter(event -> event.offset() >= readable[event.partition()]).toList();
  }

  /** Whether anybody tells which topic there is and what it holds; what it holds is read on. */
  public void setQuestionsAnswered(boolean answered) {
    questionsAnswered = answered;
  }

  /** How many partitions at the most the broker knows of that says what the topic holds. */
  public void setDescribedPartitions(int described) {
    describedPartitions = described;
  }

  /** The next answers to what the topic holds are these, as of brokers that lag behind. */
  public void answerOnce(ChangeTopicReader.Bounds... bounds) {
    answers.addAll(List.of(bounds));
  }

  public void setAvailable(boolean available) {
    this.available = available;
  }

  public int partition(byte[] key) {
    return Math.floorMod(Arrays.hashCode(key), partitionCount);
  }

  /** Returns the offset. */
  public long append(byte[] key, byte[] value, long timestampMs) {
    int partition = partition(key);
    List<ChangeTopicReader.LoggedEvent> events = partitions.get(partition);
    long offset = events.size();
    events.add(new ChangeTopicReader.LoggedEvent(partition, offset, timestampMs, key, value));
    return offset;
  }

  /** Every event of a partition ever, whatever was trimmed. */
  public List<ChangeTopicReader.LoggedEvent> events(int partition) {
    return Collections.unmodifiableList(partitions.get(partition));
  }

  /** Every event ever, whatever was trimmed. */
  public List<ChangeTopicReader.LoggedEvent> all() {
    return partitions.stream().flatMap(List::stream).toList();
  }

  public ChangeTopicReader.Bounds bounds() {
    return bounds(partitionCount);
  }

  private ChangeTopicReader.Bounds bounds(int count) {
    Map<Integer, Long> from = new HashMap<>();
    Map<Integer, Long> to = new HashMap<>();
    for (int i = 0; i < count; i++) {
      from.put(i, begins[i]);
      to.put(i, (long) partitions.get(i).size());
    }
    return new ChangeTopicReader.Bounds(id, from, to);
  }

  public ChangeTopicReader open() {
    return new Reader();
  }

  private final class Reader implements ChangeTopicReader {
    private final Map<Integer, Long> positions = new HashMap<>();
    private String answer;
    private long askedAt;

    @Override
    public Bounds bounds() {
      check();
      if (!questionsAnswered) {
        throw new ChangeTopicException("no answer", null);
      }
      if (!answers.isEmpty()) {
        return answers.remove();
      }
      return FakeTopic.this.bounds(Math.min(partitionCount, describedPartitions));
    }

    /** The answer to a question comes after the call that asked it, as from a broker. */
    @Override
    public Optional<String> idSince(long moment) {
      if (answer != null && askedAt - moment >= 0) {
        return Optional.of(answer);
      }
      if (available && questionsAnswered) {
        answer = id;
        askedAt = time.nanoTime();
      }
      return Optional.empty();
    }

    @Override
    public void seek(Map<Integer, Long> to) {
      positions.clear();
      positions.putAll(to);
    }

    @Override
    public List<LoggedEvent> poll(Duration timeout) {
      check();
      List<LoggedEvent> polled = new ArrayList<>();
      for (int partition : positions.keySet()) {
        List<LoggedEvent> events = partitions.get(partition);
        long position = positions.get(partition);
        if (position < begins[partition] || position > events.size()) {
          throw new ChangeTopicException("no offset " + position, null);
        }
        long readableTo = readable == null ? events.size() : readable[partition];
        int to = (int) Math.max(position, Math.min(readableTo, position + MAX_POLL_EVENTS));
        polled.addAll(events.subList((int) position, to));
        positions.put(partition, (long) to);
      }
      return polled;
    }

    @Override
    public Map<Integer, Long> positions() {
      return Map.copyOf(positions);
    }

    private void check() {
      if (!available) {
        throw new ChangeTopicException("not now", null);
      }
    }

    @Override
    public void close() {}
  }
}
