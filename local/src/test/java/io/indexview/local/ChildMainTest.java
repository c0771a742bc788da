package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChildMainTest {
  @Test
  void endsAProcessWhoseServerFailedAfterItStartedThreads() throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ChildMain.class.getName(),
                FailingServer.class.getName())
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(child.exitValue()).isEqualTo(1);
      assertThat(child.inputReader().lines()).anyMatch(line -> line.contains("port is taken"));
    } finally {
      child.destroyForcibly();
    }
  }

  /** A server that has a thread before it finds out that it cannot serve. */
  static final class FailingServer {
    public static void main(String[] args) {
      CountDownLatch never = new CountDownLatch(1);
      new Thread(
              () -> {
                try {
                  never.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              })
          .start();
      throw new IllegalStateException("port is taken");
    }
  }
}
