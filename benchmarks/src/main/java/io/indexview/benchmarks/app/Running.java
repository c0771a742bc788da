package io.indexview.benchmarks.app;

import io.indexview.benchmarks.app.BenchCluster.Wanted;
import io.indexview.benchmarks.command.ChildJvm;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.apache.kafka.common.TopicPartition;

/** A contestant with its process and events. */
final class Running implements AutoCloseable {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final double SECOND = 1e9;
  private static final double MILLION = 1e6;

  private final BenchCluster cluster;
  private final Wanted wanted;
  private final Entrant entrant;
  private final Workload people;
  private final Backlog backlog;
  private ChildJvm jvm;

  /**
   * What a turn has used.
   *
   * @param nanos that passed
   * @param rowBytes that view topics have grown by
   * @param stateBytes that changelogs have grown by
   * @param disk of the streams app
   */
  record Turn(
      int events,
      long nanos,
      Figures used,
      long brokerNanos,
      long rowBytes,
      long stateBytes,
      Disk disk) {
    double rate() {
      return events * SECOND / nanos;
    }

    double secondsPerMillion(ToDoubleFunction<Figures> ofThese) {
      return ofThese.applyAsDouble(used) / SECOND * MILLION / events;
    }

    double each(double amount) {
      return amount / events;
    }
  }

  /** How many entries of its state the streams app has read from RocksDB and written there. */
  record Disk(long reads, long writes) {
    static final Disk NONE = new Disk(0, 0);

    Disk since(Disk before) {
      return new Disk(reads - before.reads, writes - before.writes);
    }
  }

  Running(BenchCluster cluster, Wanted wanted, Entrant entrant, Workload people) {
    this.cluster = cluster;
    this.wanted = wanted;
    this.entrant = entrant;
    this.people = people;
    this.backlog = new Backlog(entrant);
  }

  String name() {
    return wanted.name();
  }

  Wanted wanted() {
    return wanted;
  }

  Entrant entrant() {
    return entrant;
  }

  Workload people() {
    return people;
  }

  Backlog backlog() {
    return backlog;
  }

  /** Returns when it derives. */
  void start() throws IOException {
    launch();
    awaitReady();
  }

  /** Returns at once. */
  void launch() throws IOException {
    jvm = cluster.process(wanted, entrant);
  }

  /** Returns when what was launched derives. */
  void awaitReady() throws IOException {
    jvm.line();
  }

  /** Ends it at once, whatever it does. */
  void kill() throws IOException {
    jvm.kill();
  }

  /** Ends it in order. */
  void stop() throws IOException {
    jvm.close();
  }

  /** What its process says to a line. */
  String ask(String question) throws IOException {
    return jvm.ask(question);
  }

  /** What its process has used. */
  Figures figures() throws IOException {
    return Figures.ofLine(jvm.ask(EntrantCommand.FIGURES));
  }

  private Disk disk() throws IOException {
    if (!wanted.tellsDisk()) {
      return Disk.NONE;
    }
    String[] counts = jvm.ask(EntrantCommand.DISK).split(" ");
    return new Disk(Long.parseLong(counts[0]), Long.parseLong(counts[1]));
  }

  void requireAlive() throws IOException {
    jvm.requireAlive();
  }

  /**
   * Derives changes that become visible at one moment.
   *
   * @param changes how many
   * @param kills whether it is killed in the middle and started again
   */
  Turn turn(int changes, boolean kills) throws Exception {
    return turn(() -> backlog.write(people, changes), kills);
  }

  /** Derives the rows of everybody, who become visible at one moment. */
  Turn fill() throws Exception {
    return turn(() -> backlog.fill(people), false);
  }

  private Turn turn(IntSupplier writing, boolean kills) throws Exception {
    Map<TopicPartition, Long> begins = cluster.cluster().ends(entrant);
    int events = writing.getAsInt();
    Map<TopicPartition, Long> ends = cluster.cluster().ends(entrant);
    Map<String, Long> bytesBefore = cluster.cluster().bytes();
    Figures before = figures();
    Disk diskBefore = disk();
    long brokerBefore = cluster.brokerNanos();
    long start = System.nanoTime();
    backlog.publish();
    if (kills) {
      Map<TopicPartition, Long> middle = new HashMap<>(ends);
      begins.forEach((partition, begin) -> middle.merge(partition, begin, (b, e) -> (b + e) / 2));
      await(middle);
      kill();
      start();
      before = Figures.NONE;
      diskBefore = Disk.NONE;
    }
    await(ends);
    awaitRows();
    long nanos = System.nanoTime() - start;
    long brokerNanos = cluster.brokerNanos() - brokerBefore;
    Figures used = figures().since(before);
    Disk disk = disk().since(diskBefore);
    Map<String, Long> grown = cluster.cluster().bytes();
    bytesBefore.forEach((topic, bytes) -> grown.merge(topic, -bytes, Long::sum));
    List<String> views = entrant.generations().stream().map(entrant::viewTopic).toList();
    return new Turn(
        events,
        nanos,
        used,
        brokerNanos,
        sum(grown, views::contains),
        sum(grown, topic -> topic.startsWith(entrant.id()) && topic.endsWith("-changelog")),
        disk);
  }

  /** Returns when it has committed all that is before these ends. */
  void await(Map<TopicPartition, Long> ends) throws Exception {
    await(() -> cluster.cluster().hasCommitted(entrant, ends));
  }

  /** Flink commits offsets first, and rows thereafter. */
  private void awaitRows() throws Exception {
    await(() -> cluster.cluster().hasCommittedRows(entrant));
  }

  private void await(Callable<Boolean> condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.call()) {
      jvm.requireAlive();
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw jvm.failure("does not get on");
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

  /**
   * Returns how many rows stand.
   *
   * @throws IllegalStateException if they are not what they must be
   */
  int check() throws IOException {
    int rows = 0;
    for (var view : entrant.generations()) {
      rows += new RowCheck(entrant, view).run(people);
    }
    return rows;
  }

  @Override
  public void close() throws IOException {
    try (backlog) {
      if (jvm != null) {
        jvm.close();
      }
    }
  }
}
