package io.indexview.benchmarks.app;

import io.indexview.benchmarks.app.BenchCluster.BenchPaths;
import io.indexview.benchmarks.app.BenchCluster.Wanted;
import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.ScratchDirectory;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.ViewSet;
import io.indexview.streams.config.AppConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code restart}. */
@Command(
    name = "restart",
    mixinStandardHelpOptions = true,
    description = "How long the streams app takes until it derives again.",
    footer = {
      "",
      "From the end of a process until a reader of committed rows has the first row of an event",
      "that came after it, and until all events of all partitions are derived:",
      "  stop     stopped in order, then started",
      "  kill     killed, then started at once",
      "  standby  killed while another instance has copies of all states",
      "A process that was killed is missed after its session timeout, 15 s by default."
    })
public final class RestartCommand implements Callable<Integer> {
  private static final int EVENTS = 100;
  private static final int HEADER = 5;
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final double MILLI = 1e6;

  @Mixin private BenchOutput output;
  @Mixin private ScratchDirectory directory;
  @Mixin private StateSizes records;

  @Option(
      names = "--ways",
      split = ",",
      defaultValue = "stop,kill,standby",
      description = "Of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private List<Way> ways;

  enum Way {
    STOP,
    KILL,
    STANDBY;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public Integer call() throws Exception {
    List<Integer> sizes = records.sizes(output);
    Table table =
        new Table(
            "Until the streams app derives again, 2 views",
            "records",
            "way",
            "first row, ms",
            "all partitions, ms",
            "records restored");
    try (BenchCluster cluster = BenchCluster.start(BenchPaths.in(directory.parent()))) {
      for (int size : sizes) {
        for (Way way : ways) {
          output.progress("restart: a state of %,d records, %s".formatted(size, way));
          run(table, cluster, size, way);
        }
      }
    }
    output.print(table);
    return 0;
  }

  private void run(Table table, BenchCluster cluster, int size, Way way) throws Exception {
    ViewSet views = ViewSet.of(2);
    String copies = way == Way.STANDBY ? "1" : "0";
    try (Running one =
        cluster.contestant(
            Wanted.shipped(Map.of(AppConfig.STANDBY_CONFIG, copies)),
            "bench-%d-%s".formatted(size, way),
            views,
            new Workload(size, false, views))) {
      one.start();
      one.fill();
      if (way == Way.STANDBY) {
        try (Running twin = cluster.twin(one)) {
          twin.start();
          awaitCopies(twin, size);
          measure(table, cluster, twin, size, way, one::kill);
        }
      } else {
        measure(table, cluster, one, size, way, way == Way.STOP ? one::stop : one::kill);
      }
    }
  }

  /** How a process ends. */
  private interface End {
    void run() throws IOException;
  }

  /** Each record is in the changelog once at least. */
  private static void awaitCopies(Running twin, int size) throws Exception {
    long until = System.nanoTime() + TIMEOUT.toNanos();
    while (restored(twin) < size) {
      if (System.nanoTime() > until) {
        throw new IOException(
            "only %d of %d records were copied in %s".formatted(restored(twin), size, TIMEOUT));
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private static long restored(Running one) throws IOException {
    return Long.parseLong(one.ask(EntrantCommand.RESTORED));
  }

  private void measure(Table table, BenchCluster cluster, Running next, int size, Way way, End end)
      throws Exception {
    long before = way == Way.STANDBY ? restored(next) : 0;
    try (KafkaConsumer<byte[], byte[]> rows = rows(next.entrant())) {
      end.run();
      long begin = System.nanoTime();
      next.backlog().write(next.people(), EVENTS);
      Map<TopicPartition, Long> ends = cluster.cluster().ends(next.entrant());
      next.backlog().publish();
      if (way != Way.STANDBY) {
        next.launch();
      }
      awaitRow(rows, next);
      double first = (System.nanoTime() - begin) / MILLI;
      next.await(ends);
      double all = (System.nanoTime() - begin) / MILLI;
      if (way != Way.STANDBY) {
        next.awaitReady();
      }
      table.row(
          Table.whole(size),
          way.toString(),
          Table.whole(first),
          Table.whole(all),
          Table.whole(restored(next) - before));
    }
    output.progress("restart: all %,d rows are right".formatted(next.check()));
  }

  private static KafkaConsumer<byte[], byte[]> rows(Entrant entrant) {
    KafkaConsumer<byte[], byte[]> consumer = entrant.committedRows(entrant.generations());
    consumer.seekToEnd(consumer.assignment());
    consumer.assignment().forEach(consumer::position);
    return consumer;
  }

  private static void awaitRow(KafkaConsumer<byte[], byte[]> rows, Running next)
      throws IOException {
    long until = System.nanoTime() + TIMEOUT.toNanos();
    while (System.nanoTime() < until) {
      next.requireAlive();
      for (ConsumerRecord<byte[], byte[]> row : rows.poll(POLL)) {
        if (row.key() != null && row.key().length > HEADER) {
          return;
        }
      }
    }
    throw new IOException("no row came in " + TIMEOUT);
  }
}
