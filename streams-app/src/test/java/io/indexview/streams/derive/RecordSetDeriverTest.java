package io.indexview.streams.derive;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.error.StopSignal.StoppedException;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import io.indexview.streams.state.RowCounts;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class RecordSetDeriverTest extends DeriverScenario {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void readsFlatTopicsInTheirOrder() {
    RecordSetDeriver deriver = deriver(RecordFormat.FLAT, follow(People.BY_ORG, RecordFormat.FLAT));
    AvroSerializer<GenericRecord> flat = new AvroSerializer<>(registry, false);

    process(deriver, change(bytes("1"), flat.serialize("flat", person("Ann", "A", 1))));
    process(deriver, change(bytes("1"), flat.serialize("flat", person("Ann", "B", 1))));
    process(deriver, change(bytes("1"), null));

    assertThat(rows)
        .containsExactly(
            "+by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "+by-org{\"org\": \"B\", \"_primaryKey\": \"1\"}",
            "-by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "-by-org{\"org\": \"B\", \"_primaryKey\": \"1\"}");
    assertThat(EntryCodec.decode(entries.get(bytes("1"))).revision()).isEqualTo(NOW + 2);
  }

  @Test
  void takesFramedKeysOfTwoProducersForOneRecord() {
    RecordSetDeriver deriver =
        deriver(RecordFormat.ENVELOPE, follow(People.BY_ORG, RecordFormat.ENVELOPE));
    Schema first = SchemaBuilder.record("Key").fields().requiredString("id").endRecord();
    Schema second = SchemaBuilder.record("Other").fields().requiredString("id").endRecord();

    process(deriver, change(framedKey(first), people.upsert(1, person("Ann", "A", 1))));
    process(deriver, change(framedKey(second), people.upsert(2, person("Ann", "B", 1))));

    assertThat(entries.estimatedSize()).isEqualTo(1);
    assertThat(rows)
        .containsExactly(
            "+by-org{\"org\": \"A\", \"_primaryKey\": \"7\"}",
            "+by-org{\"org\": \"B\", \"_primaryKey\": \"7\"}",
            "-by-org{\"org\": \"A\", \"_primaryKey\": \"7\"}");
  }

  private byte[] framedKey(Schema schema) {
    GenericRecord key = new GenericData.Record(schema);
    key.put("id", "7");
    return new AvroSerializer<GenericRecord>(registry, true).serialize(schema.getName(), key);
  }

  @Test
  void waitsWhileTheRegistryIsDownAndLosesNothing() throws Exception {
    RecordSetDeriver deriver =
        deriver(RecordFormat.ENVELOPE, follow(People.BY_ORG, RecordFormat.ENVELOPE));
    byte[] event = people.upsert(1, person("Ann", "A", 1));
    registry.down.set(true);

    CompletableFuture<Void> processed =
        CompletableFuture.runAsync(() -> process(deriver, change(bytes("1"), event)));
    await().untilAsserted(() -> assertThat(registry.refused).hasValueGreaterThan(2));
    assertThat(registryWait.waiting()).isEqualTo(1);
    registry.down.set(false);
    processed.get(1, TimeUnit.MINUTES);

    assertThat(rows).hasSize(1);
    assertThat(problems).isEmpty();
    assertThat(metrics.recordSet("people").total(Outcome.APPLIED)).isEqualTo(1);
  }

  @Test
  void leavesTheEventWhenTheAppClosesDuringAnOutage() {
    RecordSetDeriver deriver =
        deriver(RecordFormat.ENVELOPE, follow(People.BY_ORG, RecordFormat.ENVELOPE));
    byte[] event = people.upsert(1, person("Ann", "A", 1));
    registry.down.set(true);
    stop.stop();

    assertThatThrownBy(() -> process(deriver, change(bytes("1"), event)))
        .isInstanceOf(StoppedException.class);
    assertThat(entries.estimatedSize()).isZero();
    assertThat(problems).isEmpty();
  }

  @Test
  void neverTakesALostSchemaOfTheStateForARecordWithoutRows() {
    RecordSetDeriver deriver = deriver(RecordFormat.FLAT, follow(People.BY_ORG, RecordFormat.FLAT));
    entries.put(
        bytes("1"),
        EntryCodec.encode(
            new Entry(
                null, false, List.of(), 5, 0, NOW, new FramedValue(4711, new byte[9], 0, 9))));

    assertThatThrownBy(() -> process(deriver, change(bytes("1"), null)))
        .isInstanceOf(RegistryException.NotFound.class);
    assertThat(rows).isEmpty();
    assertThat(problems).isEmpty();
  }

  @Test
  void derivesWithGenerationsThatComeAndGoBetweenEvents() {
    FollowedView byOrg = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    FollowedView byTag = follow(People.BY_TAG_AND_AGE, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE);
    process(deriver, change(bytes("1"), people.upsert(1, person("Ann", "A", 1, "x"))));
    assertThat(rows).isEmpty();

    deriver.follow(List.of(byOrg, byTag));
    process(deriver, change(bytes("2"), people.upsert(1, person("Bob", "B", 1, "y"))));
    deriver.follow(List.of(byTag));
    process(deriver, change(bytes("3"), people.upsert(1, person("Cid", "C", 1, "z"))));

    assertThat(rows)
        .containsExactly(
            "+by-org{\"org\": \"B\", \"_primaryKey\": \"2\"}",
            "+by-tag-and-age{\"tags\": \"y\", \"age\": 1, \"_primaryKey\": \"2\"}",
            "+by-tag-and-age{\"tags\": \"z\", \"age\": 1, \"_primaryKey\": \"3\"}");
  }

  @Test
  void letsRowsEnterAndLeaveAsTheRecordMatches() {
    String adults = People.BY_ORG + "where: age >= 18 && note == null";
    RecordSetDeriver deriver =
        deriver(RecordFormat.ENVELOPE, follow(adults, RecordFormat.ENVELOPE));
    Integer[] ages = {17, 18, 19, null, 20, 20};
    for (int i = 0; i < ages.length; i++) {
      process(
          deriver, change(bytes("1"), people.upsert(i, person("Ann", i < 5 ? "A" : "B", ages[i]))));
      rows.add("after " + ages[i]);
    }
    process(deriver, change(bytes("1"), people.delete(9)));

    assertThat(rows)
        .containsExactly(
            "after 17",
            "+by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "after 18",
            "after 19",
            "-by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "after null",
            "+by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "after 20",
            "+by-org{\"org\": \"B\", \"_primaryKey\": \"1\"}",
            "-by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "after 20",
            "-by-org{\"org\": \"B\", \"_primaryKey\": \"1\"}");
    assertThat(problems).isEmpty();
  }

  @Test
  void takesTheRowsOfARecordThatTheFilterFailsOn() {
    RecordSetDeriver deriver =
        deriver(
            RecordFormat.ENVELOPE,
            follow(People.BY_ORG + "where: 100 / age > 1", RecordFormat.ENVELOPE),
            follow(People.BY_TAG_AND_AGE, RecordFormat.ENVELOPE));
    process(deriver, change(bytes("1"), people.upsert(1, person("Ann", "A", 5))));
    rows.clear();

    process(deriver, change(bytes("1"), people.upsert(2, person("Ann", "A", 0))));

    assertThat(rows).contains("-by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}");
    assertThat(problems)
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.view()).isEqualTo("by-org");
              assertThat(problem.reason()).isEqualTo("where: the expression divides by zero");
            });
    assertThat(metrics.recordSet("people").total(Outcome.DEAD)).isEqualTo(1);
  }

  /** Its rows are missing still, whatever changed. */
  @Test
  void saysOfARecordThatTheFilterFailsOnThatItHasNoRowsAtEachChange() {
    String failing = People.BY_ORG + "where: 100 / age > 1";
    RecordSetDeriver deriver =
        deriver(RecordFormat.ENVELOPE, follow(failing, RecordFormat.ENVELOPE));
    for (int i = 0; i < 3; i++) {
      GenericRecord person = person("Ann", "A", 0);
      person.put("note", "change " + i);
      process(deriver, change(bytes("1"), people.upsert(i, person)));
    }

    assertThat(problems).hasSize(3);
    assertThat(metrics.recordSet("people").total(Outcome.DEAD)).isEqualTo(3);
  }

  /** Told by what is allocated: rows of 500 tags take more than the record that they are of. */
  @Test
  void passesOverAnUnchangedViewAgainWhenNoRecordFailsAnyMore() {
    FollowedView view =
        follow(
            People.BY_TAG_AND_AGE.replace("maxRowsPerRecord: 5", "maxRowsPerRecord: 500"),
            RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE, view);
    process(deriver, change(bytes("2"), people.upsert(1, person("Bob", "B", 1, tags(500)))));
    long passedOver = allocatedByChangesOfOtherFields(deriver, 0);

    process(deriver, change(bytes("2"), people.upsert(2, person("Bob", "B", 1, tags(501)))));
    assertThat(view.counts().failedRecords()).isEqualTo(1);
    long derived = allocatedByChangesOfOtherFields(deriver, 100);
    process(deriver, change(bytes("2"), people.upsert(3, person("Bob", "B", 1, tags(499)))));
    assertThat(view.counts().failedRecords()).isZero();

    long again = allocatedByChangesOfOtherFields(deriver, 200);
    assertThat(derived - passedOver).isGreaterThan(500 * 16);
    assertThat(again - passedOver).isLessThan((derived - passedOver) / 4);
  }

  private static String[] tags(int count) {
    return IntStream.range(0, count).mapToObj(i -> "tag " + i).toArray(String[]::new);
  }

  /** Bytes; the least of several events of a record, with the first of which its rows come. */
  private long allocatedByChangesOfOtherFields(RecordSetDeriver deriver, int sequence) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) {
      GenericRecord person = person("Ann", "A", 1, tags(500));
      person.put("note", "change " + i);
      ChangeRecord change = change(bytes("1"), people.upsert(sequence + i, person));
      long before = THREADS.getCurrentThreadAllocatedBytes();
      process(deriver, change);
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  @Test
  void raisesTheRevisionEvenWhenTheClockGoesBack() {
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE);
    process(deriver, change(bytes("1"), people.upsert(1, person("Ann", "A", 1))));
    deriver.process(
        change(bytes("1"), people.event(Op.UPDATE, People.versioned(2), person("Ann", "A", 2))),
        entries,
        (stateKey, entry) -> entry,
        out,
        NOW - 500);

    assertThat(EntryCodec.decode(entries.get(bytes("1"))).revision()).isEqualTo(NOW + 1);
  }

  @Test
  void putsAKeyThatIsTooLargeAside() {
    process(
        deriver(RecordFormat.ENVELOPE),
        change(new byte[70_000], people.upsert(1, person("Ann", "A", 1))));

    assertThat(problems).hasSize(1);
    assertThat(problems.get(0).reason()).contains("70000 bytes");
    assertThat(problems.get(0).stage().label()).isEqualTo("decode");
    assertThat(entries.estimatedSize()).isZero();
    assertThat(metrics.recordSet("people").total(Outcome.DEAD)).isEqualTo(1);
    assertThat(losses).as("no view can have such a record").isEmpty();
  }

  @Test
  void takesTheLargestKey() {
    byte[] key = bytes("k".repeat(64 << 10));

    deriver(RecordFormat.ENVELOPE)
        .process(
            change(key, people.upsert(1, person("Ann", "A", 1))),
            entries,
            (stateKey, entry) -> entry,
            out,
            NOW);

    assertThat(problems).isEmpty();
    assertThat(entries.get(key)).isNotNull();
  }

  @Test
  void keepsARecordThatIsTooLargeWithoutItsValue() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    byte[] event = people.upsert(1, person("Ann", "A", 1));
    deriver(RecordFormat.ENVELOPE)
        .process(change(bytes("1"), event), entries, (stateKey, entry) -> entry, out, NOW);
    int size = 1 + entries.get(bytes("1")).length;

    deriver(RecordFormat.ENVELOPE, size, view)
        .process(change(bytes("2"), event), entries, (stateKey, entry) -> entry, out, NOW);
    assertThat(EntryCodec.decode(entries.get(bytes("2"))).value()).isNotNull();
    assertThat(rows).hasSize(1);
    assertThat(problems).isEmpty();

    deriver(RecordFormat.ENVELOPE, size - 1, view)
        .process(change(bytes("3"), event), entries, (stateKey, entry) -> entry, out, NOW);
    assertThat(EntryCodec.decode(entries.get(bytes("3"))).value()).isNull();
    assertThat(rows).hasSize(1);
    assertThat(problems).singleElement().matches(problem -> problem.reason().contains("too large"));
    assertThat(view.counts().failedRecords()).isEqualTo(1);
  }

  @Test
  void takesTheRowsOfARecordThatCannotBeDecoded() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.FLAT);
    RecordSetDeriver deriver = deriver(RecordFormat.FLAT, view);
    process(deriver, change(bytes("1"), flat()));

    process(deriver, change(bytes("1"), cut()));

    assertThat(rows)
        .containsExactly(
            "+by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "-by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}");
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0).stage().label()).isEqualTo("derive");
    assertThat(problems.get(0).view()).as("of no view alone").isNull();
    assertThat(problems.get(0).reason()).contains("is no record of schema id");
    assertThat(view.counts().failedRecords()).isEqualTo(1);
    assertThat(metrics.recordSet("people").total(Outcome.DEAD)).isEqualTo(1);
  }

  @Test
  void decodesNoRecordThatNoViewFollowsYet() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.FLAT);
    view.followUpTo(bytes("1"));

    deriver(RecordFormat.FLAT, view)
        .process(change(bytes("2"), cut()), entries, (stateKey, entry) -> entry, out, NOW);

    assertThat(problems).as("the build will tell").isEmpty();
    assertThat(metrics.recordSet("people").total(Outcome.APPLIED)).isEqualTo(1);
  }

  private byte[] flat() {
    return new AvroSerializer<GenericRecord>(registry, false)
        .serialize("flat", person("Ann", "A", 1));
  }

  private byte[] cut() {
    byte[] whole = flat();
    return Arrays.copyOf(whole, whole.length - 1);
  }

  @Test
  void saysWhereAStateHoldsAKeyThatNoEventCanHaveHad() {
    RecordSetDeriver deriver = deriver(RecordFormat.FLAT, follow(People.BY_ORG, RecordFormat.FLAT));
    byte[] key = {'a', (byte) 0xff};
    Entry entry = new Entry(null, false, List.of(), 5, 0, NOW, new FramedValue(1, flat(), 5, 9));

    assertThatThrownBy(() -> deriver.build(key, entry, view -> true, out))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Record set people, partition 3: the state holds a key");
  }

  @Test
  void followsOnlyRecordsUpToWhereABuildIs() {
    FollowedView view = follow(People.BY_ORG, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE, view);
    view.followUpTo(new byte[] {(byte) 0xc3, (byte) 0xa4});

    for (String key : List.of("z", "\u00e4", "\u00e4a", "\u20ac")) {
      process(deriver, change(bytes(key), people.upsert(1, person("Ann", key, 1))));
    }

    assertThat(rows)
        .containsExactly(
            "+by-org{\"org\": \"z\", \"_primaryKey\": \"z\"}",
            "+by-org{\"org\": \"\u00e4\", \"_primaryKey\": \"\u00e4\"}");
    assertThat(view.counts().rows()).isEqualTo(2);
    assertThat(entries.estimatedSize()).isEqualTo(4);
  }

  @Test
  void countsWhatStandsAndSavesItOnlyWhenItChanged() {
    FollowedView view = follow(People.BY_TAG_AND_AGE, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE, view);

    process(deriver, change(bytes("1"), people.upsert(1, person("Ann", "A", 1, "x", "y"))));
    RowCounts two = view.counts();
    assertThat(two.rows()).isEqualTo(2);
    assertThat(metrics.view("view", 1).upserts()).isEqualTo(2);
    assertThat(two.keyBytes()).isEqualTo(keyBytes);
    assertThat(counted).isEqualTo(1);

    process(deriver, change(bytes("1"), people.upsert(2, person("Ann", "A", 1, "v", "w"))));
    assertThat(view.counts()).isSameAs(two);
    assertThat(counted).isEqualTo(1);
    assertThat(metrics.view("view", 1).upserts()).isEqualTo(4);
    assertThat(metrics.view("view", 1).deletes()).isEqualTo(2);

    process(
        deriver,
        change(bytes("1"), people.upsert(3, person("Ann", "A", 1, "a", "b", "c", "d", "e", "f"))));
    assertThat(view.counts().rows()).isZero();
    assertThat(view.counts().keyBytes()).isZero();
    assertThat(view.counts().failedRecords()).isEqualTo(1);
    assertThat(view.counts().reason()).contains("maxRowsPerRecord");

    process(deriver, change(bytes("1"), people.delete(4)));
    assertThat(view.counts()).isEqualTo(RowCounts.NONE);
  }
}
