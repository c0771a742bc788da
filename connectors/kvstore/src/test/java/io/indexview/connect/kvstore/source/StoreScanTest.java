package io.indexview.connect.kvstore.source;

import static io.indexview.connect.kvstore.source.People.ops;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.index.MaterializedIndex;
import io.indexview.connect.kvstore.source.StoreScan.ScanPlan;
import io.indexview.connect.kvstore.source.index.ScanPosition;
import io.indexview.connect.kvstore.source.index.ScannedIndexState;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a scan reads: bounded in memory and rate, consistently, and on from where it was. */
class StoreScanTest {
  private static final int RECORDS = 60;
  private static final int HELD_ROWS = 7;

  @TempDir private Path directory;
  private SourceHarness harness;
  private final List<KvScan> scans = new ArrayList<>();
  private final List<Object> pointReads = new ArrayList<>();

  @BeforeEach
  void start() {
    harness = new SourceHarness(directory);
    for (int i = 0; i < RECORDS; i++) {
      harness.put(i, "Ada");
    }
  }

  @AfterEach
  void stop() {
    harness.close();
  }

  /** The store, noting how it is read. */
  private KvStore watched() {
    return (KvStore)
        Proxy.newProxyInstance(
            KvStore.class.getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("storeIterator")) {
                scans.add((KvScan) arguments[0]);
              } else if (method.getName().equals("get")) {
                pointReads.add(arguments.length == 2 ? arguments[1] : KvConsistency.ABSOLUTE);
              }
              return method.invoke(harness.store, arguments);
            });
  }

  private Set<String> scan(MaterializedIndex<ScannedIndexState> index, Entry known) {
    index.reset(ScannedIndexState.fresh("topic", Map.of(), null));
    index.change(
        batch -> {
          for (int i = 0; i < 2 * RECORDS; i++) {
            batch.put(People.key(i).toString().getBytes(StandardCharsets.UTF_8), known);
          }
        });
    ScanPlan plan = new ScanPlan(People.RECORD_SET, "1", false, false, 8, 3, HELD_ROWS, 1_000);
    Set<String> found = new HashSet<>();
    try (StoreScan scan =
        new StoreScan(
            plan,
            watched(),
            index,
            new OrderGuard(Duration.ofDays(1)),
            new ReadRateLimiter(0, 0),
            ScanPosition.START,
            key -> false)) {
      while (!scan.advance(5, 1_000, snapshotRead -> found.add(snapshotRead.toString()))) {
        assertThat(scan.heldRows()).isLessThanOrEqualTo(HELD_ROWS);
      }
      assertThat(scan.records()).isEqualTo(RECORDS);
    }
    return found;
  }

  @Test
  void holdsAFewRowsOfTheIndexHoweverManyThereAre() {
    SourceVersion old = new SourceVersion("1/old", new byte[] {1});
    try (MaterializedIndex<ScannedIndexState> index =
        ScannedIndexState.openIndex(directory.resolve("other"))) {
      Set<String> found = scan(index, new Entry(old, false, List.of(), 1, 1, 1, null));

      assertThat(found).hasSize(2 * RECORDS);
    }
    assertThat(scans).hasSizeGreaterThan(2 * RECORDS / HELD_ROWS);
  }

  @Test
  void readsWithAbsoluteConsistencySeveralPartitionsAtOnce() {
    SourceVersion old = new SourceVersion("1/old", new byte[] {1});
    try (MaterializedIndex<ScannedIndexState> index =
        ScannedIndexState.openIndex(directory.resolve("other"))) {
      scan(index, new Entry(old, false, List.of(), 1, 1, 1, null));
    }

    assertThat(scans)
        .allSatisfy(
            scan -> {
              assertThat(scan.consistency()).isEqualTo(KvConsistency.ABSOLUTE);
              assertThat(scan.concurrency()).isEqualTo(8);
              assertThat(scan.batchSize()).isEqualTo(3);
            });
    assertThat(pointReads).hasSize(RECORDS).containsOnly(KvConsistency.ABSOLUTE);
  }

  @Test
  void findsTheSameDifferencesHoweverFewRowsItHolds() {
    harness.setRate(0, HELD_ROWS);
    harness.restart();
    assertThat(harness.scan()).hasSize(RECORDS);
    harness.delete(3);
    harness.delete(59);
    harness.put(4, "Bob");
    harness.put(1_000, "Zoe");

    assertThat(ops(harness.scan())).containsExactly("c 1000", "d 3", "d 59", "u 4");
    assertThat(harness.scan()).isEmpty();
    harness.assertConverged();
  }

  @Test
  void goesOnWhereItWasAfterARestart() {
    harness.setRate(0, HELD_ROWS);
    harness.restart();
    harness.scan();
    long begin = offsets(harness.topic.bounds().ends());
    harness.restartAs("2");
    int before = harness.sent.size();
    pollUntilHalfIsPublished(before);
    harness.put(0, "Changed behind the scan");
    harness.restart();
    List<String> rest = ops(harness.scan());

    assertThat(rest).hasSizeBetween(RECORDS / 2 - HELD_ROWS, RECORDS / 2 + 2 * HELD_ROWS);
    assertThat(new HashSet<>(events(before))).hasSize(RECORDS);
    assertThat(harness.lastScan().getInt64("records")).isEqualTo(RECORDS);
    List<Struct> reached = harness.lastScan().getArray("offsets");
    assertThat(reached.stream().mapToLong(offset -> offset.getInt64("begin")).sum())
        .isEqualTo(begin);
    assertThat(ops(harness.scan())).containsExactly("u 0");
    harness.assertConverged();
  }

  private void pollUntilHalfIsPublished(int before) {
    while (events(before).size() < RECORDS / 2) {
      harness.pass(Duration.ofMillis(1));
      harness.poll();
    }
  }

  @Test
  void beginsAnAdHocSnapshotAnewAfterARestart() {
    harness.setRate(0, HELD_ROWS);
    harness.restart();
    harness.scan();
    harness.request(1);
    pollUntilHalfIsPublished(harness.sent.size());
    harness.restart();

    assertThat(ops(harness.scan())).hasSize(RECORDS);
    assertThat(harness.lastAdHocSnapshot().getInt64("request")).isEqualTo(1);
    harness.assertConverged();
  }

  private List<String> events(int from) {
    return ops(harness.sent.subList(from, harness.sent.size()));
  }

  private static long offsets(Map<Integer, Long> ends) {
    return ends.values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void beginsAnewWhenSomethingElseIsToBeScanned() {
    harness.setRate(0, HELD_ROWS);
    harness.restart();
    harness.scan();
    harness.request(1);
    pollUntilHalfIsPublished(harness.sent.size());
    harness.restartAs("2");

    assertThat(ops(harness.scan())).hasSize(RECORDS);
    harness.assertConverged();
  }

  @Test
  void keepsItsRateAndSendsHeartbeatsMeanwhile() {
    harness.setRate(20, HELD_ROWS);
    harness.restart();
    List<SourceRecord> events = harness.scan();

    assertThat(events).hasSize(RECORDS);
    long ms = harness.lastScan().getInt64("endedAt") - harness.lastScan().getInt64("startedAt");
    assertThat(ms).isBetween(1_900L, 2_300L);
    assertThat(harness.states()).hasSizeGreaterThan(2);
  }

  @Test
  void looksAtKeysWhoseOrderInTheIndexIsAnotherThanInTheStore() {
    List<KvKey> keys = new ArrayList<>();
    for (String name : Arrays.asList("a", "a b", "a.b", "a!", "a-", "-", "%", "ab", "é", "a/b")) {
      for (String last : List.of("", "x", "y")) {
        keys.add(KvKey.ofMajor("Corporate", "people", name, last));
        keys.add(KvKey.ofMajor("Corporate", "people", name, last).child("-"));
      }
    }
    harness.setRate(0, 1);
    harness.restart();
    keys.forEach(key -> harness.store.put(key, People.bytes("Ada")));
    harness.scan();
    for (int i = 0; i < keys.size(); i++) {
      if (i % 3 == 0) {
        harness.store.delete(keys.get(i));
      } else if (i % 3 == 1) {
        harness.store.put(keys.get(i), People.bytes("Bob"));
      }
    }
    harness.scan();
    harness.assertConverged();
    keys.forEach(key -> harness.store.put(key, People.bytes("Cy")));
    harness.scan();
    harness.assertConverged();
  }
}
