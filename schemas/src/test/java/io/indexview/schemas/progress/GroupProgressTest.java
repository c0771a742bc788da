package io.indexview.schemas.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.progress.GroupProgress.Offsets;
import io.indexview.schemas.progress.GroupProgress.Taken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class GroupProgressTest {
  private static final String GROUP = "connect-sink";
  private static final List<String> TOPICS = List.of("rows");
  private static final TopicPartition ROWS = new TopicPartition("rows", 0);

  private final Log log = new Log();
  private final Reader reader = new Reader();
  private final GroupProgress progress = new GroupProgress(log, reader);

  /** One partition: committed records, tombstones in the gaps, perhaps an open transaction. */
  private static final class Log implements Offsets {
    private final List<Long> records = new ArrayList<>();
    private long start;
    private long lastStable;
    private long highWatermark;
    private Long committed;

    private static Map<TopicPartition, Long> each(
        Collection<TopicPartition> partitions, long offset) {
      return partitions.stream().collect(Collectors.toMap(Function.identity(), p -> offset));
    }

    @Override
    public List<TopicPartition> partitions(Collection<String> topics) {
      return List.of(ROWS);
    }

    @Override
    public Map<TopicPartition, Long> starts(Collection<TopicPartition> partitions) {
      return each(partitions, start);
    }

    @Override
    public Map<TopicPartition, Long> highWatermarks(Collection<TopicPartition> partitions) {
      return each(partitions, highWatermark);
    }

    @Override
    public Map<TopicPartition, Long> lastStable(Collection<TopicPartition> partitions) {
      return each(partitions, lastStable);
    }

    @Override
    public Map<TopicPartition, Long> since(
        Collection<TopicPartition> partitions, long timestampMs) {
      return each(
          partitions,
          records.stream()
              .filter(offset -> timestamp(offset) >= timestampMs)
              .findFirst()
              .orElse(-1L));
    }

    @Override
    public Map<TopicPartition, Long> committed(String group) {
      return committed == null ? Map.of() : Map.of(ROWS, committed);
    }

    @Override
    public OptionalLong committed(String group, TopicPartition partition) {
      return committed == null ? OptionalLong.empty() : OptionalLong.of(committed);
    }
  }

  private static long timestamp(long offset) {
    return 1_000 + offset;
  }

  /** Comes as far as the last stable offset, and past tombstones. */
  private final class Reader extends MockConsumer<byte[], byte[]> {
    private long read;

    Reader() {
      super("earliest");
    }

    @Override
    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      long from = position(ROWS);
      List<ConsumerRecord<byte[], byte[]>> found =
          log.records.stream().filter(offset -> offset >= from).map(Reader::record).toList();
      read += found.size();
      seek(ROWS, Math.max(from, log.lastStable));
      return new ConsumerRecords<>(
          Map.of(ROWS, found), Map.of(ROWS, new OffsetAndMetadata(log.lastStable)));
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset) {
      return new ConsumerRecord<>(
          ROWS.topic(),
          ROWS.partition(),
          offset,
          timestamp(offset),
          TimestampType.CREATE_TIME,
          0,
          0,
          new byte[0],
          new byte[0],
          new RecordHeaders(),
          Optional.empty());
    }
  }

  /** Two rows and their tombstone, which the group has taken; then rows without one. */
  private void commitHasNotReachedThePartition() {
    log.records.addAll(List.of(0L, 1L));
    log.committed = 2L;
    log.lastStable = 3;
    log.highWatermark = 5;
  }

  private void commitReachesThePartition() {
    log.records.addAll(List.of(3L, 4L));
    log.highWatermark = 6;
    log.lastStable = 6;
  }

  @Test
  void endsBehindOpenTransactions() {
    commitHasNotReachedThePartition();

    assertThat(progress.ends(TOPICS)).containsExactly(Map.entry(ROWS, 5L));
  }

  @Test
  void hasNotTakenWhatIsStillOpen() {
    commitHasNotReachedThePartition();
    assertThat(progress.taken(GROUP, ROWS)).isEqualTo(new Taken(3, 5));

    commitReachesThePartition();
    assertThat(progress.taken(GROUP, ROWS)).isEqualTo(new Taken(3, 6));

    log.committed = 5L;
    assertThat(progress.taken(GROUP, ROWS)).isEqualTo(new Taken(6, 6));
  }

  @Test
  void isBehindWhatIsStillOpen() {
    commitHasNotReachedThePartition();
    assertThat(progress.behind(GROUP, TOPICS)).containsExactly(ROWS);

    commitReachesThePartition();
    assertThat(progress.behind(GROUP, TOPICS)).containsExactly(ROWS);

    log.committed = 5L;
    assertThat(progress.behind(GROUP, TOPICS)).isEmpty();
  }

  @Test
  void isBehindGivenEndsThatAreNotDecided() {
    commitHasNotReachedThePartition();

    assertThat(progress.behind(GROUP, Map.of(ROWS, 5L))).containsExactly(ROWS);
    assertThat(progress.behind(GROUP, Map.of(ROWS, 3L))).isEmpty();
  }

  @Test
  void isBehindWhenItsPositionIsTheOpenTransaction() {
    commitHasNotReachedThePartition();
    log.committed = 3L;

    assertThat(progress.behind(GROUP, TOPICS)).containsExactly(ROWS);
    assertThat(progress.taken(GROUP, ROWS)).isEqualTo(new Taken(3, 5));
  }

  @Test
  void isNotHeldUpByTransactionsThatBeginLater() {
    commitHasNotReachedThePartition();
    Map<TopicPartition, Long> ends = progress.ends(TOPICS);
    commitReachesThePartition();
    log.committed = 5L;
    log.highWatermark = 9;

    assertThat(progress.behind(GROUP, ends)).isEmpty();
    assertThat(progress.taken(GROUP, ROWS)).isEqualTo(new Taken(6, 9));
  }

  @Test
  void takesAnAbortedTransactionForNothing() {
    commitHasNotReachedThePartition();
    log.highWatermark = 6;
    log.lastStable = 6;

    assertThat(progress.behind(GROUP, TOPICS)).isEmpty();
    assertThat(progress.taken(GROUP, ROWS)).isEqualTo(new Taken(6, 6));
  }

  @Test
  void tellsTheOldestOfCommittedRecordsOnly() {
    commitHasNotReachedThePartition();
    assertThat(progress.oldestBehind(GROUP, progress.ends(TOPICS))).isEmpty();

    log.committed = 1L;
    assertThat(progress.oldestBehind(GROUP, progress.ends(TOPICS)))
        .containsExactly(Map.entry(ROWS, timestamp(1)));
  }

  @Test
  void countsFromTheFirstRecordThatIsStillThere() {
    commitHasNotReachedThePartition();
    log.committed = null;
    assertThat(progress.taken(GROUP, ROWS)).isEqualTo(new Taken(0, 5));

    log.start = 5;
    log.lastStable = 5;
    assertThat(progress.taken(GROUP, ROWS)).isEqualTo(new Taken(5, 5));
    assertThat(progress.behind(GROUP, TOPICS)).isEmpty();
  }

  @Test
  void startsBeforeOpenTransactionsWhenNothingIsYoungEnough() {
    commitHasNotReachedThePartition();

    assertThat(progress.since(TOPICS, timestamp(1))).containsExactly(Map.entry(ROWS, 1L));
    assertThat(progress.since(TOPICS, timestamp(2))).containsExactly(Map.entry(ROWS, 3L));
  }

  private void records(long count) {
    LongStream.range(0, count).forEach(log.records::add);
    log.lastStable = count + 1;
    log.highWatermark = count + 1;
  }

  @Test
  void readsLittleOfWhatAGroupIsFarBehind() {
    records(10_000);
    log.committed = 5L;
    assertThat(progress.behind(GROUP, TOPICS)).containsExactly(ROWS);
    long first = reader.read;
    assertThat(first).isLessThan(100);

    log.committed = 6_000L;
    assertThat(progress.behind(GROUP, TOPICS)).containsExactly(ROWS);
    assertThat(reader.read).isEqualTo(first);

    log.committed = 9_999L;
    assertThat(progress.behind(GROUP, TOPICS)).containsExactly(ROWS);
    log.committed = 10_000L;
    assertThat(progress.behind(GROUP, TOPICS)).isEmpty();
  }

  @Test
  void isBehindARecordBeforeManyTombstones() {
    records(10);
    log.lastStable = 1_000;
    log.highWatermark = 1_000;
    log.committed = 9L;

    assertThat(progress.behind(GROUP, TOPICS)).containsExactly(ROWS);
    log.committed = 10L;
    assertThat(progress.behind(GROUP, TOPICS)).isEmpty();
  }

  @Test
  void doesNotTakeARecordPastTheGivenEndForOneBeforeIt() {
    records(10);
    log.committed = 4L;
    assertThat(progress.behind(GROUP, TOPICS)).containsExactly(ROWS);

    log.records.removeIf(offset -> offset >= 4 && offset < 8);
    assertThat(progress.behind(GROUP, Map.of(ROWS, 4L))).isEmpty();
  }
}
