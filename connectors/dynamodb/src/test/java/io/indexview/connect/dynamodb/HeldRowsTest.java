package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

class HeldRowsTest {
  private static final Duration BACKOFF = Duration.ofSeconds(1);
  private static final String TOPIC = "rows";

  private final ManualClock clock = new ManualClock();
  private final HeldRows held =
      new HeldRows(() -> new Backoff(BACKOFF, BACKOFF, () -> 0.999), clock);

  @Test
  void waitsNoLongerWhenTheClockIsSetBack() {
    held.hold(TOPIC, new ItemStoreException.Unavailable("the table is being made", null));
    held.add(new SinkRecord(TOPIC, 0, null, null, null, null, 1));
    assertThat(held.due()).isEmpty();
    clock.setBack(Duration.ofHours(1));

    clock.pass(BACKOFF);
    assertThat(held.due()).containsExactly(TOPIC);
  }
}
