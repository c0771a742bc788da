package io.indexview.connect.kvstore.source;

import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.SourceVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * A store, a writer whose events are lost, late or told twice, and a source that is cut, loses its
 * index, its offsets or its producer: when writes stop and the source has looked twice, the topic
 * folds to what the store holds. The guard, the index and the sweep are the real ones.
 */
class SweepSimulationTest {
  private static final int KEYS = 4;
  private static final int MAX_STEPS = 60;

  private static Path directory;
  private static SourceHarness harness;
  private static int firstKey;
  private static int incarnation = 1;

  private final Deque<Event> late = new ArrayDeque<>();

  private record Event(String key, SourceVersion version, String name) {}

  enum Step {
    PUT,
    DELETE,
    PUT_AND_TELL,
    DELETE_AND_TELL,
    PUT_AND_TELL_TWICE,
    PUT_AND_TELL_LATE,
    DELETE_AND_TELL_LATE,
    TELL_OLDEST,
    TELL_NEWEST,
    POLL,
    POLL_AND_LOSE,
    SWEEP,
    RESTART,
    LOSE_INDEX,
    LOSE_INDEX_AND_TRIM,
    LOSE_OFFSETS,
    EXPIRE,
    RESTORE
  }

  @BeforeContainer
  static void start() throws IOException {
    directory = Files.createTempDirectory("sweep-simulation");
    harness = new SourceHarness(directory);
  }

  @AfterContainer
  static void stop() throws IOException {
    harness.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Property(tries = 80, shrinking = ShrinkingMode.OFF)
  void foldsToTheStoreAfterTwoSweeps(@ForAll("histories") List<Tuple.Tuple2<Step, Integer>> steps) {
    firstKey += KEYS;
    for (Tuple.Tuple2<Step, Integer> step : steps) {
      take(step.get1(), firstKey + step.get2());
    }
    while (!late.isEmpty()) {
      tell(late.removeFirst());
    }
    harness.sweep();
    harness.sweep();
    harness.assertConverged();
  }

  @Provide
  Arbitrary<List<Tuple.Tuple2<Step, Integer>>> histories() {
    Arbitrary<Step> steps =
        Arbitraries.frequency(
            Tuple.of(6, Step.PUT),
            Tuple.of(4, Step.DELETE),
            Tuple.of(6, Step.PUT_AND_TELL),
            Tuple.of(4, Step.DELETE_AND_TELL),
            Tuple.of(2, Step.PUT_AND_TELL_TWICE),
            Tuple.of(3, Step.PUT_AND_TELL_LATE),
            Tuple.of(3, Step.DELETE_AND_TELL_LATE),
            Tuple.of(2, Step.TELL_OLDEST),
            Tuple.of(2, Step.TELL_NEWEST),
            Tuple.of(30, Step.POLL),
            Tuple.of(1, Step.POLL_AND_LOSE),
            Tuple.of(3, Step.SWEEP),
            Tuple.of(1, Step.RESTART),
            Tuple.of(1, Step.LOSE_INDEX),
            Tuple.of(1, Step.LOSE_INDEX_AND_TRIM),
            Tuple.of(1, Step.LOSE_OFFSETS),
            Tuple.of(1, Step.EXPIRE),
            Tuple.of(1, Step.RESTORE));
    return Combinators.combine(steps, Arbitraries.integers().between(0, KEYS - 1))
        .as(Tuple::of)
        .list()
        .ofMaxSize(MAX_STEPS);
  }

  private void take(Step step, int key) {
    switch (step) {
      case PUT -> put(key);
      case DELETE -> delete(key);
      case PUT_AND_TELL -> tell(put(key));
      case DELETE_AND_TELL -> delete(key).ifPresent(SweepSimulationTest::tell);
      case PUT_AND_TELL_TWICE -> {
        Event event = put(key);
        tell(event);
        late.add(event);
      }
      case PUT_AND_TELL_LATE -> late.add(put(key));
      case DELETE_AND_TELL_LATE -> delete(key).ifPresent(late::add);
      case TELL_OLDEST ->
          Optional.ofNullable(late.pollFirst()).ifPresent(SweepSimulationTest::tell);
      case TELL_NEWEST -> Optional.ofNullable(late.pollLast()).ifPresent(SweepSimulationTest::tell);
      case POLL -> {
        harness.pass(SourceHarness.INTERVAL.dividedBy(4));
        harness.poll();
      }
      case POLL_AND_LOSE -> {
        harness.pollAndLose();
        harness.restart();
      }
      case SWEEP -> harness.sweep();
      case RESTART -> harness.restart();
      case LOSE_INDEX -> harness.restartWithoutIndex();
      case LOSE_INDEX_AND_TRIM -> {
        harness.topic.trim();
        harness.restartWithoutIndex();
      }
      case LOSE_OFFSETS -> harness.forgetOffsets();
      case EXPIRE -> harness.pass(SourceHarness.RETENTION.plus(Duration.ofDays(1)));
      case RESTORE -> harness.restartAs(Integer.toString(++incarnation));
    }
  }

  private static Event put(int key) {
    KvVersion version = harness.put(key, "Ada");
    return new Event(People.key(key).toString(), harness.version(version), "Ada");
  }

  private static Optional<Event> delete(int key) {
    return harness
        .store
        .delete(People.key(key))
        .map(v -> new Event(People.key(key).toString(), harness.version(v), null));
  }

  private static void tell(Event event) {
    harness.tell(event.key(), event.version(), event.name());
  }
}
