package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Verifies while rows are derived, transactions aborted, the sink crashes and applies them again,
 * and somebody else writes into the target.
 */
class LiveVerificationPropertyTest {
  private static final int WORLDS = 300;

  /** Makes one file of the rows of most worlds, and a few of those where much changes. */
  private static final long MEMORY_BYTES = 500_000;

  private static final int MAX_CRASHES = 4;

  @Property(tries = 50)
  void accusesNoRowThatIsOnlyOnItsWay(@ForAll(supplier = Seeds.class) long seed) {
    assertThat(accused(seed, UnaryOperator.identity())).isEmpty();
  }

  @Property(tries = 50)
  void accusesOnlyRowsThatSomebodyElseWrote(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline world = new SimulatedPipeline(seed, true);

    assertThat(world.everTampered()).containsAll(accused(verify(world, world)));
  }

  @Property(tries = 50)
  void findsEveryRowThatStaysWrong(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline world = new SimulatedPipeline(seed, true);
    world.tamperNoMore();
    LiveVerification verification = verify(world, world);

    Set<String> accused = accused(verification);
    Set<String> missed = new TreeSet<>(world.wrongThroughout());
    missed.removeAll(accused);
    // A write of somebody else may by chance be what the app would have written.
    missed.removeIf(id -> Objects.equals(world.stored().get(id), world.standing().get(id)));
    assertThat(missed).hasSizeLessThanOrEqualTo((int) verification.counts().unjudged());
    if (verification.counts().unjudged() == 0) {
      assertThat(missed).isEmpty();
    }
  }

  @Property(tries = 50)
  void isExactAtRest(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline running = new SimulatedPipeline(seed, true);
    running.settle();
    LiveVerification verification = verify(running, running);

    Set<String> wrong = running.wrong();
    assertThat(accused(verification)).isEqualTo(wrong);
    assertThat(verification.counts().unjudged()).isZero();
    assertThat(verification.counts().right())
        .isEqualTo(running.standing().keySet().stream().filter(id -> !wrong.contains(id)).count());
  }

  @Property(tries = 50)
  void findsOfASampleWhatIsWrongInIt(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline running = new SimulatedPipeline(seed, true);
    running.settle();
    Predicate<String> sample = new RowSample(50, "seed-" + seed);

    LiveVerification verification = verify(running, running, sample, Optional.empty());

    Set<String> wrong = running.wrong();
    Set<String> standing = running.standing().keySet();
    assertThat(accused(verification))
        .isEqualTo(wrong.stream().filter(sample).collect(Collectors.toCollection(TreeSet::new)));
    assertThat(verification.counts().right())
        .isEqualTo(standing.stream().filter(sample).filter(id -> !wrong.contains(id)).count());
    assertThat(verification.counts().scanned()).isEqualTo(running.stored().size());
  }

  @Property(tries = 50)
  void repairsEveryWrongRow(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline running = new SimulatedPipeline(seed, true);
    running.settle();
    Set<String> wrong = running.wrong();

    LiveVerification verification = verify(running, running, Optional.of(running.repairs()));

    assertThat(accused(verification)).isEqualTo(wrong);
    assertThat(verification.cases()).allMatch(Case::repaired);
    assertThat(verification.counts().repaired()).isEqualTo(wrong.size());
    assertThat(verification.counts().left()).isZero();
    assertThat(verification.counts().unjudged()).isZero();
    assertThat(running.wrong()).isEmpty();
    assertThat(running.writtenAnew()).isSubsetOf(wrong);
  }

  @Property(tries = 50)
  void repairsWhatIsWrongWhileRowsChange(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline running = new SimulatedPipeline(seed, true);
    running.tamperNoMore();
    LiveVerification verification = verify(running, running, Optional.of(running.repairs()));
    running.settle();

    assertThat(running.writtenAnew()).isSubsetOf(running.everTampered());
    assertThat(running.wrong()).hasSizeLessThanOrEqualTo((int) verification.counts().unjudged());
    if (verification.counts().unjudged() == 0) {
      assertThat(verification.counts().left()).isZero();
    }
  }

  /** A row that was found wrong is changed while others are read once more. */
  @Example
  void comparesARepairedRowWithItsNewestChange() {
    repairsWhatIsWrongWhileRowsChange(3612418136351628989L);
  }

