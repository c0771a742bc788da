package io.indexview.connect.s3.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Long histories of several objects; see {@link ShortHistoriesIT}. */
class LongHistoriesPropertyTest {
  private static final int KEYS = 4;
  private static final int MAX_STEPS = 120;
  private static final Set<String> KEY_NAMES = Set.of("key_0", "key_1", "key_2", "key_3");
  private static BucketWorld world;
  private static BucketWorld attributed;
  private static BucketWorld gapped;

  @BeforeContainer
  static void open() throws IOException {
    Path directory = Files.createTempDirectory("s3-index");
    directory.toFile().deleteOnExit();
    world = new BucketWorld(directory.resolve("notified"), false, 0);
    attributed = new BucketWorld(directory.resolve("scanned"), true, 0);
    gapped = new BucketWorld(directory.resolve("gapped"), false, 7);
  }

  @AfterContainer
  static void close() {
    world.close();
    attributed.close();
    gapped.close();
  }

  @Property(tries = 300)
  void endAsTheBucketDoes(@ForAll("histories") List<Tuple2<Step, Integer>> steps) {
    play(world, steps);
  }

  @Property(tries = 300)
  void endAsTheBucketDoesWithAttributes(@ForAll("histories") List<Tuple2<Step, Integer>> steps) {
    play(attributed, steps);
  }

  @Property(tries = 200)
  void endAsTheBucketDoesOnATopicThatLostItsStart(
      @ForAll("histories") List<Tuple2<Step, Integer>> steps) {
    play(gapped, steps);
  }

  @Property(tries = 200)
  void endAsTheBucketDoesAfterAdHocSnapshotsOfWrongState(
      @ForAll("snapshots") List<Tuple2<Step, Integer>> steps) {
    play(world, steps);
  }

  /** The app deletes what the snapshot did not name now, not in the year in which time began. */
  @Example
  void olderEventArrivesAfterASnapshotThatDidNotNameTheObject() {
    play(
        world,
        List.of(
            Tuple.of(Step.PUT, 1),
            Tuple.of(Step.REMOVE, 0),
            Tuple.of(Step.REMOVE, 1),
            Tuple.of(Step.NEWEST_ARRIVES, 0),
            Tuple.of(Step.PUBLISH_AGAIN, 1)));
  }

  /** The snapshot names the tombstone, or the app would only infer that the object is gone. */
  @Example
  void readFromBeforeARemovalArrivesAfterASnapshotOfWrongState() {
    play(
        world,
        ofOneObject(
            Step.PUT,
            Step.EXPIRE,
            Step.PUT,
            Step.OBSERVE,
            Step.REMOVE,
            Step.NEWEST_ARRIVES,
            Step.PUBLISH_AGAIN));
  }

  @Example
  void readThatWasPublishedBeforeASnapshotOfWrongStateArrivesAfterIt() {
    play(
        world,
        ofOneObject(
            Step.PUT,
            Step.EXPIRE,
            Step.PUT,
            Step.OBSERVE,
            Step.OBSERVE,
            Step.REMOVE,
            Step.NEWEST_ARRIVES,
            Step.PUBLISH_AGAIN,
            Step.PUBLISHED_ARRIVES,
            Step.PUBLISH_AGAIN,
            Step.PUBLISHED_ARRIVES,
            Step.PUBLISH_AGAIN));
  }

  private static List<Tuple2<Step, Integer>> ofOneObject(Step... steps) {
    return Stream.of(steps).map(step -> Tuple.of(step, 1)).toList();
  }

  /** The app lost events that the index has: they hold different versions from then on. */
  @Property(tries = 200)
  void endAsTheBucketDoesAfterAdHocSnapshotsForLostEvents(
      @ForAll("losses") List<Tuple2<Step, Integer>> steps) {
    play(world, steps);
    world.endsAsTheBucketDoesAlsoWhenNobodyTells(KEY_NAMES);
  }

  private static void play(BucketWorld world, List<Tuple2<Step, Integer>> steps) {
    world.begin();
    steps.forEach(step -> world.take(step.get1(), "key_" + step.get2()));
    world.endsAsTheBucketDoes();
  }

  @Provide
  Arbitrary<List<Tuple2<Step, Integer>>> histories() {
    return histories(EnumSet.range(Step.PUT, Step.TIME));
  }

  @Provide
  Arbitrary<List<Tuple2<Step, Integer>>> snapshots() {
    return histories(EnumSet.range(Step.PUT, Step.PUBLISHED_ARRIVES));
  }

  @Provide
  Arbitrary<List<Tuple2<Step, Integer>>> losses() {
    return histories(EnumSet.allOf(Step.class));
  }

  private static Arbitrary<List<Tuple2<Step, Integer>>> histories(Set<Step> steps) {
    return Combinators.combine(Arbitraries.of(steps), Arbitraries.integers().between(0, KEYS - 1))
        .as(Tuple::of)
        .list()
        .ofMaxSize(MAX_STEPS);
  }
}
