package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.source.Look;
import io.indexview.connect.common.source.SourceSlice;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.s3.record.Listing;
import io.indexview.connect.s3.record.SliceOffset;
import io.indexview.connect.s3.record.SliceReporter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class SliceTest {
  private static final Instant NOW = Instant.ofEpochMilli(1_000);

  private final FakeChangeTopic topic = new FakeChangeTopic();
  private Optional<Look> completed = Optional.empty();
  private final Slice slice =
      new Slice(
          new SliceReporter(
              new SourceStates("states"),
              new SourceSlice("files", "changes", "documents", 1),
              Map.of(),
              SliceOffset.NONE,
              Duration.ZERO),
          new Slice.Looking() {
            @Override
            public Listing first() {
              return new Hindered();
            }

            @Override
            public Optional<Listing> next(SliceOffset offset, Instant givenUpAt) {
              return Optional.empty();
            }
          },
          topic);

  private final class Hindered implements Listing {
    @Override
    public List<SourceRecord> next() {
      return List.of();
    }

    @Override
    public Optional<Look> completed() {
      return completed;
    }

    @Override
    public Optional<String> problem() {
      return Optional.of("an object is locked");
    }
  }

  @Test
  void doesNotTakeTheLookAtAnEarlierTopicForOneAtThisOne() {
    slice.list(NOW);
    completed = Optional.of(new Look(1, 0, 0, 0, false, 0, null, Map.of(), Map.of()));
    assertThat(slice.report(NOW, false)).isEmpty();
    completed = Optional.empty();
    topic.become("topic-2");
    slice.list(NOW);

    Struct state = (Struct) slice.report(NOW, true).orElseThrow().value();

    assertThat(state.getStruct("lastLook")).isNull();
    assertThat(state.getString("problem")).isEqualTo("an object is locked");
  }
}
