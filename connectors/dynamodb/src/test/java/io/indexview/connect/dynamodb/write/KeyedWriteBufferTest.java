package io.indexview.connect.dynamodb.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.row.RowVersion;
import io.indexview.connect.dynamodb.write.RowWrite.RowKey;
import io.indexview.dynamodb.WriteCondition.Fence;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class KeyedWriteBufferTest {
  private final KeyedWriteBuffer buffer = new KeyedWriteBuffer();

  static RowWrite write(String table, String id, long offset) {
    return write(table, id, offset, new RowVersion(1, offset));
  }

  private static RowWrite write(String table, String id, long offset, RowVersion version) {
    SinkRecord record = new SinkRecord("topic", 0, null, null, null, null, offset);
    return RowWrite.upsert(
        record,
        new RowKey(table, Map.of("id", id)),
        Map.of("id", id),
        version,
        new Fence("revision", version.revision()));
  }

  static List<Long> offsets(RowWrite write) {
    List<Long> offsets = new ArrayList<>();
    write.forEachRecord(record -> offsets.add(record.kafkaOffset()));
    return offsets.stream().sorted().toList();
  }

  @Test
  void handsOutOnlyTheNewestWriteOfARow() {
    buffer.add(write("t", "a", 0));
    buffer.add(write("t", "b", 1));
    buffer.add(write("t", "a", 2));
    buffer.add(write("t", "a", 3));

    assertThat(offsets(buffer.take("t"))).containsExactly(0L, 2L, 3L);
    assertThat(offsets(buffer.take("t"))).containsExactly(1L);
    assertThat(buffer.take("t")).isNull();
  }

  /** As when a task reads the topics of two generations of one table again. */
  @Test
  void letsNoOlderWriteThatComesLaterReplaceANewerOne() {
    buffer.add(write("t", "a", 0, new RowVersion(2, 5)));
    buffer.add(write("t", "a", 1, new RowVersion(1, 9)));
    buffer.add(write("t", "a", 2, new RowVersion(2, 4)));

    RowWrite write = buffer.take("t");

    assertThat(write.record().kafkaOffset()).isZero();
    assertThat(offsets(write)).containsExactly(0L, 1L, 2L);
  }

  @Test
  void settlesAnOlderWriteThatComesLaterWithTheNewerOneInFlight() {
    buffer.add(write("t", "a", 0, new RowVersion(2, 5)));
    RowWrite sent = buffer.take("t");
    buffer.add(write("t", "a", 1, new RowVersion(1, 9)));

    buffer.again(sent);

    assertThat(buffer.take("t")).isSameAs(sent);
    assertThat(offsets(sent)).containsExactly(0L, 1L);
  }

  @Test
  void keepsOfAWriteWhatIsNotGivenUp() {
    buffer.add(write("t", "a", 0, new RowVersion(1, 5)));
    buffer.add(write("t", "a", 1, new RowVersion(1, 6)));
    buffer.add(write("t", "a", 2, new RowVersion(2, 5)));

    buffer.forget(write -> write.record().kafkaOffset() == 2);

    RowWrite write = buffer.take("t");
    assertThat(write.record().kafkaOffset()).isEqualTo(1);
    assertThat(offsets(write)).containsExactly(0L, 1L);
  }

  @Test
  void keepsTheNextWriteOfARowUntilTheOneInFlightIsSettled() {
    buffer.add(write("t", "a", 0));
    RowWrite first = buffer.take("t");
    buffer.add(write("t", "a", 1));

    assertThat(buffer.take("t")).isNull();
    buffer.settled(first);

    assertThat(offsets(buffer.take("t"))).containsExactly(1L);
  }

  @Test
  void doesNotRepeatAWriteThatANewerOneOvertook() {
    buffer.add(write("t", "a", 0));
    RowWrite first = buffer.take("t");
    buffer.add(write("t", "a", 1));

    buffer.again(first);

    RowWrite next = buffer.take("t");
    assertThat(next.record().kafkaOffset()).isEqualTo(1);
    assertThat(offsets(next)).containsExactly(0L, 1L);
    buffer.settled(next);
    assertThat(buffer.isEmpty()).isTrue();
  }

  @Test
  void repeatsAWriteThatDidNotComeThrough() {
    buffer.add(write("t", "a", 0));

    buffer.again(buffer.take("t"));

    assertThat(offsets(buffer.take("t"))).containsExactly(0L);
  }

  @Test
  void batchesRowsOfOneTableInOrderAndLeavesOthersInTheirs() {
    buffer.add(write("t", "a", 0));
    buffer.add(write("u", "a", 1));
    buffer.add(write("t", "b", 2));
    buffer.add(write("u", "b", 3));
    buffer.add(write("t", "c", 4));

    assertThat(buffer.tables()).containsExactly("t", "u");
    assertThat(newest(buffer.takeBatch("t", 2))).containsExactly(0L, 2L);
    assertThat(newest(buffer.takeBatch("u", 25))).containsExactly(1L, 3L);
    assertThat(newest(buffer.takeBatch("t", 25))).containsExactly(4L);
    assertThat(buffer.takeBatch("t", 25)).isEmpty();
    assertThat(buffer.tables()).isEmpty();
  }

  @Test
  void sendsAWriteAloneThatWasRefusedInCompany() {
    buffer.add(write("t", "a", 0));
    buffer.add(write("t", "b", 1));
    List<RowWrite> refused = buffer.takeBatch("t", 25);
    refused.forEach(RowWrite::mustGoAlone);
    refused.forEach(buffer::again);
    buffer.add(write("t", "c", 2));

    assertThat(newest(buffer.takeBatch("t", 25))).containsExactly(0L);
    assertThat(newest(buffer.takeBatch("t", 25))).containsExactly(1L);
    assertThat(newest(buffer.takeBatch("t", 25))).containsExactly(2L);
  }

  private static List<Long> newest(List<RowWrite> writes) {
    return writes.stream().map(write -> write.record().kafkaOffset()).toList();
  }

  @Test
  void forgetsWhatWaitsAndNotWhatIsInFlight() {
    buffer.add(write("t", "a", 0));
    RowWrite sent = buffer.take("t");
    buffer.add(write("t", "a", 1));
    buffer.add(write("t", "b", 2));
    buffer.add(write("t", "c", 3));

    buffer.forget(write -> write.record().kafkaOffset() < 3);

    assertThat(offsets(buffer.take("t"))).containsExactly(3L);
    assertThat(buffer.take("t")).isNull();
    buffer.settled(sent);
    assertThat(buffer.take("t")).isNull();
  }
}
