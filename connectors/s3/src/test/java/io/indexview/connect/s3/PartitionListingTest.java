package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.source.ScanAnswers;
import io.indexview.connect.common.source.SourcePartition;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.s3.listing.Listing;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.connect.s3.listing.ListingReporter;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PartitionListingTest {
  private static final Instant NOW = Instant.ofEpochMilli(1_000);

  private final ManualClock clock = new ManualClock();
  private final FakeChangeTopic topic = new FakeChangeTopic(clock);
  private int begun;
  private Optional<Scan> completed = Optional.empty();
  private Optional<Listing> further = Optional.empty();
  private Optional<String> problem = Optional.of("an object is locked");
  private Optional<String> outage = Optional.empty();
  private final PartitionListing sourcePartition = sourcePartition(ListingOffset.NONE);

  private PartitionListing sourcePartition(ListingOffset offset) {
    return new PartitionListing(
        new ListingReporter(
            new SourceStates("states", Optional.empty(), Optional.empty(), ""),
            new SourcePartition("files", "changes", "documents", 1),
            Map.of(),
            offset,
            Duration.ZERO,
            new ScanAnswers(Optional::empty),
            clock),
        new PartitionListing.Listings() {
          @Override
          public Listing first() {
            begun++;
            return new Hindered();
          }

          @Override
          public Optional<Listing> next(ListingOffset offset, Instant givenUpAt) {
            return further;
          }

          @Override
          public Optional<String> heldUp() {
            return Optional.empty();
          }
        },
        topic,
        clock);
  }

  /** The answer to a question is there only for the next one who asks. */
  @BeforeEach
  void askWhichTopicThereIs() {
    topic.idSince(clock.nanoTime());
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

  private static Optional<SourceRecord> report(
      PartitionListing sourcePartition, boolean answering, long publishedUntil) {
    return report(sourcePartition, NOW, answering, publishedUntil);
  }

  /**
   * @param publishedUntil 0: not known
   */
  private static Optional<SourceRecord> report(
      PartitionListing sourcePartition, Instant now, boolean answering, long publishedUntil) {
    return sourcePartition.report(
        now,
        answering,
        () -> Optional.of(publishedUntil).filter(time -> time > 0).map(Instant::ofEpochMilli));
  }

  private static long publishedUntil(Optional<SourceRecord> state) {
    return ((Struct) state.orElseThrow().value()).getInt64("publishedUntil");
  }

  @Test
  void hasPublishedNoLessThanItSaidBeforeAlsoInAnotherTask() {
    sourcePartition.list(NOW);
    assertThat(publishedUntil(report(sourcePartition, true, 0))).isZero();
    completed = Optional.of(scan(1));
    assertThat(publishedUntil(report(sourcePartition, true, 700))).isEqualTo(700);
    SourceRecord last = report(sourcePartition, true, 600).orElseThrow();
    assertThat(publishedUntil(Optional.of(last))).isEqualTo(700);

    PartitionListing next = sourcePartition(ListingOffset.fromMap(last.sourceOffset()));

    assertThat(publishedUntil(report(next, true, 0))).isEqualTo(700);
    assertThat(publishedUntil(report(next, true, 800))).isEqualTo(800);
    Instant setBack = Instant.ofEpochMilli(500);
    assertThat(publishedUntil(report(next, setBack, true, 400))).isEqualTo(400);
  }

  @Test
  void doesNotTakeTheScanAtAnEarlierTopicForOneAtThisOne() {
    sourcePartition.list(NOW);
    completed = Optional.of(scan(1));
    assertThat(report(sourcePartition, false, 900)).isEmpty();
    completed = Optional.empty();
    topic.become("topic-2");
    clock.pass(Duration.ofSeconds(11));
    sourcePartition.list(NOW);
    sourcePartition.list(NOW);

    Struct state = (Struct) report(sourcePartition, true, 900).orElseThrow().value();

    assertThat(state.getStruct("lastScan")).isNull();
    assertThat(state.getString("problem")).isEqualTo("an object is locked");
  }

  /** It may take hours, and what it has published is gone. */
  @Test
  void beginsAnewWhenTheTopicBecameAnotherOneInTheMiddle() {
    problem = Optional.empty();
    sourcePartition.list(NOW);
    topic.become("topic-2");
    clock.pass(Duration.ofSeconds(11));
    sourcePartition.list(NOW);
    assertThat(begun).isOne();

    sourcePartition.list(NOW);
    assertThat(begun).isEqualTo(2);
    completed = Optional.of(scan(1));
    Struct state = (Struct) report(sourcePartition, true, 900).orElseThrow().value();
    assertThat(state.getString("topicId")).isEqualTo("topic-2");
  }

  @Test
  void isListedOnceAListingIsCompleteForTheTopicThatThereIs() {
    problem = Optional.empty();
    sourcePartition.list(NOW);
    assertThat(sourcePartition.isListed()).isFalse();
    completed = Optional.of(scan(1));
    SourceRecord last = report(sourcePartition, true, 900).orElseThrow();
    sourcePartition.list(NOW);
    assertThat(sourcePartition.isListed()).isTrue();

    PartitionListing next = sourcePartition(ListingOffset.fromMap(last.sourceOffset()));
    assertThat(next.isListed()).as("before the brokers answer").isTrue();
    next.list(NOW);
    assertThat(next.isListed()).isTrue();
    topic.become("topic-2");
    clock.pass(Duration.ofSeconds(11));
    next.list(NOW);
    next.list(NOW);
    assertThat(next.isListed()).isFalse();
  }

  @Test
  void staysHinderedWhenAnotherTaskTakesItOver() {
    sourcePartition.list(NOW);
    report(sourcePartition, true, 900);
    completed = Optional.of(scan(1));
    report(sourcePartition, true, 900);
    completed = Optional.empty();
    further = Optional.of(new Hindered());
    sourcePartition.list(NOW);
    SourceRecord last = report(sourcePartition, true, 900).orElseThrow();
    further = Optional.empty();

    PartitionListing next = sourcePartition(ListingOffset.fromMap(last.sourceOffset()));

    Struct state = (Struct) report(next, true, 900).orElseThrow().value();
    assertThat(state.getStruct("lastScan")).isNotNull();
    assertThat(state.getString("problem")).isEqualTo("an object is locked");
    assertThat(next.isHindered()).isTrue();
  }

  @Test
  void isHinderedByAnOutageOnlyAsLongAsItLasts() {
    problem = Optional.empty();
    outage = Optional.of("the index is in use");
    sourcePartition.list(NOW);

    Struct state = (Struct) report(sourcePartition, true, 900).orElseThrow().value();

    assertThat(state.getString("problem")).isEqualTo("the index is in use");
    assertThat(sourcePartition.isHindered()).isTrue();
    outage = Optional.empty();
    sourcePartition.list(NOW);
    state = (Struct) report(sourcePartition, true, 900).orElseThrow().value();
    assertThat(state.getString("problem")).isNull();
    assertThat(sourcePartition.isHindered()).isFalse();
  }

  @Test
  void saysThatNobodyTellsWhichTopicThereIsAsLongAsItIsSo() {
    problem = Optional.empty();
    completed = Optional.of(scan(1));
    sourcePartition.list(NOW);
    report(sourcePartition, true, 900);
    topic.become(null);
    pollEveryMinute(5);
    assertThat(problem(report(sourcePartition, true, 900))).isNull();
    pollEveryMinute(1);

    SourceRecord state = report(sourcePartition, true, 900).orElseThrow();

    assertThat(problem(Optional.of(state))).contains("topic changes", "describe", "create");
    assertThat(sourcePartition.isHindered()).isTrue();
    PartitionListing next = sourcePartition(ListingOffset.fromMap(state.sourceOffset()));
    assertThat(problem(report(next, true, 900))).as("nobody knows, in another task").isNull();
    topic.become("topic-1");
    sourcePartition.list(NOW);
    sourcePartition.list(NOW);
    assertThat(problem(report(sourcePartition, true, 900))).isNull();
    assertThat(sourcePartition.isHindered()).isFalse();
  }

  /** Connect does not poll while the brokers take no records, nor does anybody ask then. */
  @Test
  void doesNotTakeALongTimeWithoutAQuestionForOneWithoutAnAnswer() {
    problem = Optional.empty();
    sourcePartition.list(NOW);
    clock.pass(Duration.ofSeconds(11));
    sourcePartition.list(NOW);
    topic.become(null);
    clock.pass(Duration.ofMinutes(6));
    sourcePartition.list(NOW);

    assertThat(problem(report(sourcePartition, true, 900))).isNull();
    assertThat(sourcePartition.isHindered()).isFalse();
    pollEveryMinute(6);
    assertThat(problem(report(sourcePartition, true, 900))).contains("topic changes");
  }

  /** An outage that began before Connect stopped polling, and was over before it polls again. */
  @Test
  void saysNothingOfAnOutageThatIsOver() {
    problem = Optional.empty();
    sourcePartition.list(NOW);
    topic.become(null);
    clock.pass(Duration.ofSeconds(11));
    sourcePartition.list(NOW);
    clock.pass(Duration.ofMinutes(6));
    sourcePartition.list(NOW);
    topic.become("topic-1");

    assertThat(problem(report(sourcePartition, true, 900))).isNull();
    assertThat(sourcePartition.isHindered()).isFalse();
  }

  /** What was reported would be withdrawn for minutes, though nobody has answered. */
  @Test
  void goesOnSayingSoAfterConnectDidNotPollForAWhile() {
    problem = Optional.empty();
    sourcePartition.list(NOW);
    topic.become(null);
    pollEveryMinute(7);
    assertThat(problem(report(sourcePartition, true, 900))).contains("topic changes");
    clock.pass(Duration.ofMinutes(2));
    sourcePartition.list(NOW);

    assertThat(problem(report(sourcePartition, true, 900))).contains("topic changes");
    assertThat(sourcePartition.isHindered()).isTrue();
  }

  private void pollEveryMinute(int minutes) {
    for (int i = 0; i < minutes; i++) {
      clock.pass(Duration.ofMinutes(1));
      sourcePartition.list(NOW);
    }
  }

  /** Connect waits for slow sends between two polls. */
  @Test
  void listsAlsoWhenItIsPolledSeldom() {
    topic.outdateAnswer();
    clock.pass(Duration.ofSeconds(30));
    sourcePartition.list(NOW);
    assertThat(begun).isZero();

    clock.pass(Duration.ofSeconds(30));
    sourcePartition.list(NOW);
    assertThat(begun).isOne();
  }

  private static String problem(Optional<SourceRecord> state) {
    return ((Struct) state.orElseThrow().value()).getString("problem");
  }

  private static Scan scan(int number) {
    return new Scan(number, 0, 0, 0, false, 0, Optional.empty(), Map.of(), Map.of());
  }
}
