package io.indexview.benchmarks.command;

import io.indexview.local.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A hidden command of this program in a process of its own. It says a line when it is ready, and
 * one for each line that it gets, and ends with its standard input. What else it prints, as agents
 * do, is passed over.
 */
public final class ChildJvm implements AutoCloseable {
  private static final Duration ORDERLY_STOP = Duration.ofSeconds(30);
  private static final int REPORTED_LINES = 40;
  private static final String MARK = "indexview-bench: ";

  /**
   * The program itself, above all that its commands use: as text, since the packages of its
   * commands use this one, and a reference to it would be a cycle.
   */
  private static final String MAIN_CLASS = "io.indexview.benchmarks.IndexviewBench";

  private final String name;
  private final Path log;
  private final Process process;
  private final BufferedReader out;
  private final Writer in;

  private ChildJvm(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
    this.out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.in = process.outputWriter(StandardCharsets.UTF_8);
  }

  /**
   * @param directory for what it says on standard error
   */
  public static ChildJvm start(
      String name, Path directory, String classPath, List<String> options, List<String> arguments)
      throws IOException {
    return start(name, directory, classPath, options, MAIN_CLASS, arguments);
  }

  /** Starts another program that speaks likewise. */
  public static ChildJvm start(
      String name,
      Path directory,
      String classPath,
      List<String> options,
      String main,
      List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx1g",
            "-Djava.awt.headless=true",
            "-Dlog4j2.configurationFile=indexview-bench-log4j2.xml",
            // What a compiler thread has used must not end with it.
            "-XX:-UseDynamicNumberOfCompilerThreads"));
    command.addAll(ChildProcess.compilerOptions());
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    Path log = directory.resolve(name + ".log");
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    return new ChildJvm(name, log, process);
  }

  /** Says a line, in the process that was started. */
  public static void say(PrintWriter out, String line) {
    out.println(MARK + line);
    out.flush();
  }

  /** The next line that it says. */
  public String line() throws IOException {
    String line = out.readLine();
    while (line != null && !line.startsWith(MARK)) {
      line = out.readLine();
    }
    if (line == null) {
      throw failure("has ended");
    }
    return line.substring(MARK.length());
  }

  /** What it says to a line. */
  public String ask(String question) throws IOException {
    in.write(question + "\n");
    in.flush();
    return line();
  }

  /**
   * @throws IOException with the last that it said, if it has ended
   */
  public void requireAlive() throws IOException {
    if (!process.isAlive()) {
      throw failure("has ended");
    }
  }

  public IOException failure(String what) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return new IOException(
        "%s %s:%n%s"
            .formatted(
                name,
                what,
                String.join(
                    "\n",
                    lines.subList(Math.max(0, lines.size() - REPORTED_LINES), lines.size()))));
  }

  /** Processor time that it has used so far. */
  public long cpuNanos() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }

  /** Ends it at once, whatever it does. */
  public void kill() throws IOException {
    process.destroyForcibly().onExit().join();
    in.close();
  }

  @Override
  public void close() throws IOException {
    in.close();
    try {
      if (!process.waitFor(ORDERLY_STOP.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
