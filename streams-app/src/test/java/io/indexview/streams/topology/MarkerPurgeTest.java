package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MarkerPurgeTest {
  private static final Duration RETENTION = Duration.ofDays(1);
  private static final long DAY = RETENTION.toMillis();
  private static final long NOW = 100 * DAY;

  private final KeyValueStore<Bytes, byte[]> store =
      Stores.keyValueStoreBuilder(
              Stores.inMemoryKeyValueStore("records"), Serdes.Bytes(), Serdes.ByteArray())
          .withLoggingDisabled()
          .withCachingDisabled()
          .build();

  @BeforeEach
  void open() {
    store.init(new MockProcessorContext<Void, Void>().getStateStoreContext(), store);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static Bytes key(int i) {
    return Bytes.wrap("k%03d".formatted(i).getBytes(StandardCharsets.UTF_8));
  }

  private void put(int i, boolean deleted, long timestampMs) {
    FramedValue value = deleted ? null : new FramedValue(1, new byte[] {1}, 0, 1);
    store.put(
        key(i), EntryCodec.encode(new Entry(null, deleted, List.of(), 1, 1, timestampMs, value)));
  }

  @Test
  void dropsOnlyMarkersThatAreOldEnough() {
    put(1, true, NOW - 2 * DAY - 1);
    put(2, true, NOW - 2 * DAY);
    put(3, false, 0);

    assertThat(new MarkerPurge(store, RETENTION, 10).run(NOW, NOW)).isEqualTo(1);

    assertThat(store.get(key(1))).isNull();
    assertThat(store.get(key(2))).isNotNull();
    assertThat(store.get(key(3))).isNotNull();
  }

  @Test
  void judgesByRecordTimeSoThatAnIdleTopicKeepsItsMarkers() {
    put(1, true, NOW);

    assertThat(new MarkerPurge(store, RETENTION, 10).run(NOW + 1, NOW + 50 * DAY)).isZero();
  }

  @Test
  void isNotFooledByARecordFromTheFuture() {
    put(1, true, NOW);

    assertThat(new MarkerPurge(store, RETENTION, 10).run(NOW + 1_000 * DAY, NOW + 1)).isZero();
  }

  @Test
  void walksTheStoreInSlicesAndRestsAfterwards() {
    for (int i = 0; i < 25; i++) {
      put(i, i % 5 != 0, 0);
    }
    MarkerPurge purge = new MarkerPurge(store, RETENTION, 10);

    assertThat(purge.run(NOW, NOW)).isEqualTo(8);
    assertThat(purge.run(NOW, NOW + 1)).isEqualTo(8);
    assertThat(purge.run(NOW, NOW + 2)).isEqualTo(4);

    put(1, true, 0);
    assertThat(purge.run(NOW, NOW + 3)).isZero();
    assertThat(purge.run(NOW, NOW + Duration.ofHours(1).toMillis() + 3)).isEqualTo(1);
  }
}
