package io.indexview.benchmarks.app;

import io.indexview.benchmarks.app.BenchCluster.BenchPaths;
import io.indexview.benchmarks.app.BenchCluster.Wanted;
import io.indexview.benchmarks.app.Running.Turn;
import io.indexview.benchmarks.contest.Contest;
import io.indexview.benchmarks.contest.Effort;
import io.indexview.benchmarks.contest.Outcome;
import io.indexview.benchmarks.contest.Outcome.Spread;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.ViewSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Contestants that derive the same rows of the same events, each in a process of its own. */
final class AppBenchmark {
  private static final double SECOND = 1e9;
  private static final double MILLION = 1e6;
  private static final double MEGABYTE = 1 << 20;

  private final Settings settings;
  private final BenchPaths paths;
  private final Consumer<String> progress;
  private final Map<String, List<Turn>> turns = new LinkedHashMap<>();

  /**
   * What is done.
   *
   * @param events that a round changes something by
   * @param kills whether each contestant is killed in the middle of each round and started again
   * @param contestants in the order of their turns
   */
  record Settings(
      int events, int keys, ViewSet views, int rounds, boolean kills, List<Wanted> contestants) {}

  AppBenchmark(Settings settings, BenchPaths paths, Consumer<String> progress) {
    this.settings = settings;
    this.paths = paths;
    this.progress = progress;
  }

  List<Table> run() throws Exception {
    try (BenchCluster cluster = BenchCluster.start(paths)) {
      return run(cluster);
    }
  }

  private List<Table> run(BenchCluster cluster) throws Exception {
    List<Running> all = new ArrayList<>();
    try {
      for (Wanted wanted : settings.contestants()) {
        boolean guarded = wanted.kind() == Entrant.Kind.APP_ENVELOPE;
        Workload people = new Workload(settings.keys(), guarded, settings.views());
        Running running =
            cluster.contestant(wanted, "bench" + all.size(), settings.views(), people);
        all.add(running);
        running.start();
        progress.accept("app: %s is ready".formatted(wanted.name()));
      }
      Outcome outcome =
          new Contest(
                  "app",
                  all.stream()
                      .map(one -> new Contest.Contestant(one.name(), () -> turn(one)))
                      .toList())
              .run(0, settings.rounds(), progress);
      for (Running one : all) {
        progress.accept("app: %s: all %,d rows are right".formatted(one.name(), one.check()));
      }
      return tables(outcome);
    } finally {
      for (Running one : all) {
        one.close();
      }
    }
  }

  private Effort turn(Running one) throws Exception {
    Turn turn = one.turn(settings.events(), settings.kills());
    turns.computeIfAbsent(one.name(), unused -> new ArrayList<>()).add(turn);
    return new Effort(turn.events(), turn.nanos(), turn.used().cpuNanos());
  }

  private List<Table> tables(Outcome outcome) {
    Map<String, List<Effort>> efforts = outcome.efforts();
    Outcome first = rounds(outcome, 0, 1);
    Outcome warm = settings.rounds() == 1 ? first : rounds(outcome, 1, settings.rounds());
    String reference = outcome.reference();
    Table rates =
        new Table(
            "%,d events a round over %,d keys, %s, against %s"
                .formatted(settings.events(), settings.keys(), settings.views(), reference),
            "contestant",
            "events/s by round",
            "round 1, ratio",
            "later, events/s",
            "later, ratio",
            "CPU s/million",
            "CPU ratio");
    for (String name : efforts.keySet()) {
      rates.row(
          name,
          efforts.get(name).stream()
              .map(effort -> Table.whole(effort.units() * SECOND / effort.nanos()))
              .collect(Collectors.joining(" ")),
          Table.ratio(first.ratio(name).median()),
          Table.whole(warm.rate(name)),
          warm.ratio(name).toString(),
          Table.ratio(warm.cpuMicros(name)),
          warm.cpuRatio(name).toString());
    }
    return List.of(rates, uses());
  }

  private static Outcome rounds(Outcome outcome, int from, int to) {
    Map<String, List<Effort>> efforts = new LinkedHashMap<>();
    outcome.efforts().forEach((name, all) -> efforts.put(name, all.subList(from, to)));
    return new Outcome(outcome.reference(), efforts);
  }

  private Table uses() {
    Table table =
        new Table(
            "What that took: CPU in s per million events, the rest per event; medians of the rounds"
                + " after the first",
            "contestant",
            "round 1: all CPU",
            "round 1: compiler",
            "compiler",
            "collector",
            "deriving threads",
            "other threads",
            "broker",
            "B allocated",
            "B to view topics",
            "B to changelogs",
            "read from RocksDB",
            "written there",
            "peak MB");
    turns.forEach(
        (name, all) -> {
          Turn first = all.get(0);
          List<Turn> warm = all.size() == 1 ? all : all.subList(1, all.size());
          table.row(
              name,
              Table.ratio(first.secondsPerMillion(Figures::cpuNanos)),
              Table.ratio(first.secondsPerMillion(Figures::compilerNanos)),
              Table.ratio(median(warm, turn -> turn.secondsPerMillion(Figures::compilerNanos))),
              Table.ratio(median(warm, turn -> turn.secondsPerMillion(Figures::collectorNanos))),
              Table.ratio(median(warm, turn -> turn.secondsPerMillion(Figures::derivingNanos))),
              Table.ratio(median(warm, turn -> turn.secondsPerMillion(Figures::otherNanos))),
              Table.ratio(median(warm, turn -> turn.each(turn.brokerNanos() / SECOND * MILLION))),
              Table.whole(median(warm, turn -> turn.each(turn.used().allocatedBytes()))),
              Table.whole(median(warm, turn -> turn.each(turn.rowBytes()))),
              Table.whole(median(warm, turn -> turn.each(turn.stateBytes()))),
              ofDisk(name, median(warm, turn -> turn.each(turn.disk().reads()))),
              ofDisk(name, median(warm, turn -> turn.each(turn.disk().writes()))),
              Table.whole(all.get(all.size() - 1).used().peakBytes() / MEGABYTE));
        });
    return table;
  }

  /** The others do not count it: those of Kafka Streams read and write once an event. */
  private String ofDisk(String contestant, double figure) {
    boolean isKnown =
        settings.contestants().stream()
            .anyMatch(wanted -> wanted.name().equals(contestant) && wanted.tellsDisk());
    return isKnown ? Table.ratio(figure) : "-";
  }

  private static double median(List<Turn> turns, ToDoubleFunction<Turn> figure) {
    return Spread.of(turns.stream().map(figure::applyAsDouble).toList()).median();
  }
}
