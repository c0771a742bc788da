package io.indexview.demo.load;

import static org.awaitility.Awaitility.await;

import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two instances of the app, each a standby of the other, are killed one after the other while
 * records change, and come back with the state somewhere else: from disk to memory and back. With
 * its state in memory one stands still until it is fenced, too. What each has is as committed. Logs
 * are in {@code target/state-store-change}.
 */
@Timeout(900)
@ExhaustiveTier
class StateStoreChangeIT {
  private static final String STORE = "records-" + Orders.NAME;

  @TempDir private Path directory;

  private void killAndStart(InstancesShop app, String name, String stateStore) throws Exception {
    app.instances().kill(name);
    app.instances().settings().put("record.set.orders.state.store", stateStore);
    app.instances().start(name);
    // The other one has taken the tasks over meanwhile.
    app.awaitTasksOf(app.instances().names());
    app.awaitTakenSoFar();
  }

  /** It wakes up with entries of a transaction that was aborted, and newer ones elsewhere. */
  private void fence(InstancesShop app, String still, String other) throws Exception {
    app.instances().suspend(still);
    app.awaitTasksOf(Set.of(other));
    app.awaitTakenSoFar();
    app.instances().resume(still);
    app.awaitTasksOf(Set.of(still, other));
    app.instances().awaitReady(still);
    app.awaitTakenSoFar();
  }

  /** What RocksDB has of the entries of all tasks. */
  private List<Path> onDisk(String name) throws IOException {
    try (Stream<Path> paths = Files.walk(directory.resolve("instances").resolve(name))) {
      return paths.filter(path -> path.endsWith(Path.of("rocksdb", STORE))).toList();
    }
  }

  private void awaitOnDisk(String name, boolean expected) {
    await()
        .atMost(InstancesShop.TIMEOUT)
        // What another process lists may be gone when it is looked at.
        .ignoreExceptionsInstanceOf(UncheckedIOException.class)
        .until(() -> !onDisk(name).isEmpty() == expected);
  }

  @Test
  void isExactAfterInstancesDiedAndCameBackWithAnotherStateStore() throws Exception {
    try (InstancesShop app =
        InstancesShop.open(directory, Path.of("target", "state-store-change"))) {
      awaitOnDisk("one", true);
      try (KnownOrders.Writing writing = app.write()) {
        app.awaitTasksOf(Set.of("one", "two"));
        killAndStart(app, "one", "memory");
        awaitOnDisk("one", false);
        // All that it has now comes from a standby in memory.
        killAndStart(app, "two", "memory");
        awaitOnDisk("two", false);
        fence(app, "two", "one");
      }
      app.assertExact();
      try (KnownOrders.Writing writing = app.write()) {
        killAndStart(app, "one", "rocksdb");
        awaitOnDisk("one", true);
      }
      app.assertExact();
    }
  }
}
