package io.indexview.streams.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.lifecycle.work.WorkResultCodec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class WorkRoundsTest {
  private static final String PROGRESS = "indexview.view-progress";
  private static final Work A = new Work.DeleteTopic("a", 1, "topic-a", 5);
  private static final Work B = new Work.DeleteTopic("b", 1, "topic-b", 5);

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final FakeLog log = new FakeLog();
  private final Map<Work, FakeJob> jobs = new HashMap<>();
  private final List<Work> begun = new ArrayList<>();
  private final List<Job> standing = new ArrayList<>();
  private Instant now = Instant.ofEpochMilli(0);
  private WorkRounds rounds;

  private static final class FakeJob implements Job {
    private Look next = Look.waiting("");
    private RuntimeException failure;
    private List<WorkResult> tells = List.of();
    private int looks;

    @Override
    public Look look(Consumer<WorkResult> told) {
      looks++;
      tells.forEach(told);
      tells = List.of();
      if (failure != null) {
        throw failure;
      }
      return next;
    }
  }

  private final JobFactory factory =
      new JobFactory() {
        @Override
        public Job begin(Work work) {
          begun.add(work);
          return jobs.get(work);
        }

        @Override
        public void keep(Collection<Work> wanted) {
          jobs.keySet().retainAll(List.of(A, B));
        }
      };

  private Duration round(Work... wanted) {
    if (rounds == null) {
      rounds =
          new WorkRounds(
              factory,
              new ResultLog(PROGRESS, log, registry, Clock.systemUTC()),
              () -> now,
              standing);
    }
    Map<String, Work> byId = new LinkedHashMap<>();
    for (Work work : wanted) {
      byId.put(work.id(), work);
    }
    return rounds.next(byId);
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  private FakeJob job(Work work) {
    return jobs.computeIfAbsent(work, w -> new FakeJob());
  }

  private List<WorkResult> told() {
    AvroDeserializer deserializer = new AvroDeserializer(registry);
    return log.written.stream()
        .map(sent -> WorkResultCodec.of(deserializer.deserialize(PROGRESS, sent.value())))
        .toList();
  }

  @Test
  void looksAtEachWorkUntilItIsDone() {
    job(A);
    job(B).next = Look.answered(WorkResult.Done.of(B));

    round(A, B);
    pass(Look.SOON);
    round(A, B);

    assertThat(job(A).looks).isEqualTo(2);
    assertThat(job(B).looks).isEqualTo(1);
    assertThat(told()).containsExactly(WorkResult.Done.of(B));
  }

  @Test
  void doesNotLookAgainBeforeItIsTime() {
    job(A);

    assertThat(round(A)).isEqualTo(Look.SOON);
    pass(Look.SOON.minusMillis(1));
    assertThat(round(A)).isEqualTo(Duration.ofMillis(1));

    assertThat(job(A).looks).isEqualTo(1);
  }

  @Test
  void goesOnWithAWorkThatIsStillWantedAndGivesUpOneThatIsNot() {
    job(A);
    job(B);
    round(A, B);
    pass(Look.SOON);
    round(A);
    pass(Look.SOON);
    round(A, B);

    assertThat(begun).containsExactly(A, B, B);
    assertThat(job(A).looks).isEqualTo(3);
  }

  @Test
  void doesAnAnsweredWorkAgainOnlyIfItWasNotWantedInBetween() {
    job(A).next = Look.answered(WorkResult.Done.of(A));
    round(A);
    round(A);
    assertThat(begun).hasSize(1);

    round();
    round(A);
    assertThat(begun).hasSize(2);
  }

  @Test
  void letsNoWorkHoldUpAnother() {
    job(A).failure = new TimeoutException("no broker");
    job(B).next = Look.answered(WorkResult.Done.of(B));

    round(A, B);

    assertThat(told()).containsExactly(WorkResult.Done.of(B));
  }

  @Test
  void triesAFailedWorkAgainMoreAndMoreSlowly() {
    job(A).failure = new TimeoutException("no broker");
    Duration first = round(A);
    pass(first);
    Duration second = round(A);
    pass(second);
    job(A).failure = null;
    job(A).next = Look.answered(WorkResult.Done.of(A));
    round(A);

    assertThat(second).isGreaterThan(first);
    assertThat(told()).containsExactly(WorkResult.Done.of(A));
  }

  @Test
  void tellsALongWaitAndItsEnd() {
    job(A).next = Look.waiting("the sink");
    round(A);
    pass(JobRun.PATIENCE);
    round(A);
    assertThat(told()).isEmpty();
    pass(Duration.ofMillis(200));
    round(A);
    pass(Duration.ofMillis(200));
    round(A);
    assertThat(told()).containsExactly(WorkResult.Waiting.of(A, "the sink"));

    job(A).next = Look.answered(WorkResult.Done.of(A));
    pass(Duration.ofMillis(200));
    round(A);
    assertThat(told())
        .containsExactly(
            WorkResult.Waiting.of(A, "the sink"),
            WorkResult.Waiting.of(A, ""),
            WorkResult.Done.of(A));
  }

  @Test
  void tellsResultsInTheirOrderTheAnswerLast() {
    WorkResult found = new WorkResult.SinkFellBehind("a", 1, "late");
    job(A).tells = List.of(found);
    job(A).next = Look.answered(WorkResult.Done.of(A));

    round(A);

    assertThat(told()).containsExactly(found, WorkResult.Done.of(A));
  }

  @Test
  void keepsWhatItCannotTellAndLooksAtNothingMeanwhile() {
    job(A).next = Look.answered(WorkResult.Done.of(A));
    job(B);
    log.outage = new TimeoutException("no broker");
    round(A, B);
    pass(Duration.ofSeconds(10));
    round(A, B);
    assertThat(job(B).looks).isEqualTo(1);

    log.outage = null;
    round(A, B);
    assertThat(told()).containsExactly(WorkResult.Done.of(A));
    assertThat(job(A).looks).isEqualTo(1);
    assertThat(job(B).looks).isEqualTo(2);
  }

  @Test
  void keepsWhatWasFoundBeforeAFailure() {
    WorkResult found = new WorkResult.SinkFellBehind("a", 1, "late");
    job(A).tells = List.of(found);
    job(A).failure = new TimeoutException("no broker");

    round(A);

    assertThat(told()).containsExactly(found);
  }

  @Test
  void looksAtStandingJobsAlthoughNothingIsWanted() {
    FakeJob watch = new FakeJob();
    standing.add(watch);
    WorkResult found = new WorkResult.RecordSetBroken("people", 1, "trimmed");
    watch.tells = List.of(found);

    round();

    assertThat(told()).containsExactly(found);
  }
}
