package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges.Batch;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.oracle.OracleChanges.WantedKeys;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Several who follow one log, and one of them who comes late. */
class SharedStreamTest {
  private static final String SHARD = "rg1";
  private static final long TIME = 0;

  private final ChangeHints people = new ChangeHints();
  private final ChangeHints places = new ChangeHints();
  private final ShardLog ofPeople = log("people", null, people);

  @Property(tries = 2_000)
  void eachKnowsEveryRecordAfterWhateverHappened(@ForAll(supplier = Seeds.class) long seed) {
    Random random = new Random(seed);
    new LogSimulation(random).run(2 + random.nextInt(2));
  }

  @Example
  void theSimulationHandsOver() {
    int handedOver = 0;
    for (int seed = 0; seed < 50; seed++) {
      handedOver += new LogSimulation(new Random(seed)).run(3);
    }
    assertThat(handedOver).isGreaterThan(100);
  }

  private static ShardLog log(String major, KvChangePosition.Entry from, ChangeHints hints) {
    return new ShardLog(
        SHARD, from, 1, new WantedKeys(KvKeySet.under(KvKey.ofMajor(major))), hints);
  }

  private static void write(SharedStream stream, long number, String major) {
    write(stream, number, KvKey.ofMajor(major, "" + number));
  }

  private static void write(SharedStream stream, long number, KvKey key) {
    stream.changed(number, -number, TIME, Translation.key(key).toByteArray());
    stream.committed(number + 1, -number, TIME);
  }

  private static SharedStream begun(ShardLog... logs) {
    SharedStream stream = new SharedStream(List.of(logs), 0);
    stream.beginsWithLog();
    return stream;
  }

  @Example
  void tellsEachWhatHeAskedFor() {
    SharedStream stream = begun(ofPeople, log("places", null, places));
    write(stream, 1, "people");
    write(stream, 3, "places");

    assertThat(people.poll(0).keys()).containsExactly(KvKey.ofMajor("people", "1"));
    Batch ofPlaces = places.poll(0);
    assertThat(ofPlaces.keys()).containsExactly(KvKey.ofMajor("places", "3"));
    assertThat(ofPlaces.next()).isEqualTo(people.poll(0).next());
  }

  @Example
  void takesInWhoHasComeAsFarOrFarther() {
    SharedStream shared = begun(ofPeople);
    ShardLog late = log("places", null, places);
    SharedStream own = begun(late);
    assertThat(shared.takeIn(late)).as("nobody knows how far the shared one is").isFalse();

    write(shared, 1, "places");
    assertThat(shared.takeIn(late)).as("behind").isFalse();
    write(own, 1, "places");
    write(own, 3, "places");
    assertThat(shared.takeIn(late)).as("ahead").isTrue();
    write(own, 5, "places");

    assertThat(places.poll(0).keys()).as("of its own stream, until then").hasSize(2);
    write(shared, 3, "places");
    assertThat(places.poll(0).keys()).as("it was told already").isEmpty();
    write(shared, 5, "places");
    Batch batch = places.poll(0);
    assertThat(batch.keys()).containsExactly(KvKey.ofMajor("places", "5"));
    assertThat(batch.hasGap()).isFalse();
  }

  @Example
  void takesInNobodyWhoWouldHaveToWaitForIt() {
    SharedStream shared = begun(ofPeople);
    ShardLog late = log("places", null, places);
    SharedStream own = begun(late);
    write(shared, 1, "people");
    for (int number = 1; number < 2_000; number += 2) {
      write(own, number, "people");
    }
    assertThat(shared.takeIn(late)).isFalse();

    for (int number = 3; number < 1_500; number += 2) {
      write(shared, number, "people");
    }
    assertThat(shared.takeIn(late)).isTrue();
  }