  @Property(tries = 50)
  void repairsNothingButWhatSomebodyElseWrote(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline world = new SimulatedPipeline(seed, true);
    verify(world, world, Optional.of(world.repairs()));

    assertThat(world.everTampered()).containsAll(world.writtenAnew());
  }

  @Property(tries = 25)
  void accusesNoRowThatIsOnlyOnItsWayWhenItIsKilled(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline world = new SimulatedPipeline(seed, false);

    assertThat(accused(verifyCrashing(world, seed, Optional.empty()))).isEmpty();
  }

  @Property(tries = 25)
  void isExactAtRestWhenItIsKilled(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline running = new SimulatedPipeline(seed, true);
    running.settle();
    LiveVerification verification = verifyCrashing(running, seed, Optional.empty());

    Set<String> wrong = running.wrong();
    assertThat(accused(verification)).isEqualTo(wrong);
    assertThat(verification.counts().unjudged()).isZero();
    assertThat(verification.counts().scanned()).isEqualTo(running.stored().size());
    assertThat(verification.counts().right())
        .isEqualTo(running.standing().keySet().stream().filter(id -> !wrong.contains(id)).count());
    // Each crash costs a part at most.
    assertThat(running.scanned())
        .isLessThanOrEqualTo(running.stored().size() + MAX_CRASHES * SimulatedPipeline.MAX_PART);
  }

  @Property(tries = 25)
  void findsEveryRowThatStaysWrongWhenItIsKilled(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline world = new SimulatedPipeline(seed, true);
    world.tamperNoMore();
    LiveVerification verification = verifyCrashing(world, seed, Optional.empty());

    Set<String> missed = new TreeSet<>(world.wrongThroughout());
    missed.removeAll(accused(verification));
    missed.removeIf(id -> Objects.equals(world.stored().get(id), world.standing().get(id)));
    assertThat(missed).hasSizeLessThanOrEqualTo((int) verification.counts().unjudged());
  }

  @Property(tries = 25)
  void leavesNothingWrongWhenItIsKilledWhileItRepairs(@ForAll(supplier = Seeds.class) long seed) {
    SimulatedPipeline running = new SimulatedPipeline(seed, true);
    running.settle();
    Set<String> wrong = running.wrong();

    LiveVerification verification = verifyCrashing(running, seed, Optional.of(running.repairs()));

    assertThat(verification.counts().left()).isZero();
    assertThat(running.wrong()).isEmpty();
    assertThat(running.writtenAnew()).isSubsetOf(wrong);
  }

  @Example
  void samplesTheTopicBeforeAnotherThreadReadsIt() throws IOException {
    SimulatedPipeline world = new SimulatedPipeline(0, true);
    world.settle();
    Path directory = Files.createTempDirectory("live-verification");
    AtomicInteger samples = new AtomicInteger();
    AtomicBoolean isRead = new AtomicBoolean();
    RowLog log =
        new Broken(world, null) {
          @Override
          public List<String> sample(Map<Integer, Long> ends, int rows) {
            assertThat(isRead).isFalse();
            samples.incrementAndGet();
            return List.of();
          }
        };
    Executor reader =
        work -> {
          isRead.set(true);
          work.run();
        };

    new LiveVerification(
            log,
            world,
            directory,
            MEMORY_BYTES,
            reader,
            id -> true,
            new Checkpoints(directory, Duration.ZERO, false),
            1,
            Duration.ZERO,
            world)
        .run(Optional.empty(), false);

    assertThat(samples).hasValue(1);
    Files.delete(directory);
  }

  /** It has changed whenever it is read. */
  @Example
  void accusesARowThatAFenceHoldsOffThoughItChangesAllTheTime() throws IOException {
    HeldOffRow world = new HeldOffRow();
    Path directory = Files.createTempDirectory("live-verification");
    LiveVerification verification =
        new LiveVerification(world, world, directory, MEMORY_BYTES, id -> true, world);

    verification.run(Optional.empty(), false);

    assertThat(accused(verification)).containsExactly(HeldOffRow.ID);
    assertThat(verification.counts().unjudged()).isZero();
    Files.delete(directory);
  }

  @Example
  void doesNotWaitForTheSink() {
    assertThat(falseOnes(log -> new Broken(log, Rule.WAIT))).isPositive();
  }

  @Example
  void doesNotReadWhatCameMeanwhile() {
    assertThat(falseOnes(log -> new Broken(log, Rule.REST))).isPositive();
  }

