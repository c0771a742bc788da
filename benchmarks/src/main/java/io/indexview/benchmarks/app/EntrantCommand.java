package io.indexview.benchmarks.app;

import io.indexview.benchmarks.ChildJvm;
import io.indexview.benchmarks.data.ViewSet;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A contestant's process. */
@Command(name = EntrantCommand.NAME, hidden = true)
public final class EntrantCommand implements Callable<Integer> {
  static final String NAME = "app-contestant";

  @Spec private CommandSpec spec;

  @Option(names = "--kind", required = true)
  private String kind;

  @Option(names = "--id", required = true)
  private String id;

  @Option(names = "--bootstrap", required = true)
  private String bootstrap;

  @Option(names = "--views", required = true)
  private String views;

  @Option(names = "--set")
  private Map<String, String> settings = new HashMap<>();

  @Option(names = "--dir", required = true)
  private Path directory;

  /** What a process is told of a contestant. */
  static List<String> arguments(Entrant entrant) {
    List<String> arguments = new ArrayList<>();
    arguments.add(NAME);
    arguments.add("--kind=" + entrant.kind());
    arguments.add("--id=" + entrant.id());
    arguments.add("--bootstrap=" + entrant.bootstrap());
    arguments.add("--views=" + entrant.views().text());
    arguments.add("--dir=" + entrant.directory());
    entrant.settings().forEach((key, value) -> arguments.add("--set=" + key + "=" + value));
    return arguments;
  }

  /** Says that it is ready, then, to each line that it gets, what it has used. */
  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    Entrant entrant =
        new Entrant(Entrant.Kind.of(kind), id, bootstrap, new ViewSet(views), settings, directory);
    try (AutoCloseable running = entrant.start();
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      ChildJvm.say(out, "ready: " + running.getClass().getSimpleName());
      while (in.readLine() != null) {
        entrant.save();
        ChildJvm.say(out, Figures.now().toLine());
      }
    }
    return 0;
  }
}
