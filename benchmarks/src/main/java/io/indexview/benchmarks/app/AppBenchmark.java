package io.indexview.benchmarks.app;

import io.indexview.benchmarks.ChildJvm;
import io.indexview.benchmarks.contest.Contest;
import io.indexview.benchmarks.contest.Effort;
import io.indexview.benchmarks.contest.Outcome;
import io.indexview.benchmarks.contest.Outcome.Spread;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.TemporaryDirectory;
import io.indexview.benchmarks.data.ViewSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** Contestants that derive the same rows of the same events, each in a process of its own. */
final class AppBenchmark {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);
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

  /**
   * A contestant that takes part.
   *
   * @param name in tables
   * @param other whether it runs with the classes of the other build
   * @param options of its Java process
   * @param settings of the streams app
   */
  record Wanted(
      String name,
      Entrant.Kind kind,
      boolean other,
      List<String> options,
      Map<String, String> settings) {}

  /**
   * Where things lie.
   *
   * @param parent of the directory for everything; null: the system's
   * @param classPath of this build
   * @param otherClassPath of another one; null: there is none
   * @param options of the contestants' processes, {@code {id}} in them stands for what its consumer
   *     group is called
   */
  record BenchPaths(Path parent, String classPath, String otherClassPath, List<String> options) {}

  /**
   * What a turn has used beside time.
   *
   * @param rowBytes that view topics have grown by
   * @param stateBytes that changelogs have grown by
   */
  private record Turn(int events, Figures used, long brokerNanos, long rowBytes, long stateBytes) {
    double secondsPerMillion(ToDoubleFunction<Figures> nanos) {
      return nanos.applyAsDouble(used) / SECOND * MILLION / events;
    }

    double each(double amount) {
      return amount / events;
    }
  }

  AppBenchmark(Settings settings, BenchPaths paths, Consumer<String> progress) {
    this.settings = settings;
    this.paths = paths;
    this.progress = progress;
  }

  /** One contestant with its process and events. */
  private final class Running implements AutoCloseable {
    private final Entrant entrant;
    private final Wanted wanted;
    private final Path logs;
    private final Backlog backlog;
    private final Workload people;
    private ChildJvm jvm;

    Running(Entrant entrant, Wanted wanted, Path logs) {
      this.entrant = entrant;
      this.wanted = wanted;
      this.logs = logs;
      this.backlog = new Backlog(entrant);
      this.people =
          new Workload(
              settings.keys(), entrant.kind() == Entrant.Kind.APP_ENVELOPE, settings.views());
    }

    /** Returns when it derives. */
    private void start() throws IOException {
      List<String> options = new ArrayList<>(wanted.options());
      paths.options().forEach(option -> options.add(option.replace("{id}", entrant.id())));
      jvm =
          ChildJvm.start(
              entrant.id(),
              logs,
              wanted.other() ? paths.otherClassPath() : paths.classPath(),
              options,
              EntrantCommand.arguments(entrant));
      jvm.line();
    }

    private void killAndStart() throws IOException {
      jvm.kill();
      start();
    }

    @Override
    public void close() throws Exception {
      try (backlog) {
        if (jvm != null) {
          jvm.close();
        }
      }
    }
  }

  List<Table> run() throws Exception {
    try (TemporaryDirectory directory = TemporaryDirectory.in(paths.parent())) {
      Path logs = Files.createDirectories(directory.path().resolve("logs"));
      try (ChildJvm broker = BrokerCommand.start(directory.path(), paths.classPath())) {
        String bootstrap = broker.line();
        try (Cluster cluster = new Cluster(bootstrap)) {
          return run(directory.path(), logs, bootstrap, broker, cluster);
        }
      }
    }
  }

  private List<Table> run(
      Path directory, Path logs, String bootstrap, ChildJvm broker, Cluster cluster)
      throws Exception {
    List<Running> all = new ArrayList<>();
    try {
      for (Wanted wanted : settings.contestants()) {
        Entrant entrant = entrant(wanted, "bench" + all.size(), directory, bootstrap);
        cluster.createTopics(entrant);
        Running running = new Running(entrant, wanted, logs);
        all.add(running);
        running.start();
        progress.accept("app: %s is ready".formatted(wanted.name()));
      }
      Outcome outcome =
          new Contest(
                  "app",
                  all.stream()
                      .map(
                          one ->
                              new Contest.Contestant(
                                  one.wanted.name(), () -> turn(one, broker, cluster)))
                      .toList())
              .run(0, settings.rounds(), progress);
      for (Running one : all) {
        check(one);
      }
      return tables(outcome);
    } finally {
      for (Running one : all) {
        one.close();
      }
    }
  }

  private Entrant entrant(Wanted wanted, String id, Path directory, String bootstrap)
      throws IOException {
    return new Entrant(
        wanted.kind(),
        id,
        bootstrap,
        settings.views(),
        wanted.settings(),
        Files.createDirectories(directory.resolve(id)));
  }

  private Effort turn(Running one, ChildJvm broker, Cluster cluster) throws Exception {
    Entrant entrant = one.entrant;
    Map<TopicPartition, Long> begins = cluster.ends(entrant);
    int events = one.backlog.write(one.people, settings.events());
    Map<TopicPartition, Long> ends = cluster.ends(entrant);
    Map<String, Long> bytesBefore = cluster.bytes();
    Figures before = Figures.ofLine(one.jvm.ask("figures"));
    long brokerBefore = broker.cpuNanos();
    long start = System.nanoTime();
    one.backlog.publish();
    if (settings.kills()) {
      Map<TopicPartition, Long> middle = new HashMap<>(ends);
      begins.forEach((partition, begin) -> middle.merge(partition, begin, (b, e) -> (b + e) / 2));
      await(one, middle, cluster);
      one.killAndStart();
      before = Figures.NONE;
    }
    await(one, ends, cluster);
    long nanos = System.nanoTime() - start;
    long brokerNanos = broker.cpuNanos() - brokerBefore;
    Figures used = Figures.ofLine(one.jvm.ask("figures")).since(before);
    Map<String, Long> grown = cluster.bytes();
    bytesBefore.forEach((topic, bytes) -> grown.merge(topic, -bytes, Long::sum));
    List<String> views = entrant.generations().stream().map(entrant::viewTopic).toList();
    turns
        .computeIfAbsent(one.wanted.name(), unused -> new ArrayList<>())
        .add(
            new Turn(
                events,
                used,
                brokerNanos,
                sum(grown, views::contains),
                sum(
                    grown,
                    topic -> topic.startsWith(entrant.id()) && topic.endsWith("-changelog"))));
    return new Effort(events, nanos, used.cpuNanos());
  }

  private static void await(Running one, Map<TopicPartition, Long> ends, Cluster cluster)
      throws Exception {
    long start = System.nanoTime();
    while (!cluster.hasCommitted(one.entrant, ends)) {
      one.jvm.requireAlive();
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw one.jvm.failure("does not get on");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static long sum(Map<String, Long> bytes, Predicate<String> ofThese) {
    return bytes.entrySet().stream()
        .filter(topic -> ofThese.test(topic.getKey()))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  private void check(Running one) throws Exception {
    int rows = 0;
    for (var view : one.entrant.generations()) {
      rows += new RowCheck(one.entrant, view).run(one.people);
    }
    progress.accept("app: %s: all %,d rows are right".formatted(one.wanted.name(), rows));
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
              Table.whole(all.get(all.size() - 1).used().peakBytes() / MEGABYTE));
        });
    return table;
  }

  private static double median(List<Turn> turns, ToDoubleFunction<Turn> figure) {
    return Spread.of(turns.stream().map(figure::applyAsDouble).toList()).median();
  }
}
