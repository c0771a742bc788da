package io.indexview.streams.derive;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.EventReader;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.schemas.time.Time;
import io.indexview.streams.People;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import io.indexview.streams.state.RowCounts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of events that cannot be read. */
class UnreadableEventsTest extends DeriverScenario {
  @Test
  void countsARecordWhoseEventCannotBeReadUntilAnotherOneCan() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE, view);
    process(deriver, change(bytes("1"), people.upsert(1, person("Ann", "A", 1))));
    rows.clear();

    process(deriver, change(bytes("1"), bytes("{}")));
    process(deriver, change(bytes("1"), WireFormat.frame(4711, new byte[9])));
    process(deriver, change(bytes("2"), bytes("{}")));

    assertThat(rows).as("what was known stands").isEmpty();
    assertThat(problems).hasSize(3);
    assertThat(losses).isEmpty();
    assertThat(view.counts().rows()).isEqualTo(1);
    assertThat(view.counts().failedRecords()).isEqualTo(2);
    assertThat(view.counts().reason()).contains("cannot be read", "ad-hoc snapshot");
    assertThat(metrics.recordSet("people").total(Outcome.DEAD)).isEqualTo(3);

    process(deriver, change(bytes("1"), people.upsert(1, person("Ann", "A", 1))));
    assertThat(view.counts().failedRecords()).as("known before").isEqualTo(2);
    process(deriver, change(bytes("1"), people.upsert(2, person("Ann", "A", 1))));
    assertThat(rows).as("the same record").isEmpty();
    assertThat(view.counts().failedRecords()).isEqualTo(1);
    process(deriver, change(bytes("2"), people.delete(2)));

    assertThat(view.counts().failedRecords()).isZero();
    assertThat(view.counts().reason()).isEmpty();
    assertThat(problems).hasSize(3);
  }

  @Test
  void countsARecordThatItsSourceCannotDecodeUntilItIsReallyGone() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE, view);
    SourceVersion version = People.version("s1", 7);
    Origin unreadable =
        new Origin.SnapshotRead(
            version.epoch(), version.sequence(), Origin.Base.ABSENT, false, true);

    process(deriver, change(bytes("1"), people.event(Op.DELETE, unreadable, null)));
    assertThat(view.counts().failedRecords()).isEqualTo(1);
    assertThat(view.counts().reason()).contains("its source", "it has no rows until");
    assertThat(problems).as("its source has sent it").isEmpty();
    process(deriver, change(bytes("1"), people.delete(7)));

    assertThat(view.counts().failedRecords()).isZero();
  }

  @Test
  void tellsOfALossWhereNobodyKnowsWhichRecordAnEventChanges() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE, view);
    byte[] someone = people.upsert(1, person("Ann", "A", 1));

    process(deriver, change(null, someone));
    process(deriver, change(new byte[] {0, 0, 0, 9, 9, 1}, someone));
    assertThat(losses).as("of the same time").hasSize(1);
    deriver.process(change(null, people.truncate()), entries, (key, entry) -> entry, out, NOW + 1);

    // The clock was set back.
    process(deriver, change(null, someone));

    assertThat(losses)
        .extracting(EventsLost::foundAtMs, EventsLost::ofState)
        .containsExactly(tuple(NOW, false), tuple(NOW + 1, false), tuple(NOW, false));
    assertThat(losses.get(1).reason()).contains("offset 2", "truncate");
    assertThat(problems).hasSize(4);
    assertThat(entries.estimatedSize()).isZero();
    assertThat(view.counts()).isEqualTo(RowCounts.NONE);
  }

  @Test
  void saysOnceAMinuteInTheLogHowManyEventsCannotBeRead() {
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE);
    try (LogLines log = LogLines.of(UnreadableEvents.class)) {
      process(deriver, change(bytes("1"), bytes("{}")));
      clock.pass(Duration.ofMinutes(1).minusNanos(1));
      process(deriver, change(bytes("1"), bytes("{}")));
      process(deriver, change(null, null));
      deriver.tellUnreadable();
      assertThat(log.get()).hasSize(1);

      clock.pass(Duration.ofNanos(1));
      deriver.tellUnreadable();
      clock.pass(Duration.ofMinutes(1));
      deriver.tellUnreadable();

      assertThat(log.get()).hasSize(2);
      assertThat(log.get().get(0)).contains("1 events", "0 of them", "at offset 0");
      assertThat(log.get().get(1)).contains("2 events", "1 of them", "at offset 2");
    }
  }

  @Test
  void losesNothingWithAKeyThatNoRecordCanHave() {
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE);
    byte[] key = {'a', (byte) 0xff};

    process(deriver, change(key, people.upsert(1, person("Ann", "A", 1))));
    passOver(deriver, change(key, null));
    assertThat(losses).isEmpty();
    passOver(deriver, change(null, null));

    assertThat(losses).hasSize(1);
    assertThat(problems).hasSize(3);
    assertThat(metrics.recordSet("people").total(Outcome.DEAD)).isEqualTo(3);
    assertThat(entries.estimatedSize()).isZero();
  }

  @Test
  void countsARecordWhoseEventIsPassedOverUntilOneThatIsNotOlderComes() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE, view);
    process(deriver, change(bytes("1"), people.upsert(3, person("Ann", "A", 1))));
    process(deriver, change(bytes("2"), people.upsert(3, person("Bob", "A", 1))));
    rows.clear();

    passOver(deriver, change(bytes("1"), people.upsert(5, person("Ann", "B", 1))));
    passOver(deriver, change(bytes("2"), people.delete(5)));
    passOver(deriver, change(bytes("3"), people.upsert(5, person("Cid", "B", 1))));
    assertThat(view.counts().failedRecords()).isEqualTo(3);
    assertThat(view.counts().rows()).isEqualTo(2);

    for (String key : List.of("1", "2", "3")) {
      process(deriver, change(bytes(key), people.upsert(4, person("Ann", "late", 1))));
    }
    process(deriver, change(bytes("2"), people.upsert(5, person("Bob", "late", 1))));
    passOver(deriver, change(bytes("1"), people.upsert(4, person("Ann", "late", 1))));
    assertThat(rows).as("those of before stand").isEmpty();
    assertThat(view.counts().failedRecords()).isEqualTo(3);

    process(deriver, change(bytes("1"), people.upsert(5, person("Ann", "B", 1))));
    process(deriver, change(bytes("2"), people.delete(5)));
    process(deriver, change(bytes("3"), people.upsert(6, person("Cid", "C", 1))));
    assertThat(view.counts().failedRecords()).isZero();
    assertThat(view.counts().rows()).isEqualTo(2);
  }

  @Test
  void countsNoRecordThatAnEventLeavesAsItIsThoughItIsPassedOver() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE, view);
    process(deriver, change(bytes("1"), people.upsert(3, person("Ann", "A", 1))));

    passOver(deriver, change(bytes("1"), null));
    passOver(deriver, change(bytes("1"), people.upsert(2, person("Ann", "late", 1))));

    assertThat(problems).hasSize(2);
    assertThat(view.counts().failedRecords()).isZero();
  }

  /** A bug in reading a part of it is what made it fail. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void passesOverAnEventThatCannotBeReadWithoutAFailure(boolean isKey) {
    DeriverServices failing =
        new DeriverServices(
            registry,
            registryWait,
            services.guard(),
            metrics,
            Time.SYSTEM,
            location -> new FailingReader(isKey));
    RecordSetDeriver deriver =
        new RecordSetDeriver(
            new TaskLocation("people", People.TOPIC, RecordFormat.ENVELOPE, 3),
            failing,
            1_000_000,
            position -> position);

    passOver(deriver, change(bytes("1"), people.upsert(3, person("Ann", "A", 1))));

    assertThat(problems).hasSize(1);
    assertThat(losses).hasSize(isKey ? 1 : 0);
    assertThat(entries.estimatedSize()).isEqualTo(isKey ? 0 : 1);
  }

  private record FailingReader(boolean isKey) implements EventReader {
    @Override
    public String encoding() {
      return "avro";
    }

    @Override
    public byte[] key(byte[] key) {
      if (isKey) {
        throw new IllegalStateException("a bug");
      }
      return key;
    }

    @Override
    public Optional<ChangeEvent> read(byte[] value, long recordTimestampMs) {
      throw new AssertionError("a bug");
    }
  }
}
