package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.source.Scan;
import io.indexview.connect.common.source.ScanAnswers;
import io.indexview.connect.common.source.SourcePartition;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.s3.listing.Listing;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.connect.s3.listing.ListingReporter;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class PartitionListingTest {
  private static final Instant NOW = Instant.ofEpochMilli(1_000);

  private final FakeChangeTopic topic = new FakeChangeTopic();
  private Optional<Scan> completed = Optional.empty();
  private Optional<Listing> further = Optional.empty();
  private Optional<String> problem = Optional.of("an object is locked");
  private Optional<String> outage = Optional.empty();
  private final PartitionListing sourcePartition = sourcePartition(ListingOffset.NONE);

  private PartitionListing sourcePartition(ListingOffset offset) {
    return new PartitionListing(
        new ListingReporter(
            new SourceStates("states", null, null, ""),
            new SourcePartition("files", "changes", "documents", 1),
            Map.of(),
            offset,
            Duration.ZERO,
            new ScanAnswers(Optional::empty),
            new ManualClock()),
        new PartitionListing.Listings() {
          @Override
          public Listing first() {
            return new Hindered();
          }

          @Override
          public Optional<Listing> next(ListingOffset offset, Instant givenUpAt) {
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
    public Optional<Scan> completed() {
      return completed;
    }

    @Override
    public Optional<String> problem() {
      return problem;
    }

    @Override
    public Optional<String> outage() {
      return outage;
    }
  }

  @Test
  void doesNotTakeTheScanAtAnEarlierTopicForOneAtThisOne() {
    sourcePartition.list(NOW);
    completed = Optional.of(scan(1));
    assertThat(sourcePartition.report(NOW, false)).isEmpty();
    completed = Optional.empty();
    topic.become("topic-2");
    sourcePartition.list(NOW);

    Struct state = (Struct) sourcePartition.report(NOW, true).orElseThrow().value();

    assertThat(state.getStruct("lastScan")).isNull();
    assertThat(state.getString("problem")).isEqualTo("an object is locked");
  }

  @Test
  void staysHinderedWhenAnotherTaskTakesItOver() {
    sourcePartition.list(NOW);
    sourcePartition.report(NOW, true);
    completed = Optional.of(scan(1));
    sourcePartition.report(NOW, true);
    completed = Optional.empty();
    further = Optional.of(new Hindered());
    sourcePartition.list(NOW);
    SourceRecord last = sourcePartition.report(NOW, true).orElseThrow();
    further = Optional.empty();

    PartitionListing next = sourcePartition(ListingOffset.fromMap(last.sourceOffset()));

    Struct state = (Struct) next.report(NOW, true).orElseThrow().value();
    assertThat(state.getStruct("lastScan")).isNotNull();
    assertThat(state.getString("problem")).isEqualTo("an object is locked");
    assertThat(next.isHindered()).isTrue();
  }

  @Test
  void isHinderedByAnOutageOnlyAsLongAsItLasts() {
    problem = Optional.empty();
    outage = Optional.of("the index is in use");
    sourcePartition.list(NOW);

    Struct state = (Struct) sourcePartition.report(NOW, true).orElseThrow().value();

    assertThat(state.getString("problem")).isEqualTo("the index is in use");
    assertThat(sourcePartition.isHindered()).isTrue();
    outage = Optional.empty();
    sourcePartition.list(NOW);
    state = (Struct) sourcePartition.report(NOW, true).orElseThrow().value();
    assertThat(state.getString("problem")).isNull();
    assertThat(sourcePartition.isHindered()).isFalse();
  }

  private static Scan scan(int number) {
    return new Scan(number, 0, 0, 0, false, 0, null, Map.of(), Map.of());
  }
}
