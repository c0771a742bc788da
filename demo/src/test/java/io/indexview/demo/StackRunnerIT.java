package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ends of a process that runs a stack, seen from outside. */
class StackRunnerIT {
  private static final int INTERRUPTED = 7;

  @TempDir Path temp;

  private Process process;
  private List<String> said = new ArrayList<>();

  @AfterEach
  void kill() {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void stopsPartsAndLeavesNothingWhenAskedToEnd() throws Exception {
    start("wait");
    readUntil("Running until Ctrl-C");
    List<ProcessHandle> children = process.children().toList();
    assertThat(children).hasSize(1);

    // Not destroy() of the process itself, which would close its output here.
    process.toHandle().destroy();

    assertThat(exitCode()).isEqualTo(INTERRUPTED);
    assertThat(said).contains("  dynamodb stopped");
    assertThat(children).noneMatch(ProcessHandle::isAlive);
    assertThat(temporaryDirectories()).isEmpty();
  }

  @Test
  void givesTheTasksExitCodeAndLeavesNothingWhenItSucceeds() throws Exception {
    start("0");

    assertThat(exitCode()).isZero();
    assertThat(said).anyMatch(line -> line.matches(" +dynamodb +http://127\\.0\\.0\\.1:\\d+"));
    assertThat(temporaryDirectories()).isEmpty();
  }

  @Test
  void keepsDataAndLogsAndSaysWhereWhenTheTaskFails() throws Exception {
    start("3");

    assertThat(exitCode()).isEqualTo(3);
    List<Path> kept = temporaryDirectories();
    assertThat(kept).hasSize(1);
    assertThat(said).contains("Data and logs are in " + kept.get(0));
  }

  @Test
  void endsWithOneLineWhenAPortIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      start("0", Integer.toString(taken.getLocalPort()));

      assertThat(exitCode()).isEqualTo(StackRunner.FAILED);
      assertThat(said)
          .anyMatch(
              line -> line.startsWith("port " + taken.getLocalPort() + " for dynamodb cannot"));
    }
  }

  @Test
  void endsWithTheReasonWhenAPartDies() throws Exception {
    start("wait");
    readUntil("Running until Ctrl-C");

    process.children().forEach(ProcessHandle::destroyForcibly);

    assertThat(exitCode()).isEqualTo(StackRunner.FAILED);
    assertThat(said).anyMatch(line -> line.contains("dynamodb has ended with exit code"));
    assertThat(temporaryDirectories()).hasSize(1);
  }

  private void start(String... arguments) throws IOException {
    List<String> options = List.of("-Djava.io.tmpdir=" + temp);
    process = ChildJvm.of("256m", options, Main.class, arguments).redirectErrorStream(true).start();
  }

  private void readUntil(String last) throws IOException {
    BufferedReader output = process.inputReader();
    String line = output.readLine();
    while (line != null && !line.equals(last)) {
      said.add(line);
      line = output.readLine();
    }
    assertThat(line).as(String.join("\n", said)).isEqualTo(last);
  }

  private int exitCode() throws IOException, InterruptedException {
    process.inputReader().lines().forEach(said::add);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private List<Path> temporaryDirectories() throws IOException {
    try (Stream<Path> files = Files.list(temp)) {
      return files.filter(file -> file.getFileName().toString().startsWith("indexview-")).toList();
    }
  }

  /**
   * Runs a stack of one part; the first argument is the task's exit code, or to wait for the end.
   */
  static final class Main {
    public static void main(String[] args) {
      PrintWriter out =
          new PrintWriter(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
      StackConfig.Builder config = StackConfig.builder().parts(PartName.DYNAMODB);
      if (args.length > 1) {
        config.port(PartName.DYNAMODB, Integer.parseInt(args[1]));
      }
      StackRunner runner = new StackRunner(out, out);
      System.exit(
          runner.run(
              config.build(),
              INTERRUPTED,
              stack ->
                  args[0].equals("wait") ? runner.untilInterrupted() : Integer.parseInt(args[0])));
    }
  }
}
