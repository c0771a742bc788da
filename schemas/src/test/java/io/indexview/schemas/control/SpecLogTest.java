package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.SpecLog.UnreadableSpec;
import io.indexview.schemas.control.SpecLog.VersionConflict;
import io.indexview.schemas.control.SpecLog.Wanted;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.junit.jupiter.api.Test;

class SpecLogTest {
  private static final long NOW = 1_700_000_000_000L;
  private static final OptionalLong ANY = OptionalLong.empty();
  private static final BuildRequest SECOND = new BuildRequest(1, BuildMode.CHANGELOG);

  private final Topics topics = new Topics("test");
  private final InMemoryTopic topic = new InMemoryTopic(topics.viewDefinitions());
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final SpecLog log = writer();

  private SpecLog writer() {
    Clock clock = Clock.fixed(Instant.ofEpochMilli(NOW), ZoneOffset.UTC);
    return new SpecLog(topics, topic::producer, topic.consumer(), registry, clock);
  }

  @Test
  void numbersChangesFromTheClockOnSoThatNoVersionComesTwice() {
    assertThat(log.put("people", "{}", BuildRequest.FIRST, ANY))
        .isEqualTo(new ViewSpec("people", "{}", NOW, BuildRequest.FIRST, NOW, Optional.empty()));
    assertThat(log.put("people", "{1}", BuildRequest.FIRST, ANY).version()).isEqualTo(NOW + 1);
    assertThat(log.put("people", "{1}", SECOND, ANY).version()).isEqualTo(NOW + 2);

    assertThat(writer().all())
        .isEqualTo(
            Map.of(
                "people", new ViewSpec("people", "{1}", NOW + 2, SECOND, NOW, Optional.empty())));
  }

  @Test
  void changesHowOftenAViewIsVerifiedAlone() {
    ViewSpec first = log.put("people", "{}", BuildRequest.FIRST, ANY);
    Wanted daily = new Wanted("{}", BuildRequest.FIRST, Optional.of(Duration.ofDays(1)));

    ViewSpec second = log.put("people", ANY, specs -> daily);

    assertThat(second.version()).isEqualTo(first.version() + 1);
    assertThat(writer().all().get("people").verificationInterval()).contains(Duration.ofDays(1));
    assertThat(log.put("people", ANY, specs -> daily)).isEqualTo(second);
    assertThat(log.put("people", "{}", BuildRequest.FIRST, ANY).verificationInterval()).isEmpty();
  }

  @Test
  void asksAgainForWhatWasRefused() {
    ViewSpec first = log.put("people", "{}", BuildRequest.FIRST, ANY);
    Wanted again = new Wanted("{}", BuildRequest.FIRST, Optional.empty(), true);

    assertThat(log.put("people", ANY, specs -> again).version()).isEqualTo(first.version() + 1);
  }

  @Test
  void returnsWhenEverybodyCanSeeTheChange() {
    // One scan before the change, and two after its commit.
    topic.hideNextCommit(3);
    log.put("people", "{}", BuildRequest.FIRST, ANY);
    assertThat(writer().all()).containsOnlyKeys("people");

    topic.hideNextCommit(3);
    log.drop("people", ANY);
    assertThat(writer().all()).isEmpty();
  }

  @Test
  void changesNothingForWhatIsWantedAlready() {
    ViewSpec first = log.put("people", "{}", BuildRequest.FIRST, ANY);

    assertThat(log.put("people", "{}", BuildRequest.FIRST, OptionalLong.of(NOW))).isEqualTo(first);
    assertThat(topic.size()).isOne();
  }

  @Test
  void refusesAChangeForAnotherVersionAndNamesBoth() {
    log.put("people", "{}", BuildRequest.FIRST, ANY);

    OptionalLong older = OptionalLong.of(7);
    assertThatThrownBy(() -> log.put("people", "{1}", BuildRequest.FIRST, older))
        .isInstanceOfSatisfying(
            VersionConflict.class,
            conflict -> {
              assertThat(conflict.expected()).isEqualTo(7);
              assertThat(conflict.actual()).isEqualTo(NOW);
            })
        .hasMessageContaining("version 7")
        .hasMessageContaining("version " + NOW);
    assertThatThrownBy(() -> log.drop("people", older)).isInstanceOf(VersionConflict.class);
    assertThatThrownBy(() -> log.put("files", "{}", BuildRequest.FIRST, older))
        .hasMessageContaining("is not defined");
    assertThat(topic.size()).isOne();
  }

  @Test
  void createsOnlyWhatIsNotThere() {
    OptionalLong absent = OptionalLong.of(SpecLog.ABSENT);
    log.put("people", "{}", BuildRequest.FIRST, absent);

    assertThatThrownBy(() -> log.put("people", "{1}", BuildRequest.FIRST, absent))
        .isInstanceOf(VersionConflict.class)
        .hasMessageContaining("a view that is not defined");
  }