  @Example
  void doesNotRiseAboveWhatWasFound() {
    long left = 0;
    for (int seed = 0; seed < WORLDS; seed++) {
      SimulatedPipeline world = new SimulatedPipeline(seed, true);
      world.settle();
      RepairRequests repairs = new WithoutRevisions(world.repairs());
      left += verify(world, world, Optional.of(repairs)).counts().left();
    }
    assertThat(left).isPositive();
  }

  private static long falseOnes(UnaryOperator<RowLog> broken) {
    long found = 0;
    for (int seed = 0; seed < WORLDS; seed++) {
      found += accused(seed, broken).isEmpty() ? 0 : 1;
    }
    return found;
  }

  private enum Rule {
    WAIT,
    REST
  }

  /** Breaks one rule of the verification, by what it tells it. */
  private static class Broken implements RowLog {
    private final RowLog log;
    private final Rule rule;
    private Optional<Map<Integer, Long>> reported = Optional.empty();

    Broken(RowLog log, Rule rule) {
      this.log = log;
      this.rule = rule;
    }

    @Override
    public Map<Integer, Long> ends() {
      Map<Integer, Long> ends = reported.orElseGet(log::ends);
      if (rule == Rule.REST) {
        reported = Optional.of(ends);
      }
      return ends;
    }

    @Override
    public boolean isApplied(Map<Integer, Long> ends) {
      return rule == Rule.WAIT || log.isApplied(ends);
    }

    @Override
    public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
      log.read(from, to, visitor);
    }

    @Override
    public void close() {
      log.close();
    }
  }

  /** Breaks the rule that a fence asks for. */
  private record WithoutRevisions(RepairRequests repairs) implements RepairRequests {
    @Override
    public void begin(long wrong) {
      repairs.begin(wrong);
    }

    @Override
    public void remove(List<UnexpectedRow> rows) {
      repairs.remove(rows);
    }

    @Override
    public void ask(List<WrongRow> rows) {
      repairs.ask(
          rows.stream()
              .map(row -> new WrongRow(row.primaryKey(), OptionalLong.empty(), row.extra()))
              .toList());
    }

    @Override
    public boolean isDone() {
      return repairs.isDone();
    }

    @Override
    public void close() {
      repairs.close();
    }
  }

  private static Set<String> accused(LiveVerification verification) {
    return verification.cases().stream()
        .map(Case::key)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Of a world in which every row becomes right in the end. */
  private static Set<String> accused(long seed, UnaryOperator<RowLog> broken) {
    SimulatedPipeline world = new SimulatedPipeline(seed, false);
    return accused(verify(broken.apply(world), world));
  }

  private static LiveVerification verify(RowLog log, SimulatedPipeline world) {
    return verify(log, world, Optional.empty());
  }

  private static LiveVerification verify(
      RowLog log, SimulatedPipeline world, Optional<RepairRequests> repairs) {
    return verify(log, world, id -> true, repairs);
  }

  private static LiveVerification verify(
      RowLog log,
      SimulatedPipeline world,
      Predicate<String> sample,
      Optional<RepairRequests> repairs) {
    try {
      Path directory = Files.createTempDirectory("live-verification");
      LiveVerification verification = verification(log, world, sample, directory);
      verification.run(repairs, false);
      Files.delete(directory);
      return verification;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static LiveVerification verification(
      RowLog log, SimulatedPipeline world, Predicate<String> sample, Path directory) {
    return new LiveVerification(
        log,
        world,
        directory,
        MEMORY_BYTES,
        Runnable::run,
        sample,
        new Checkpoints(directory, Duration.ZERO, false),
        1,
        Duration.ZERO,
        world);
  }

  /** Kills it again and again, and goes on each time. */
  private static LiveVerification verifyCrashing(
      SimulatedPipeline world, long seed, Optional<RepairRequests> repairs) {
    Random random = new Random(seed);
    try {
      Path directory = Files.createTempDirectory("live-verification");
      LiveVerification verification;
      boolean isOver;
      int crashes = 0;
      do {
        verification = verification(world, world, id -> true, directory);
        world.crashAfter(crashes < MAX_CRASHES ? random.nextInt(400) : Integer.MAX_VALUE);
        try {
          verification.run(repairs, false);
          isOver = true;
        } catch (CrashException e) {
          isOver = false;
          crashes++;
        }
      } while (!isOver);
      Files.delete(directory);
      return verification;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
