package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.SourceState.ChangeFeed;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.control.SourceState.ScanRequests;
import io.indexview.schemas.control.SourceState.SnapshotNeeded;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class SourceStateTest {
  private static final KeyScope SCOPE = new KeyScope("/people", ".lob", List.of("/-/contact"));

  private static Scan scan(long number, Optional<KeyScope> scope) {
    return new Scan(
        number, 100, 200, 42, true, 7, scope, Map.of(1, 5L, 0, 7L), Map.of(0, 9L, 1, 8L));
  }

  private static void assertReadBack(SourceState state) {
    GenericRecord record = state.toAvro();
    assertThat(GenericData.get().validate(record.getSchema(), record)).isTrue();
    assertThat(SourceState.of(record)).isEqualTo(state);
  }

  @Test
  void readsBackEverythingThatASourcePartitionTells() {
    assertReadBack(
        new SourceState(
            "people-store",
            "people",
            Optional.of("id"),
            "0",
            2,
            Optional.of(scan(4, Optional.of(SCOPE))),
            Optional.of(scan(3, Optional.empty())),
            300,
            OptionalLong.of(250),
            Optional.of("object x is locked"),
            Optional.of(new SnapshotNeeded(210, "the store was restored")),
            Optional.of(new SnapshotNeeded(205, "the topic was cut")),
            Optional.of(Duration.ofDays(3)),
            Optional.of(new StoredValues("avro_store", "\"record\"", Map.of(2, "\"written\""))),
            Optional.of(
                new ChangeFeed(
                    OptionalLong.of(240), Map.of(1, 4L, 0, 3L), Optional.of("no license"))),
            Optional.of(new ScanRequests(6, "lists once"))));
  }

  @Test
  void readsBackThatASourcePartitionTellsNothing() {
    assertReadBack(
        new SourceState(
            "files", "changes", Optional.empty(), "a", 1, Optional.empty(), Optional.empty(), 1));
  }

  @Test
  void hasBothOffsetsOfAPartitionThatCameOrThatABrokerDidNotKnow() {
    Scan scan = new Scan(1, 0, 0, 0, false, 0, Optional.empty(), Map.of(0, 5L), Map.of(1, 7L));

    assertThat(scan.begins()).isEqualTo(Map.of(0, 5L, 1, 0L));
    assertThat(scan.ends()).isEqualTo(Map.of(0, 5L, 1, 7L));
  }
}
