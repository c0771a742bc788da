package io.indexview.streams.derive;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.streams.People;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import io.indexview.streams.state.InMemoryEntries;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Debezium sends and does not. */
class ForeignEventsTest extends DeriverScenario {
  private static final String LEFT_OUT = "__debezium_unavailable_value";
  private static final BiFunction<byte[], Entry, Entry> NOTHING = (key, entry) -> entry;

  /** Of a topic that no source of our own speaks for. */
  private RecordSetDeriver foreign(FollowedView... views) {
    return foreign(1_000_000, views);
  }

  private RecordSetDeriver foreign(int maxEntryBytes, FollowedView... views) {
    RecordSetDeriver deriver =
        new RecordSetDeriver(
            new TaskLocation("people", People.TOPIC, RecordFormat.ENVELOPE, 3),
            new DeriverServices(
                registry,
                registryWait,
                services.guard(),
                metrics,
                clock,
                location -> new ChangeEventReader(registry, location.format(), true)),
            maxEntryBytes,
            offset -> offset);
    deriver.follow(List.of(views));
    return deriver;
  }

  private byte[] event(Op op, String name, String org) {
    return people.event(
        op, Origin.Unordered.INSTANCE, op == Op.DELETE ? null : person(name, org, 1));
  }

  /** A view of the field that an update leaves alone has neither the placeholder nor a new row. */
  @Test
  void keepsALargeValueThatAnUpdateDoesNotSend() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = foreign(view);
    List<ChangeRecord> topic =
        List.of(
            change(bytes("1"), event(Op.CREATE, "Ann", "A")),
            change(bytes("1"), event(Op.UPDATE, "Anna", LEFT_OUT)),
            change(bytes("1"), event(Op.UPDATE, LEFT_OUT, "B")));

    topic.forEach(change -> process(deriver, change));

