package io.indexview.benchmarks.app;

import io.indexview.benchmarks.command.ChildJvm;
import io.indexview.benchmarks.data.ViewSet;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A contestant's process. */
@Command(name = EntrantCommand.NAME, hidden = true)
public final class EntrantCommand implements Callable<Integer> {
  static final String NAME = "app-contestant";

  /** Asks what the process has used, see {@link Figures#toLine}. */
  static final String FIGURES = "figures";

  /** Asks the streams app to build another view, see {@link ShippedApp#addView}. */
  static final String BUILD = "build";

  /** Asks the streams app how many entries it has read from RocksDB, and written there. */
  static final String DISK = "disk";

  /** Asks how many records of states were restored and copied. */
  static final String RESTORED = "restored";

  /** Asks how many records producers had to send once more. */
  static final String RETRIES = "retries";

  private final Start start;

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

  /** How a contestant starts. */
  @FunctionalInterface
  public interface Start {
    /** Returns when it derives. */
    AutoCloseable start(Entrant entrant) throws Exception;
  }

  /** Creates the command for a contestant of this build. */
  public EntrantCommand() {
    this(Entrant::start);
  }

  private EntrantCommand(Start start) {
    this.start = start;
  }

  /**
   * The process of a contestant that is a program of its own.
   *
   * @return its exit code
   */
  public static int run(Start start, String... arguments) {
    return new CommandLine(CommandSpec.create())
        .addSubcommand(new EntrantCommand(start))
        .execute(arguments);
  }

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

  /** Says that it is ready, then answers each line that it gets. */
  @Override
  public Integer call() throws Exception {
    PrintWriter out = spec.commandLine().getOut();
    Entrant entrant =
        new Entrant(Entrant.Kind.of(kind), id, bootstrap, new ViewSet(views), settings, directory);
    try (AutoCloseable running = start.start(entrant);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      ChildJvm.say(out, "ready: " + running.getClass().getSimpleName());
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String answer =
            switch (line) {
              case BUILD -> ShippedApp.addView(entrant);
              case DISK -> ShippedApp.disk(running);
              case RESTORED ->
                  total(
                      "kafka.consumer:type=consumer-fetch-manager-metrics,"
                          + "client-id=*-restore-consumer",
                      "records-consumed-total");
              case RETRIES ->
                  total("kafka.producer:type=producer-metrics,client-id=*", "record-retry-total");
              default -> Figures.now().toLine();
            };
        entrant.save();
        ChildJvm.say(out, answer);
      }
    }
    return 0;
  }

  /** Sum of an attribute over the clients of this process, as they report it themselves. */
  private static String total(String clients, String attribute) throws JMException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    double total = 0;
    for (ObjectName client : beans.queryNames(new ObjectName(clients), null)) {
      total += (double) beans.getAttribute(client, attribute);
    }
    return Long.toString((long) total);
  }
}