  @Example
  void keepsATransactionThatIsOpenWhileItIsHandedOver() {
    SharedStream shared = begun(ofPeople);
    ShardLog late = log("places", null, places);
    SharedStream own = begun(late);
    byte[] key = Translation.key(KvKey.ofMajor("places", "1")).toByteArray();
    shared.changed(1, -1, TIME, key);
    own.changed(1, -1, TIME, key);

    assertThat(shared.takeIn(late)).isTrue();
    shared.committed(2, -1, TIME);
    assertThat(places.poll(0).keys()).containsExactly(KvKey.ofMajor("places", "1"));
  }

  @Example
  void takesInNobodyOfAnotherLog() {
    SharedStream shared = begun(ofPeople);
    ShardLog other = log("places", null, places);
    SharedStream own = begun(other);
    shared.committed(1, -1, TIME);
    own.committed(1, -1, TIME + 7);
    assertThat(shared.takeIn(other)).isFalse();

    own.committed(2, -2, TIME);
    assertThat(shared.takeIn(other)).as("it may be one that is behind").isTrue();
    shared.committed(2, -2, TIME + 7);
    assertThat(shared.streams()).filteredOn(ShardLog.Stream::isOver).hasSize(1);
    new SharedStream(List.of(ofPeople, other), 2);
    assertThat(places.poll(0).hasGap()).isTrue();
    assertThat(people.poll(0).hasGap()).isFalse();
  }

  @Example
  void provesNothingToWhoHasReadALogThatIsLost() {
    SharedStream shared = begun(ofPeople);
    ShardLog other = log("places", null, places);
    SharedStream lost = begun(other);
    write(shared, 1, "people");
    write(lost, 1, "people");
    write(lost, 3, "people");
    write(lost, 5, "people");
    assertThat(shared.takeIn(other)).isTrue();
    write(shared, 3, "places");

    assertThat(ofPeople.hasReached(4)).isTrue();
    assertThat(other.hasReached(4)).as("it never named what came after 2").isFalse();

    ShardLog.Stream followed = shared.streams().get(1);
    followed.logEnds(6, System.nanoTime());
    assertThat(followed.isOver()).as("the log has what it read, or may").isFalse();
    followed.logEnds(4, System.nanoTime() - Duration.ofMinutes(1).toNanos());
    assertThat(followed.isOver()).as("it may have grown since").isFalse();
    followed.logEnds(4, System.nanoTime());
    assertThat(followed.isOver()).as("the log does not have what it read").isTrue();
  }

  @Example
  void aSlowOneHasAGapOfItsOwn() {
    ShardLog slow = log("places", null, places);
    SharedStream stream = begun(ofPeople, slow);
    for (int i = 0; i < 200; i++) {
      write(stream, 4 * i + 1, "people");
      write(stream, 4 * i + 3, KvKey.ofMajor("places", "x".repeat(30_000) + i));
    }
    assertThat(people.poll(0).keys()).hasSize(200);
    assertThat(people.poll(0).hasGap()).isFalse();
    assertThat(places.poll(0).hasGap()).isTrue();
  }

  @Example
  void saysNothingToWhoHasLeft() {
    ShardLog leaving = log("places", null, places);
    SharedStream stream = begun(ofPeople, leaving);
    stream.remove(leaving);
    write(stream, 1, "places");
    write(stream, 3, "people");
    assertThat(places.poll(0).keys()).isEmpty();
    assertThat(people.poll(0).keys()).hasSize(1);
  }

  @Example
  void beginsWhereTheFirstOfThemHasToGoOn() {
    KvChangePosition.Entry early = new KvChangePosition.Entry(3, 5, 7);
    KvChangePosition.Entry late = new KvChangePosition.Entry(8, 9);
    SharedStream stream =
        new SharedStream(
            List.of(
                log("people", late, people), log("places", early, places), log("x", null, people)),
            10);
    assertThat(stream.isExact()).isTrue();
    assertThat(stream.startAt()).isEqualTo(3);
  }
}
