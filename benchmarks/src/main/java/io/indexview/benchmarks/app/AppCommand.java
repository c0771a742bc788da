package io.indexview.benchmarks.app;

import io.indexview.benchmarks.app.AppBenchmark.Settings;
import io.indexview.benchmarks.app.BenchCluster.BenchPaths;
import io.indexview.benchmarks.app.BenchCluster.Wanted;
import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.Rounds;
import io.indexview.benchmarks.command.ScratchDirectory;
import io.indexview.benchmarks.data.ViewSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code app}. */
@Command(
    name = "app",
    mixinStandardHelpOptions = true,
    description = "The streams app as a whole against other ways to derive the same rows.",
    footerHeading = "%nContestants:%n",
    footer = {
      "  plain              Kafka Streams with its defaults, exactly once, no guard",
      "  tuned              the same, comparing and copying bytes, with tuned clients",
      "  app-flat           the streams app as shipped, flat values",
      "  app-envelope       the same, envelopes: 2 %% of the events come twice, 2 %% late",
      "  app-at-least-once  as app-flat, without transactions, which no setting says",
      "  limit              transactional clients alone, the state in a map",
      "  flink-heap, flink-rocksdb, flink-heap-exactly-once, flink-rocksdb-exactly-once",
      "                     Flink SQL over upsert-kafka tables, in a cluster in one process,",
      "                     with a checkpoint a second while there are events",
      "The first one is what the others are compared with. Behind a colon come settings",
      "of an app or of Flink, and options of Java, as in",
      "app-flat:record.set.people.state.store=memory;-XX:+UseParallelGC.",
      "With other- in front a contestant runs with the classes of --other-class-path.",
      "The first round finds processes that have done nothing yet, and no state."
    })
public final class AppCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private BenchOutput output;
  @Mixin private ScratchDirectory directory;
  @Mixin private final Rounds rounds = new Rounds(5);

  @Option(
      names = "--events",
      defaultValue = "1000000",
      description = "Changes in a round. Default: ${DEFAULT-VALUE}")
  private int events;

  @Option(
      names = "--keys",
      defaultValue = "200000",
      description = "Records that are changed. Default: ${DEFAULT-VALUE}")
  private int keys;

  @Option(
      names = "--views",
      defaultValue = "2",
      description =
          "How many views; 2 are by org and by org and date, and every update changes their rows."
              + " Or filter: one of a fifth of the people, who enter and leave it as they move;"
              + " or array: one with ten rows a person, all of which every update changes."
              + " Default: ${DEFAULT-VALUE}")
  private String views;

  @Option(
      names = "--contestants",
      split = ",",
      defaultValue = "plain,tuned,app-flat,app-envelope,limit",
      description = "Who takes part, see below. Default: ${DEFAULT-VALUE}")
  private List<String> contestants;

  @Option(
      names = "--kill",
      description =
          "Kill each contestant in the middle of each round and start it again: what is measured"
              + " then is a restart, and that the rows are right. Not for limit, which has no state.")
  private boolean kill;

  @Option(
      names = "--other-class-path",
      description = "File with the class path of another build of this program.")
  private Path otherClassPath;

  @Option(
      names = "--child-options",
      split = " ",
      description =
          "Options of the contestants' Java processes, separated by blanks; {id} in them becomes"
              + " bench0, bench1 and so on.")
  private List<String> childOptions = List.of();

  @Override
  public Integer call() throws Exception {
    output.require("--events", List.of(events));
    output.require("--keys", List.of(keys));
    if (Set.copyOf(contestants).size() < contestants.size()) {
      throw refuse(String.join(",", contestants), "each once");
    }
    Settings settings =
        new Settings(
            events,
            keys,
            viewSet(),
            rounds.count(output),
            kill,
            present(contestants.stream().map(this::contestant).toList()));
    BenchPaths paths =
        new BenchPaths(
            directory.parent(),
            System.getProperty("java.class.path"),
            otherClassPath(),
            childOptions);
    new AppBenchmark(settings, paths, output::progress).run().forEach(output::print);
    return 0;
  }

  /** Contestants that can take part; those of Flink only where Flink is there. */
  private List<Wanted> present(List<Wanted> all) {
    List<Wanted> absent =
        FlinkProgram.classPath().isPresent()
            ? List.of()
            : all.stream().filter(wanted -> wanted.kind().isFlink()).toList();
    if (absent.isEmpty()) {
      return all;
    }
    String names = absent.stream().map(Wanted::name).collect(Collectors.joining(", "));
    if (absent.size() == all.size()) {
      throw refuse(names, FlinkProgram.NEEDED);
    }
    output.progress("app: without %s, which %s".formatted(names, FlinkProgram.NEEDED));
    return all.stream().filter(wanted -> !absent.contains(wanted)).toList();
  }

  private ViewSet viewSet() {
    try {
      return new ViewSet(views);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--views: " + e.getMessage());
    }
  }

  private String otherClassPath() throws IOException {
    return otherClassPath == null ? null : Files.readString(otherClassPath).strip();
  }

  private Wanted contestant(String text) {
    Wanted wanted;
    try {
      wanted = Wanted.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--contestants: " + e.getMessage());
    }
    if (wanted.other() && otherClassPath == null) {
      throw refuse(text, "give --other-class-path");
    }
    if (kill && wanted.kind() == Entrant.Kind.LIMIT) {
      throw refuse(text, "it cannot be killed: its state is gone then");
    }
    return wanted;
  }

  private ParameterException refuse(String text, String why) {
    return new ParameterException(
        spec.commandLine(), "--contestants: \"%s\": %s".formatted(text, why));
  }
}
