package io.indexview.connect.dynamodb.write;

import static io.indexview.connect.dynamodb.write.KeyedWriteBufferTest.offsets;
import static io.indexview.connect.dynamodb.write.KeyedWriteBufferTest.write;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class KeyedWriteBufferPropertyTest {

  /** Steps: 0 add a write, 1 take, 2 settle, 3 again; on one of three rows. */
  @Property(tries = 300)
  void settlesEveryRecordOnceAndEachRowInOrder(
      @ForAll @Size(min = 1, max = 120) List<@IntRange(min = 0, max = 11) Integer> steps) {
    KeyedWriteBuffer rows = new KeyedWriteBuffer();
    Map<String, RowWrite> inFlight = new HashMap<>();
    Map<String, Long> applied = new HashMap<>();
    List<Long> settled = new ArrayList<>();
    Runnable take =
        () -> {
          RowWrite write = rows.take("t");
          if (write != null) {
            String id = (String) write.key().attributes().get("id");
            assertThat(inFlight.put(id, write)).isNull();
          }
        };
    long offset = 0;
    for (int step : steps) {
      String id = "row" + step % 3;
      switch (step / 3) {
        case 0 -> rows.add(write("t", id, offset++));
        case 1 -> take.run();
        case 2 -> settle(rows, inFlight, id, applied, settled);
        default -> {
          RowWrite write = inFlight.remove(id);
          if (write != null) {
            rows.again(write);
          }
        }
      }
    }
    while (!rows.isEmpty()) {
      take.run();
      List.copyOf(inFlight.keySet()).forEach(id -> settle(rows, inFlight, id, applied, settled));
    }

    assertThat(settled).doesNotHaveDuplicates().hasSize((int) offset);
  }

  private static void settle(
      KeyedWriteBuffer rows,
      Map<String, RowWrite> inFlight,
      String id,
      Map<String, Long> applied,
      List<Long> settled) {
    RowWrite write = inFlight.remove(id);
    if (write == null) {
      return;
    }
    rows.settled(write);
    Long before = applied.put(id, write.record().kafkaOffset());
    assertThat(before == null || before < write.record().kafkaOffset()).isTrue();
    settled.addAll(offsets(write));
  }
}
