package io.indexview.kvstore.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.open.KvStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only a second process can show. */
class EmbeddedKvStoreProcessesIT {
  private static final int KILLS = 6;
  private static final Duration START = Duration.ofSeconds(60);
  private static final int MAX_ACKNOWLEDGED_BEFORE_A_KILL = 400;

  @TempDir Path directory;
  @TempDir Path files;

  @Test
  void keepsEveryAcknowledgedWriteWhenTheProcessIsKilled() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Acknowledged acknowledged = new Acknowledged();
    for (int round = 0; round < KILLS; round++) {
      long highestBefore = acknowledged.highest;
      List<String> reported =
          killed("round" + round, random.nextInt(MAX_ACKNOWLEDGED_BEFORE_A_KILL));
      reported.forEach(acknowledged::add);

      assertThat(reported)
          .as("numbers rise over every process, seed %d", seed)
          .allSatisfy(line -> assertThat(Acknowledged.vlsn(line)).isGreaterThan(highestBefore));
      try (KvStore store = KvStores.open("embedded:" + directory)) {
        assertThat(acknowledged.live)
            .as("what was acknowledged before kill %d, seed %d", round, seed)
            .allSatisfy(
                (key, vlsn) ->
                    assertThat(store.get(key)).get().returns(vlsn, r -> r.version().vlsn()));
        assertThat(acknowledged.deleted)
            .as("what was deleted before kill %d, seed %d", round, seed)
            .allSatisfy(key -> assertThat(store.get(key)).isEmpty());
        acknowledged.highest = store.put(KvKey.ofMajor("after", "" + round), new byte[0]).vlsn();
      }
    }
    assertThat(acknowledged.live).isNotEmpty();
  }

  @Test
  void refusesADirectoryThatAnotherProcessUses() throws Exception {
    Path reported = files.resolve("reported");
    Process other = writer("other", reported);
    try {
      await().atMost(START).until(() -> lines(reported).size() > 1);

      assertThatExceptionOfType(KvStoreException.Misconfigured.class)
          .isThrownBy(() -> KvStores.open("embedded:" + directory))
          .withMessageContaining(directory.toRealPath().toString())
          .withMessageContaining("another process");
    } finally {
      other.destroyForcibly().waitFor();
    }
  }

  /** What a process reported that was killed some time after it had reported so many writes. */
  private List<String> killed(String prefix, int acknowledged) throws Exception {
    Path reported = files.resolve(prefix);
    Process process = writer(prefix, reported);
    try {
      await()
          .pollInterval(Duration.ofMillis(5))
          .atMost(START)
          .until(() -> lines(reported).size() > acknowledged);
    } finally {
      process.destroyForcibly().waitFor();
    }
    return lines(reported);
  }

  private Process writer(String prefix, Path reported) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            WriterProcess.class.getName(),
            directory.toString(),
            prefix)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .redirectOutput(reported.toFile())
        .start();
  }

  /** Whole lines only: the kill may cut the last one. */
  private static List<String> lines(Path reported) throws IOException {
    String text = Files.readString(reported);
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
  }

  private static final class Acknowledged {
    private final Map<KvKey, Long> live = new HashMap<>();
    private final Set<KvKey> deleted = new HashSet<>();
    private long highest;

    void add(String line) {
      String[] words = line.split(" ");
      KvKey key = KvKey.fromString(words[1]);
      highest = Math.max(highest, vlsn(line));
      if (words[0].equals("put")) {
        live.put(key, vlsn(line));
      } else {
        deleted.add(key);
      }
    }

    static long vlsn(String line) {
      return Long.parseLong(line.split(" ")[2]);
    }
  }
}
