package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.source.Look;
import io.indexview.connect.common.source.SourceSlice;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.s3.listing.Listing;
import io.indexview.connect.s3.listing.SliceOffset;
import io.indexview.connect.s3.listing.SliceReporter;
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
  private Optional<Listing> further = Optional.empty();
  private final Slice slice = slice(SliceOffset.NONE);

  private Slice slice(SliceOffset offset) {
    return new Slice(
        new SliceReporter(
            new SourceStates("states"),
            new SourceSlice("files", "changes", "documents", 1),
            Map.of(),
            offset,
            Duration.ZERO),
        new Slice.Listings() {
          @Override
          public Listing first() {
            return new Hindered();
          }

          @Override
          public Optional<Listing> next(SliceOffset offset, Instant givenUpAt) {
            return further;
          }
        },
        topic);
  }

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
    completed = Optional.of(look(1));
    assertThat(slice.report(NOW, false)).isEmpty();
    completed = Optional.empty();
    topic.become("topic-2");
    slice.list(NOW);

    Struct state = (Struct) slice.report(NOW, true).orElseThrow().value();

    assertThat(state.getStruct("lastLook")).isNull();
    assertThat(state.getString("problem")).isEqualTo("an object is locked");
  }

  @Test
  void staysHinderedWhenAnotherTaskTakesItOver() {
    slice.list(NOW);
    slice.report(NOW, true);
    completed = Optional.of(look(1));
    slice.report(NOW, true);
    completed = Optional.empty();
    further = Optional.of(new Hindered());
    slice.list(NOW);
    SourceRecord last = slice.report(NOW, true).orElseThrow();
    further = Optional.empty();

    Slice next = slice(SliceOffset.fromMap(last.sourceOffset()));

    Struct state = (Struct) next.report(NOW, true).orElseThrow().value();
    assertThat(state.getStruct("lastLook")).isNotNull();
    assertThat(state.getString("problem")).isEqualTo("an object is locked");
    assertThat(next.isHindered()).isTrue();
  }

  private static Look look(int number) {
    return new Look(number, 0, 0, 0, false, 0, null, Map.of(), Map.of());
  }
}
