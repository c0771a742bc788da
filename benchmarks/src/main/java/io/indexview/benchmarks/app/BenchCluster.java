package io.indexview.benchmarks.app;

import io.indexview.benchmarks.command.ChildJvm;
import io.indexview.benchmarks.data.TemporaryDirectory;
import io.indexview.benchmarks.data.ViewSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A broker in a process of its own, and where contestants on it have their files. */
final class BenchCluster implements AutoCloseable {
  private final BenchPaths paths;
  private final TemporaryDirectory directory;
  private final ChildJvm broker;
  private final String bootstrap;
  private final BrokerAdmin cluster;

  /**
   * Where things lie.
   *
   * @param parent of the directory for everything; null: the system's
   * @param classPath of this build
   * @param otherClassPath of another one; null: there is none
   * @param options of the contestants' processes, {@code {id}} in them stands for what its consumer
   *     group is called
   */
  record BenchPaths(Path parent, String classPath, String otherClassPath, List<String> options) {
    /** Paths for contestants of this build only. */
    static BenchPaths in(Path parent) {
      return new BenchPaths(parent, System.getProperty("java.class.path"), null, List.of());
    }
  }

  /**
   * A contestant that takes part.
   *
   * @param name in tables
   * @param other whether it runs with the classes of the other build
   * @param options of its Java process
   * @param settings of the streams app or of Flink
   */
  record Wanted(
      String name,
      Entrant.Kind kind,
      boolean other,
      List<String> options,
      Map<String, String> settings) {
    private static final String OTHER = "other-";

    /**
     * Reads {@code app-flat} or {@code other-app-flat:KEY=VALUE;-Xmx400m}.
     *
     * @throws IllegalArgumentException saying what is wrong
     */
    static Wanted parse(String text) {
      boolean other = text.startsWith(OTHER);
      String[] parts = text.substring(other ? OTHER.length() : 0).split(":", 2);
      Entrant.Kind kind = Entrant.Kind.of(parts[0]);
      List<String> options = new ArrayList<>();
      Map<String, String> settings = new LinkedHashMap<>();
      for (String extra : parts.length == 1 ? new String[0] : parts[1].split(";")) {
        int equals = extra.indexOf('=');
        if (extra.startsWith("-")) {
          options.add(extra);
        } else if (equals < 0) {
          throw new IllegalArgumentException(
              "\"%s\": a setting is KEY=VALUE, and not \"%s\"".formatted(text, extra));
        } else {
          settings.put(extra.substring(0, equals), extra.substring(equals + 1));
        }
      }
      if (!settings.isEmpty() && !kind.isApp() && !kind.isFlink()) {
        throw new IllegalArgumentException(
            "\"%s\": only the app and Flink take settings".formatted(text));
      }
      if (other && kind.isFlink()) {
        throw new IllegalArgumentException(
            "\"%s\": it has a class path of its own".formatted(text));
      }
      return new Wanted(text, kind, other, options, settings);
    }

    /**
     * Whether it tells what it reads from RocksDB; another build may be older than the question.
     */
    boolean tellsDisk() {
      return kind.isApp() && !other;
    }

    /** The streams app as shipped. */
    static Wanted shipped(Map<String, String> settings) {
      Entrant.Kind kind = Entrant.Kind.APP_FLAT;
      return new Wanted(kind.toString(), kind, false, List.of(), settings);
    }
  }

  private BenchCluster(
      BenchPaths paths, TemporaryDirectory directory, ChildJvm broker, String bootstrap) {
    this.paths = paths;
    this.directory = directory;
    this.broker = broker;
    this.bootstrap = bootstrap;
    this.cluster = new BrokerAdmin(bootstrap);
  }

  static BenchCluster start(BenchPaths paths) throws IOException {
    TemporaryDirectory directory = TemporaryDirectory.in(paths.parent());
    ChildJvm broker = null;
    boolean started = false;
    try {
      broker = BrokerCommand.start(directory.path(), paths.classPath());
      BenchCluster all = new BenchCluster(paths, directory, broker, broker.line());
      started = true;
      return all;
    } finally {
      if (!started) {
        if (broker != null) {
          broker.close();
        }
        directory.close();
      }
    }
  }

  /**
   * A contestant whose process does not run yet.
   *
   * @param id no other has it
   */
  Running contestant(Wanted wanted, String id, ViewSet views, Workload people) throws Exception {
    Path files = Files.createDirectories(directory.path().resolve(id));
    Entrant entrant = new Entrant(wanted.kind(), id, bootstrap, views, wanted.settings(), files);
    cluster.createTopics(entrant);
    return new Running(this, wanted, entrant, people);
  }

  /**
   * Starts another instance of a contestant, with a state of its own. From now on it alone writes
   * events.
   */
  Running twin(Running first) throws IOException {
    Entrant one = first.entrant();
    Path files = Files.createDirectories(directory.path().resolve(one.id() + "-twin"));
    Entrant twin = new Entrant(one.kind(), one.id(), bootstrap, one.views(), one.settings(), files);
    ShippedApp.copyRegistry(one, twin);
    return new Running(this, first.wanted(), twin, first.people());
  }

  /** A process of a contestant. */
  ChildJvm process(Wanted wanted, Entrant entrant) throws IOException {
    List<String> options = new ArrayList<>(wanted.options());
    paths.options().forEach(option -> options.add(option.replace("{id}", entrant.id())));
    String name = entrant.directory().getFileName().toString();
    Path logs = Files.createDirectories(directory.path().resolve("logs"));
    if (entrant.kind().isFlink()) {
      return FlinkProgram.start(name, logs, options, entrant);
    }
    return ChildJvm.start(
        name,
        logs,
        wanted.other() ? paths.otherClassPath() : paths.classPath(),
        options,
        EntrantCommand.arguments(entrant));
  }

  BrokerAdmin cluster() {
    return cluster;
  }

  long brokerNanos() {
    return broker.cpuNanos();
  }

  @Override
  public void close() throws IOException {
    cluster.close();
    broker.close();
    directory.close();
  }
}
