package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.streams.state.InMemoryEntries;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TombstoneExpiryTest {
  private static final Duration RETENTION = Duration.ofDays(1);
  private static final long DAY = RETENTION.toMillis();
  private static final long NOW = 100 * DAY;

  private final InMemoryEntries entries = new InMemoryEntries();
  private final ManualClock clock = new ManualClock();
  private long streamTimeMs = NOW;
  private final TombstoneExpiry expiry =
      new TombstoneExpiry(entries, new OrderGuard(RETENTION), RETENTION, () -> streamTimeMs, clock);

  private static byte[] key(int i) {
    return "k%04d".formatted(i).getBytes(StandardCharsets.UTF_8);
  }

  private void put(int i, boolean deleted, long timestampMs) {
    FramedValue value = deleted ? null : new FramedValue(1, new byte[] {1}, 0, 1);
    entries.put(
        key(i), EntryCodec.encode(new Entry(null, deleted, List.of(), 1, 1, timestampMs, value)));
  }

  @Test
  void dropsOnlyTombstonesThatAreOldEnough() {
    put(1, true, NOW - 2 * DAY - 1);
    put(2, true, NOW - 2 * DAY);
    put(3, false, 0);

    assertThat(expiry.poll(NOW)).isEqualTo(1);

    assertThat(entries.get(key(1))).isNull();
    assertThat(entries.get(key(2))).isNotNull();
    assertThat(entries.get(key(3))).isNotNull();
  }

  @Test
  void judgesByRecordTimeSoThatAnIdleTopicKeepsItsTombstones() {
    put(1, true, NOW);
    streamTimeMs = NOW + 1;

    assertThat(expiry.poll(NOW + 50 * DAY)).isZero();
  }

  @Test
  void isNotFooledByARecordFromTheFuture() {
    put(1, true, NOW);
    streamTimeMs = NOW + 1_000 * DAY;

    assertThat(expiry.poll(NOW + 1)).isZero();
  }

  @Test
  void readsNoMoreLargeValuesAtOnceThanAFewMegabytes() {
    byte[] large = new byte[TombstoneExpiry.CHUNK_BYTES / 4];
    for (int i = 0; i < 6; i++) {
      FramedValue value = new FramedValue(1, large, 0, large.length);
      entries.put(key(i), EntryCodec.encode(new Entry(null, false, List.of(), 1, 1, NOW, value)));
    }
    put(7, true, 0);

    assertThat(expiry.poll(NOW)).as("after four of them").isZero();
    clock.pass(Duration.ofSeconds(1));
    assertThat(expiry.poll(NOW)).isEqualTo(1);
  }

  @Test
  void scansTheStateInChunksAndRestsAfterwards() {
    for (int i = 0; i < 5_000; i++) {
      put(i, i % 5 != 0, 0);
    }

    assertThat(expiry.poll(NOW)).isEqualTo(1_600);
    clock.pass(Duration.ofMillis(999));
    assertThat(expiry.poll(NOW)).isZero();
    clock.pass(Duration.ofMillis(1));
    assertThat(expiry.poll(NOW)).isEqualTo(1_600);
    clock.pass(Duration.ofSeconds(1));
    assertThat(expiry.poll(NOW)).isEqualTo(800);

    put(1, true, 0);
    clock.pass(Duration.ofHours(1).minusNanos(1));
    assertThat(expiry.poll(NOW)).isZero();
    clock.pass(Duration.ofNanos(1));
    assertThat(expiry.poll(NOW)).isEqualTo(1);
  }
}