  @Test
  void dropsWithATombstone() {
    log.put("people", "{}", BuildRequest.FIRST, ANY);

    assertThat(log.drop("people", OptionalLong.of(NOW))).isTrue();
    assertThat(writer().all()).isEmpty();
    assertThat(log.drop("people", ANY)).isFalse();
    assertThat(topic.size()).isEqualTo(2);
  }

  /** A tombstone needs the name alone, a version to compare is not known. */
  @Test
  void dropsASpecThatItCannotReadUnlessAVersionIsExpected() {
    topic.append("people".getBytes(StandardCharsets.UTF_8), new byte[] {1});

    OptionalLong absent = OptionalLong.of(SpecLog.ABSENT);
    assertThatThrownBy(() -> log.drop("people", absent))
        .isInstanceOf(UnreadableSpec.class)
        .hasMessageContaining("test.view-definitions-0@0");
    topic.hideNextCommit(3);
    assertThat(log.drop("people", ANY)).isTrue();
    assertThat(topic.size()).isEqualTo(2);
    assertThat(log.drop("people", ANY)).isFalse();
  }

  @Test
  void makesAChangeThatWasOvertakenAgainAgainstWhatStandsThen() {
    SpecLog other = writer();
    log.put("people", "{}", BuildRequest.FIRST, ANY);
    AtomicBoolean overtaken = new AtomicBoolean();

    ViewSpec spec =
        log.put(
            "people",
            ANY,
            specs -> {
              if (!overtaken.getAndSet(true)) {
                other.put("people", "{other}", BuildRequest.FIRST, ANY);
              }
              return new Wanted(
                  specs.newest().get("people").definition() + "+",
                  BuildRequest.FIRST,
                  Optional.empty());
            });

    assertThat(spec.definition()).isEqualTo("{other}+");
    assertThat(spec.version()).isEqualTo(NOW + 2);
    assertThat(topic.size()).isEqualTo(3);
  }

  @Test
  void refusesAChangeThatWasOvertakenIfItWasMeantForTheVersionBefore() {
    SpecLog other = writer();
    log.put("people", "{}", BuildRequest.FIRST, ANY);

    assertThatThrownBy(
            () ->
                log.put(
                    "people",
                    OptionalLong.of(NOW),
                    specs -> {
                      other.put("people", "{other}", BuildRequest.FIRST, ANY);
                      return new Wanted("{mine}", BuildRequest.FIRST, Optional.empty());
                    }))
        .isInstanceOf(VersionConflict.class);
    assertThat(other.all().get("people").definition()).isEqualTo("{other}");
  }

  @Test
  void findsOutWhetherACommitWithoutAnAnswerWasMade() {
    topic.failNextCommit(new TimeoutException("no answer"), true);
    OptionalLong absent = OptionalLong.of(SpecLog.ABSENT);
    assertThat(log.put("people", "{}", BuildRequest.FIRST, absent).version()).isEqualTo(NOW);

    topic.failNextCommit(new TimeoutException("no answer"), false);
    OptionalLong first = OptionalLong.of(NOW);
    assertThat(log.put("people", "{1}", BuildRequest.FIRST, first).version()).isEqualTo(NOW + 1);

    topic.failNextCommit(new TimeoutException("no answer"), true);
    assertThat(log.drop("people", OptionalLong.of(NOW + 1))).isTrue();
    assertThat(topic.size()).isEqualTo(3);
  }

  @Test
  void makesAnAbortedChangeAgain() {
    topic.failNextCommit(new TransactionAbortedException(), false);

    log.put("people", "{}", BuildRequest.FIRST, ANY);
    assertThat(log.all()).containsOnlyKeys("people");
  }

  @Test
  void makesAChangeAgainThatWasFencedBetweenTheStepsOfItsCommit() {
    topic.failNextCommit(new InvalidTxnStateException("no transaction"), false);

    log.put("people", "{}", BuildRequest.FIRST, ANY);
    assertThat(log.all()).containsOnlyKeys("people");
  }

  @Test
  void makesAChangeAgainWhoseCommitTheBrokerFailedToProcess() {
    topic.failNextCommit(new KafkaException("Unhandled error in EndTxnResponse"), false);

    log.put("people", "{}", BuildRequest.FIRST, ANY);
    assertThat(log.all()).containsOnlyKeys("people");
  }

  @Test
  void leavesAloneWhatTheDecisionRefuses() {
    assertThatThrownBy(
            () ->
                log.put(
                    "people",
                    ANY,
                    specs -> {
                      throw new IllegalArgumentException("not so");
                    }))
        .hasMessage("not so");
    assertThat(topic.size()).isZero();
  }
}
