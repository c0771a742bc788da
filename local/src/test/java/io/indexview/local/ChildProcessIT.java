package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A part's process never outlives the stack's, and the stack hears of its end. */
class ChildProcessIT {
  @TempDir Path data;

  private Process stack;

  @AfterEach
  void kill() {
    if (stack != null) {
      stack.descendants().forEach(ProcessHandle::destroyForcibly);
      stack.destroyForcibly();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"REGISTRY", "DYNAMODB"})
  void endsAndFreesItsDataWhenTheStackIsKilled(PartName part) throws Exception {
    ProcessHandle child = start(part);
    stack.destroyForcibly().waitFor();

    await().atMost(Duration.ofSeconds(60)).until(() -> !runs(child));
    // A database that were still open or broken would be refused.
    try (LocalStack again = LocalStack.start(config(data, part))) {
      assertThat(again.addresses()).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"REGISTRY", "DYNAMODB"})
  void isMissedWhenItDies(PartName part) throws Exception {
    ProcessHandle child = start(part);
    child.destroyForcibly();

    assertThat(stack.inputReader().readLine()).startsWith(part + " has ended with exit code");
    assertThat(stack.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /** An ended process that nobody waits for stays as "alive", but without a command. */
  private static boolean runs(ProcessHandle process) {
    return process.isAlive() && process.info().command().isPresent();
  }

  private ProcessHandle start(PartName part) throws IOException {
    stack =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OtherStack.class.getName(),
                data.toString(),
                part.name())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader output = stack.inputReader();
    assertThat(output.readLine()).isEqualTo("ready");
    List<ProcessHandle> children = stack.children().toList();
    assertThat(children).hasSize(1).allMatch(ProcessHandle::isAlive);
    return children.get(0);
  }

  private static StackConfig config(Path data, PartName part) {
    return StackConfig.builder().dataDirectory(data).parts(part).build();
  }

  /** A stack in another process, which waits for the death of its part. */
  static final class OtherStack {
    public static void main(String[] args) {
      try (LocalStack stack =
              LocalStack.start(config(Path.of(args[0]), PartName.valueOf(args[1])));
          var out =
              new java.io.PrintStream(
                  new java.io.FileOutputStream(java.io.FileDescriptor.out), true)) {
        out.println("ready");
        out.println(stack.failure().toCompletableFuture().join().getMessage());
      }
    }
  }
}
