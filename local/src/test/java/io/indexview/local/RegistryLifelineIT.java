package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The registry's process never outlives the stack's, however that ends. */
class RegistryLifelineIT {
  @TempDir Path data;

  private Process stack;

  @AfterEach
  void kill() {
    if (stack != null) {
      stack.descendants().forEach(ProcessHandle::destroyForcibly);
      stack.destroyForcibly();
    }
  }

  @Test
  void endsAndFreesItsDataWhenTheStackIsKilled() throws Exception {
    List<ProcessHandle> registry = startAndKill();

    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> registry.stream().noneMatch(RegistryLifelineIT::runs));
    // A database that were still open or broken would be refused.
    try (LocalStack again = LocalStack.start(config(data))) {
      assertThat(again.registryUrl().getPort()).isPositive();
    }
  }

  /** An ended process that nobody waits for stays as "alive", but without a command. */
  private static boolean runs(ProcessHandle process) {
    return process.isAlive() && process.info().command().isPresent();
  }

  private List<ProcessHandle> startAndKill() throws IOException, InterruptedException {
    stack =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                OtherStack.class.getName(),
                data.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader output = stack.inputReader();
    assertThat(output.readLine()).isEqualTo("ready");
    List<ProcessHandle> registry = stack.children().toList();
    assertThat(registry).hasSize(1).allMatch(ProcessHandle::isAlive);
    stack.destroyForcibly().waitFor();
    return registry;
  }

  private static StackConfig config(Path data) {
    return StackConfig.builder().dataDirectory(data).parts(PartName.REGISTRY).build();
  }

  /** A stack in another process, which waits to be killed. */
  static final class OtherStack {
    public static void main(String[] args) throws IOException {
      try (LocalStack stack = LocalStack.start(config(Path.of(args[0])));
          var out =
              new java.io.PrintStream(
                  new java.io.FileOutputStream(java.io.FileDescriptor.out), true)) {
        out.println("ready");
        if (System.in.read() >= 0) {
          throw new IllegalStateException("nobody writes to " + stack.dataDirectory());
        }
      }
    }
  }
}
