package io.indexview.kvstore.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only a second process can show. */
class EmbeddedKvStoreProcessesIT {
  private static final int ACKNOWLEDGED_BEFORE_THE_KILL = 500;

  @TempDir Path directory;
  @TempDir Path files;

  @Test
  void keepsEveryAcknowledgedWriteWhenTheProcessIsKilled() throws Exception {
    Acknowledged acknowledged = new Acknowledged();
    for (int round = 0; round < 2; round++) {
      writeAndKill("round" + round, acknowledged);

      try (KvStore store = KvStores.open("embedded:" + directory)) {
        assertThat(acknowledged.live).hasSizeGreaterThan(ACKNOWLEDGED_BEFORE_THE_KILL / 2);
        assertThat(acknowledged.live).allSatisfy(key -> assertThat(store.get(key)).isPresent());
        assertThat(acknowledged.deleted).allSatisfy(key -> assertThat(store.get(key)).isEmpty());
        assertThat(store.put(KvKey.ofMajor("after"), new byte[0]).vlsn())
            .as("numbers go on above every one that was given")
            .isGreaterThan(acknowledged.highest);
      }
    }
  }

  @Test
  void refusesADirectoryThatAnotherProcessUses() throws Exception {
    Path told = files.resolve("told");
    Process other = writer("other", told);
    try {
      await().until(() -> lines(told).size() > 1);

      assertThatExceptionOfType(KvStoreException.Misconfigured.class)
          .isThrownBy(() -> KvStores.open("embedded:" + directory))
          .withMessageContaining(directory.toRealPath().toString())
          .withMessageContaining("another process");
    } finally {
      other.destroyForcibly().waitFor();
    }
  }

  private void writeAndKill(String prefix, Acknowledged acknowledged) throws Exception {
    Path told = files.resolve(prefix);
    Process process = writer(prefix, told);
    try {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> lines(told).size() > ACKNOWLEDGED_BEFORE_THE_KILL);
    } finally {
      process.destroyForcibly().waitFor();
    }
    lines(told).forEach(acknowledged::add);
  }

  private Process writer(String prefix, Path told) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            WriterProcess.class.getName(),
            directory.toString(),
            prefix)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .redirectOutput(told.toFile())
        .start();
  }

  /** Whole lines only: the kill may cut the last one. */
  private static List<String> lines(Path told) throws IOException {
    String text = Files.readString(told);
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
  }

  private static final class Acknowledged {
    private final Set<KvKey> live = new HashSet<>();
    private final Set<KvKey> deleted = new HashSet<>();
    private long highest;

    void add(String line) {
      String[] words = line.split(" ");
      KvKey key = KvKey.fromString(words[1]);
      highest = Math.max(highest, Long.parseLong(words[2]));
      (words[0].equals("put") ? live : deleted).add(key);
    }
  }
}
