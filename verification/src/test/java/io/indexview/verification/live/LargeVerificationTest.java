package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.ViewVerification.Counts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Verifications that take long, or of much. */
class LargeVerificationTest {
  private static final int WORLDS = 50;

  @TempDir private Path directory;

  /** The target is read for longer than the topic keeps deletions. */
  @Test
  void accusesNoRowWhoseDeletionTheTopicKeepsNoMore() {
    assertThat(seedsOfAccused(Duration.ZERO)).isEmpty();
  }

  /** Or the worlds above prove nothing. */
  @Test
  void accusesRowsWhoseDeletionItReadsTooLate() {
    assertThat(seedsOfAccused(Duration.ofDays(1))).isNotEmpty();
  }

  private List<Integer> seedsOfAccused(Duration catchUpInterval) {
    List<Integer> seeds = new ArrayList<>();
    for (int seed = 0; seed < WORLDS; seed++) {
      SimulatedPipeline world = new SimulatedPipeline(seed, false);
      CompactedLog log = new CompactedLog(world);
      if (wrong(log, world, catchUpInterval, log::age) > 0) {
        seeds.add(seed);
      }
    }
    return seeds;
  }

  private long wrong(
      RowLog log, SimulatedPipeline world, Duration catchUpInterval, Runnable rowRead) {
    LiveVerification verification =
        new LiveVerification(
            log,
            world,
            directory,
            1_000_000,
            Runnable::run,
            id -> true,
            new Checkpoints(directory, Duration.ZERO, false),
            1,
            catchUpInterval,
            new Listening(world, rowRead));
    verification.run(Optional.empty(), false);
    return verification.counts().wrong();
  }

  /** What it had read by then is read once more. */
  @ParameterizedTest
  @EnumSource
  void goesOnAfterAnOutageOfKafkaDuringAScan(Outage.Of call) {
    for (int seed = 0; seed < WORLDS; seed++) {
      SimulatedPipeline world = new SimulatedPipeline(seed, false);
      Outage log = new Outage(world, call);

      assertThat(wrong(log, world, Duration.ZERO, () -> {})).as("seed %d", seed).isZero();
      assertThat(log.isOver).isTrue();
    }
  }

  /** When the topic is read on for the first time, behind the first change. */
  private static final class Outage implements RowLog {
    private final RowLog log;
    private final Of call;
    private int ends;
    private boolean isOver;

    private enum Of {
      ENDS,
      READ
    }

    Outage(RowLog log, Of call) {
      this.log = log;
      this.call = call;
    }

    private void fail(Of failing) {
      if (failing == call && ends > 1 && !isOver) {
        isOver = true;
        throw new TimeoutException("no broker");
      }
    }

    @Override
    public Map<Integer, Long> ends() {
      ends++;
      fail(Of.ENDS);
      return log.ends();
    }

    @Override
    public boolean isApplied(Map<Integer, Long> before) {
      return log.isApplied(before);
    }

    @Override
    public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
      log.read(
          from,
          to,
          (id, row) -> {
            visitor.change(id, row);
            fail(Of.READ);
          });
    }

    @Override
    public void close() {}
  }

  /** As many as derived ones: the rows of one file are in memory. */
  @Test
  void spreadsRowsThatNobodyDerivedOverFiles() {
    SimulatedPipeline world = new SimulatedPipeline(0, true);
    world.settle();
    TreeSet<Long> files = new TreeSet<>();
    LiveVerification verification =
        new LiveVerification(
            new Empty(),
            world,
            directory,
            1_000,
            id -> true,
            new Listening(world, () -> files.add(files(directory.resolve("questions-0")))));

    verification.run(Optional.empty(), false);

    assertThat(verification.counts().extra()).isEqualTo(world.stored().size()).isGreaterThan(9);
    assertThat(files.last()).isGreaterThanOrEqualTo(world.stored().size() / 2);
  }

  private static long files(Path directory) {
    if (!Files.exists(directory)) {
      return 0;
    }
    try (Stream<Path> all = Files.list(directory)) {
      return all.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Nobody has derived anything. */
  private static final class Empty implements RowLog {
    @Override
    public Map<Integer, Long> ends() {
      return Map.of();
    }

    @Override
    public boolean isApplied(Map<Integer, Long> ends) {
      return true;
    }

    @Override
    public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
      assertThat(to).isEmpty();
    }

    @Override
    public void close() {}
  }

  /** Hears when rows are read. */
  private record Listening(LiveVerification.Monitor monitor, Runnable read)
      implements LiveVerification.Monitor {
    @Override
    public void at(String step, Counts counts) {
      monitor.at(step, counts);
    }

    @Override
    public void rowRead() {
      read.run();
      monitor.rowRead();
    }

    @Override
    public void consumed(long bytes, double readUnits) {
      monitor.consumed(bytes, readUnits);
    }

    @Override
    public void pause(Duration duration) {
      monitor.pause(duration);
    }
  }
}
