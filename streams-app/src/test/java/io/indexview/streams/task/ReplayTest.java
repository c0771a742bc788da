package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.order.Entry;
import io.indexview.streams.People;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.health.RecordSetCounters.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class ReplayTest extends ReplayScenario {
  @Test
  void putsRightWhateverIsWrongInTheState() {
    serve();
    phantom(2, Op.UPDATE, 70, WRONG);
    phantom(3, Op.DELETE, 70, null);
    phantom(99, Op.CREATE, 1, WRONG);
    world.missed(key(4), Op.UPDATE, 2, person("Ann", "moved", 30));
    records.put(key(4), person("Ann", "moved", 30));
    world.missed(key(5), Op.DELETE, 2, null);
    records.remove(key(5));
    world.missed(key(6), Op.UPDATE, 2, person("Ann", "also moved", 30));
    records.put(key(6), person("Ann", "also moved", 30));
    world.processAll();
    replay(2);
    world.settle();

    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
    assertNothingIsLeft();
  }

  @Test
  void costsNothingWhereTheStateIsRight() {
    serve();
    world.event(key(4), Op.DELETE, 2, null);
    records.remove(key(4));
    world.processAll();
    world.commit();
    final int rows = rowsOf(1).size();
    final Entry before = world.entry(key(1));
    replay(2);
    world.settle();

    assertExact(People.BY_ORG, 2);
    assertThat(rowsOf(1)).hasSize(rows);
    assertThat(world.entry(key(1))).isEqualTo(before);
  }

  @Test
  void countsNothingAndSendsNoDeadLettersTwice() {
    fill();
    upsert(3, 2, person("Ann", "Support", 30, "a", "b", "c", "d", "e", "f"));
    world.event(key(1).getBytes(StandardCharsets.UTF_8), new byte[] {1, 2, 3});
    world.processAll();
    publish(People.BY_TAG_AND_AGE, 1);
    world.settle();
    assertThat(world.logged(DeadLetterReason.class)).hasSize(2);
    final long applied = world.metrics.recordSet("people").total(Outcome.APPLIED);
    final long dead = world.metrics.recordSet("people").total(Outcome.DEAD);
    replay(2);
    world.settle();

    PublishedRows.assertExact(
        world, People.generation(People.BY_ORG, 2, People.RECORD_SET), records, Set.of(key(1)));
    assertThat(world.logged(DeadLetterReason.class)).hasSize(2);
    assertThat(world.metrics.recordSet("people").total(Outcome.APPLIED)).isEqualTo(applied);
    assertThat(world.metrics.recordSet("people").total(Outcome.DEAD)).isEqualTo(dead);
  }

  @Test
  void saysHowFarItIs() {
    serve();
    replay(2);
    world.poll();
    world.work(4);
    world.nowMs += 600;
    world.poll();
    world.commit();

    TaskProgress replaying = world.report("by-org", 2);
    assertThat(replaying.reason())
        .isEqualTo("partition 3: replays topic " + People.TOPIC + ", 4 of 10 events");
    assertThat(replaying.phase()).isEqualTo(TaskProgress.Phase.BUILDING);
    assertThat(replaying.done()).isZero();

    swapUpTo(3);
    world.nowMs += 600;
    world.poll();
    world.commit();
    assertThat(world.report("by-org", 2).reason())
        .isEqualTo("partition 3: puts the replayed records in place, 3 of about 10");
    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.BUILDING);

    world.settle();
    assertThat(world.report("by-org", 2).reason()).isEmpty();
    assertExact(People.BY_ORG, 2);
  }

  @Test
  void sharesAReplayThatIsNotPutInPlaceYet() {
    serve();
    replay(2);
    world.poll();
    world.work(2);
    replay(3);
    world.settle();

    assertExact(People.BY_ORG, 2);
    assertExact(People.BY_ORG, 3);
  }

  @Test
  void replaysForAGenerationThatCarriesAnEarlierTime() {
    serve();
    replay(2);
    world.settle();
    phantom(1, Op.UPDATE, 70, WRONG);
    world.nowMs -= 20_000;
    replay(3);
    world.nowMs += 20_000;
    world.settle();

    assertExact(People.BY_ORG, 3);
  }

  @Test
  void replaysOnceMoreForAGenerationThatComesLater() {
    serve();
    replay(2);
    swapUpTo(5);
    phantom(1, Op.UPDATE, 70, WRONG);
    replay(3);
    world.settle();

    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
    assertExact(People.BY_ORG, 3);
    assertNothingIsLeft();
  }

  @Test
  void judgesAnEventThatComesMeanwhileByTheReplayedRecord() {
    serve();
    phantom(8, Op.UPDATE, 70, WRONG);
    phantom(9, Op.DELETE, 70, null);
    replay(2);
    swapUpTo(3);
    upsert(8, 2, person("Ann", "newer", 30));
    upsert(9, 2, person("Ann", "newer", 30));
    world.settle();

    assertThat(world.entry(key(8)).version()).isEqualTo(People.version("s1", 2));
    assertThat(world.entry(key(9)).version()).isEqualTo(People.version("s1", 2));
    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
  }

  @Test
  void comparesWhatAnEventMadeOfARecordThatTheTopicDidNotHaveBefore() {
    serve();
    phantom(0, Op.DELETE, 70, null);
    world.phantom("/p/000", Op.UPDATE, 70, WRONG);
    world.processAll();
    world.commit();
    replay(2);
    swapUpTo(3);
    GenericRecord first = person("Ann", "first", 30);
    records.put("/p/000", first);
    world.event("/p/000", Op.CREATE, 2, first);
    world.settle();

    assertThat(world.entry("/p/000").version()).isEqualTo(People.version("s1", 2));
    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
    assertNothingIsLeft();
  }

  @Test
  void materializesNoEventBeforeTheTaskHasProcessedIt() {
    serve();
    world.event(key(3), Op.UPDATE, 2, person("Ann", "next", 30));
    replay(2);
    world.poll();
    while (world.work(3)) {
      world.poll();
    }
    world.commit();
    assertExact(People.BY_ORG, 2);

    records.put(key(3), person("Ann", "next", 30));
    world.settle();
    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
  }

  @Test
  void keepsAwayWhatAnAdHocSnapshotDidNotName() {
    serve();
    records.remove(key(4));
    publishAgain();
    world.settle();
    assertThat(world.entry(key(4)).deleted()).isTrue();
    final int rows = rowsOf(1).size();
    replay(2);
    world.settle();

    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
    assertThat(rowsOf(1)).hasSize(rows);
  }

  /** Publishes all records again in an ad-hoc snapshot. */
  private void publishAgain() {
    long begin = world.end();
    records.forEach(
        (key, person) ->
            world.event(
                key.getBytes(StandardCharsets.UTF_8),
                world.people.event(
                    Op.READ,
                    new Origin.SnapshotRead(
                        "s1", People.version("s1", 1).sequence(), Origin.Base.ABSENT, true),
                    person)));
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
  }

  private void workWithoutEvents() {
    world.poll();
    while (world.work(3)) {
      world.nowMs++;
      world.poll();
    }
    world.nowMs += 10_000;
    world.poll();
    world.commit();
  }

  @Test
  void keepsAwayWhatASnapshotDidNotNameWhileALaterOneIsNotReadYet() {
    serve();
    records.remove(key(4));
    publishAgain();
    world.settle();
    final int rows = rowsOf(1).size();
    publishAgain();
    world.poll();
    replay(2);
    workWithoutEvents();

    assertThat(world.entry(key(4)).deleted()).isTrue();
    assertExact(People.BY_ORG, 2);
    assertThat(rowsOf(1)).hasSize(rows);
  }

  @Test
  void deletesNothingForASnapshotThatIsNotReadYetWhenALaterOneIsKnown() {
    serve();
    publishAgain();
    world.poll();
    // One that knows fewer keys does not cover the one before.
    world.scope = new KeyScope(key(1), null);
    publishAgain();
    world.poll();
    replay(2);
    workWithoutEvents();

    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
  }

  @Test
  void bringsTombstonesBackUnlessTheyAreOver() {
    serve();
    world.event(key(4), Op.DELETE, 2, null);
    records.remove(key(4));
    world.processAll();
    world.corrupt(key(4), null);
    replay(2);
    world.settle();
    assertThat(world.entry(key(4)).version()).isEqualTo(People.version("s1", 2));
    assertThat(world.entry(key(4)).deleted()).isTrue();

    world.corrupt(key(4), null);
    world.nowMs += TaskWorld.RETENTION.plusDays(2).toMillis();
    world.streamTimeMs = world.nowMs;
    replay(3);
    world.settle();
    assertThat(world.entry(key(4))).isNull();
    assertExact(People.BY_ORG, 3);
  }

  @Test
  void takesNoRightRowFromTheServingGeneration() {
    serve();
    List<String> right =
        rowsOf(1).stream().map(row -> new String(row.key(), StandardCharsets.UTF_8)).toList();
    Entry before = world.entry(key(2));
    world.corrupt(key(2), world.entry(key(4)));
    world.corrupt(key(5), world.entry(key(5)).withoutValue());
    world.corrupt(key(6), null);
    replay(2);
    world.settle();

    assertThat(world.entry(key(2)).value()).isEqualTo(before.value());
    assertExact(People.BY_ORG, 2);
    assertThat(rowsOf(1).stream().filter(row -> row.value() == null))
        .hasSize(1)
        .noneMatch(row -> right.contains(new String(row.key(), StandardCharsets.UTF_8)));
  }
}
