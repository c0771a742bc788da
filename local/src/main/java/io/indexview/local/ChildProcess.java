package io.indexview.local;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The server of one part in a process of its own, which never outlives this one. Its end is
 * reported, unless it was asked for; what it says is in a file.
 */
public final class ChildProcess {
  /** Much, since a machine may be busy; one that has ended is noticed at once. */
  static final Duration READY = Duration.ofMinutes(3);

  private static final Duration REQUEST = Duration.ofSeconds(10);
  private static final Duration ORDERLY_STOP = Duration.ofSeconds(5);
  private static final int REPORTED_LINES = 8;

  private final PartContext context;
  private final PartName part;
  private final Path log;

  /** A server loses its count of streams when a busy machine delays an upgrade to HTTP/2. */
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Process process;
  private volatile boolean stopping;

  ChildProcess(PartContext context, PartName part) {
    this.context = context;
    this.part = part;
    this.log = context.directory().of("logs").resolve(part.label() + ".log");
  }

  /** Asks the server for something; fails while it does not listen. */
  interface Probe {
    /** Whether it serves. */
    boolean answers() throws IOException, InterruptedException;
  }

  /**
   * Starts the server; returns when it serves.
   *
   * @param libraries the server's class path
   * @param main the server's main class, and its arguments
   */
  void start(List<String> jvmOptions, String libraries, List<String> main, Probe probe)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC"));
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", location(ChildProcess.class) + File.pathSeparator + libraries));
    command.add(ChildMain.class.getName());
    command.addAll(main);
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.to(log.toFile()))
            .start();
    process.onExit().thenAccept(this::reportEnd);
    Poll.until(
        () -> answers(probe),
        READY,
        () ->
            new StackException(
                "%s did not answer within %d s; see %s".formatted(part, READY.toSeconds(), log)));
  }

  /**
   * Options of Java, for a child whose runs are as long as this process's: short ones do without
   * the optimizing compiler.
   */
  public static List<String> compilerOptions() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("-XX:TieredStopAtLevel="))
        .toList();
  }

  private void reportEnd(Process ended) {
    if (!stopping) {
      context.failures().report(part, "has ended with exit code " + ended.exitValue(), null);
    }
  }

  private Optional<Boolean> answers(Probe probe) throws IOException, InterruptedException {
    if (!process.isAlive()) {
      throw new StackException(
          "%s ended with exit code %d while starting:%n%s"
              .formatted(part, process.exitValue(), lastLines()));
    }
    try {
      return probe.answers() ? Optional.of(true) : Optional.empty();
    } catch (IOException notYetListening) {
      return Optional.empty();
    }
  }

  private String lastLines() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join(
        "\n", lines.subList(Math.max(0, lines.size() - REPORTED_LINES), lines.size()));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
    return http.send(request.timeout(REQUEST).build(), HttpResponse.BodyHandlers.ofString());
  }

  void stop() throws InterruptedException {
    stopping = true;
    if (process == null) {
      return;
    }
    process.destroy();
    if (!process.waitFor(ORDERLY_STOP.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }

  /**
   * A file of the server, of what the build of its module has made. For a stack that does not run
   * from its build directory a system property names another place.
   *
   * @param directory below that place
   */
  Path file(String directory, String glob) throws IOException {
    String property = "indexview.%s.home".formatted(part);
    String elsewhere = System.getProperty(property);
    Path home = elsewhere == null ? built() : Path.of(elsewhere);
    Path searched = home.resolve(directory);
    if (Files.isDirectory(searched)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(searched, glob)) {
        for (Path file : files) {
          return file;
        }
      }
    }
    throw new StackException(
        "%s: no %s in %s: fetch it by mvn -pl :indexview-local-%s package, or set -D%s"
            .formatted(part, glob, searched, part, property));
  }

  private Path built() {
    return location(ChildProcess.class).resolveSibling("../%s/target".formatted(part)).normalize();
  }

  /** The jar or classes directory of the module that has a class. */
  static Path location(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the location of %s is not a path".formatted(type), e);
    }
  }
}