    assertThat(problems).isEmpty();
    assertThat(rows)
        .containsExactly(
            "+by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "+by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "+by-org{\"org\": \"B\", \"_primaryKey\": \"1\"}",
            "-by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}");
    assertThat(replayed(topic).value())
        .as("a replay comes to the same")
        .isEqualTo(EntryCodec.decode(entries.get(bytes("1"))).value());
  }

  /** As after a changed primary key. */
  @Test
  void countsARecordOfWhichNobodyKnowsALargeValue() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = foreign(view);
    List<ChangeRecord> topic = new ArrayList<>();
    topic.add(change(bytes("1"), event(Op.CREATE, "Ann", LEFT_OUT)));
    topic.add(change(bytes("1"), event(Op.UPDATE, "Anna", LEFT_OUT)));

    topic.forEach(change -> process(deriver, change));

    assertThat(rows).isEmpty();
    assertThat(problems).hasSize(2);
    assertThat(problems.get(0).reason()).contains("left out \"org\"", "REPLICA IDENTITY FULL");
    assertThat(view.counts().failedRecords()).isEqualTo(1);
    assertThat(replayed(topic).unreadable()).isTrue();

    process(deriver, change(bytes("1"), event(Op.READ, "Anna", "A")));
    assertThat(rows).containsExactly("+by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}");
    assertThat(view.counts().failedRecords()).isZero();
  }

  /** A record under the key that another one had is not what that was. */
  @Test
  void takesNoValueOfAnotherRecordOfTheKey() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = foreign(view);

    process(deriver, change(bytes("1"), event(Op.CREATE, "Ann", "A")));
    process(deriver, change(bytes("1"), event(Op.CREATE, "Bob", LEFT_OUT)));

    assertThat(rows).hasSize(1);
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0).reason()).contains("under another key", "REPLICA IDENTITY FULL");
    assertThat(view.counts().failedRecords()).isEqualTo(1);
  }

  /** What it left out may have changed in the event that nobody could read. */
  @Test
  void takesNoValueFromBeforeAnEventThatCannotBeRead() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = foreign(view);

    process(deriver, change(bytes("1"), event(Op.CREATE, "Ann", "A")));
    process(deriver, change(bytes("1"), bytes("{}")));
    process(deriver, change(bytes("1"), event(Op.UPDATE, "Anna", LEFT_OUT)));

    assertThat(rows).hasSize(1);
    assertThat(view.counts().failedRecords()).isEqualTo(1);
    assertThat(problems).hasSize(2);
    assertThat(problems.get(1).reason()).contains("an event of the record before cannot be read");
  }

  /** The state has no value of it, as of one that is too large. */
  @Test
  void saysThatAnEventCannotBeReadBehindOneThatIsPassedOver() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = foreign(view);

    passOver(deriver, change(bytes("1"), event(Op.CREATE, "Ann", "A")));
    process(deriver, change(bytes("1"), bytes("{}")));
    assertThat(view.counts().reason()).contains("cannot be read").doesNotContain("too large");
    process(deriver, change(bytes("1"), event(Op.UPDATE, "Anna", LEFT_OUT)));

    assertThat(problems).hasSize(3);
    assertThat(problems.get(2).reason())
        .contains("and an event of the record before cannot be read", "REPLICA IDENTITY FULL");
  }

  /** What would have it published again would only drop it again. */
  @Test
  void saysWhatHelpsWhereTheRecordIsTooLargeForTheState() {
    RecordSetDeriver deriver = foreign(1_000, follow(People.BY_ORG, RecordFormat.ENVELOPE));

    process(deriver, change(bytes("1"), event(Op.CREATE, "Ann", "A".repeat(1_000))));
    process(deriver, change(bytes("1"), event(Op.UPDATE, "Anna", LEFT_OUT)));
    process(deriver, change(bytes("1"), event(Op.UPDATE, "Anne", LEFT_OUT)));

    assertThat(problems).hasSize(3);
    assertThat(problems.subList(1, problems.size()))
        .allSatisfy(
            problem ->
                assertThat(problem.reason())
                    .contains(
                        "left out \"org\"", "too large", "streams.producer.max.request.size"));
    assertThat(problems.get(1).reason()).doesNotContain("REPLICA IDENTITY");
  }

  /** All that a compacted topic has left of a deletion. */
  @Test
  void takesATombstoneForADeletionThatWasCompactedAway() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = foreign(view);
    List<ChangeRecord> topic =
        List.of(
            change(bytes("1"), event(Op.CREATE, "Ann", "A")),
            change(bytes("1"), null),
            change(bytes("2"), null));

    topic.forEach(change -> process(deriver, change));

    assertThat(rows)
        .containsExactly(
            "+by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "-by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}");
    assertThat(entries.get(bytes("2"))).as("nothing was known of it").isNull();
    assertThat(replayed(topic).deleted()).isTrue();
  }

  /** In JSON it may be a message whose payload is null, and not null itself. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void makesNothingOfTheTombstoneBehindADeletion(boolean isNull) {
    byte[] tombstone = isNull ? null : event(Op.DELETE, null, null);
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = foreign(view);
    process(deriver, change(bytes("1"), event(Op.CREATE, "Ann", "A")));
    process(deriver, change(bytes("1"), event(Op.DELETE, null, null)));
    byte[] deleted = entries.get(bytes("1"));

    process(deriver, change(bytes("1"), tombstone));
    process(deriver, change(bytes("2"), tombstone));

    assertThat(entries.get(bytes("1"))).isEqualTo(deleted);
    assertThat(entries.get(bytes("2"))).isNull();
    assertThat(metrics.recordSet("people").total(Outcome.EMPTY)).isEqualTo(2);
  }

  /** Versions decide there, and a tombstone has none. */
  @Test
  void passesOverTombstonesWhereASourceOfOurOwnSpeaks() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE, view);
    process(deriver, change(bytes("1"), people.upsert(1, person("Ann", "A", 1))));

    process(deriver, change(bytes("1"), null));

    assertThat(rows).hasSize(1);
    assertThat(metrics.recordSet("people").total(Outcome.EMPTY)).isEqualTo(1);
  }

  /** The entry of record 1 as a replay of the topic has it. */
  private Entry replayed(List<ChangeRecord> topic) {
    InMemoryEntries copy = new InMemoryEntries();
    RecordSetDeriver deriver = foreign();
    for (ChangeRecord change : topic) {
      try {
        deriver.materialize(change, copy, entries, NOTHING, NOTHING);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
    return EntryCodec.decode(copy.get(bytes("1")));
  }
}
