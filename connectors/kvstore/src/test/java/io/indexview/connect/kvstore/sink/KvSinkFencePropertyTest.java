package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.time.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Two tasks write one view, of which one has lost its partition without noticing; batches come
 * again, also after later ones; the store fails in every way.
 */
class KvSinkFencePropertyTest {
  private static final long FIRST_REVISION = System.currentTimeMillis();
  private static final int CHANGES = 60;

  private static TemporaryStore temporary;
  private static KvStore store;
  private static int tries;

  @BeforeContainer
  static void open() throws IOException {
    temporary = TemporaryStore.open();
    store = temporary.store();
  }

  @AfterContainer
  static void close() throws IOException {
    temporary.close();
  }

  @Property(tries = 60)
  void endsWithTheNewestOfEveryRowAndNeverGoesBack(@ForAll(supplier = Seeds.class) long seed) {
    check(new World(WriteMode.CONDITIONAL, "layout: key-value\ninclude: [name]", seed));
  }

  /** Lists are fenced in every mode. */
  @Property(tries = 40)
  void listsEndWithTheNewestOfEveryRowAndNeverGoBack(@ForAll(supplier = Seeds.class) long seed) {
    check(new World(WriteMode.OVERWRITE, "layout: list\nprimaryKeyForm: components", seed));
  }

  private static void check(World world) {
    world.run();

    assertThat(world.wentBack).isEmpty();
    assertThat(world.stored()).isEqualTo(world.newest);
  }

  /** What the mode is for: without it the same worlds go wrong. */
  @Example
  void overwriteHoldsNoLateTaskOff() {
    int wrong = 0;
    for (int seed = 0; seed < 20; seed++) {
      World world = new World(WriteMode.OVERWRITE, "layout: key-value\ninclude: [name]", seed);
      world.run();
      world.newest.values().removeIf(row -> row.startsWith("-"));
      wrong += world.stored().equals(world.newest) ? 0 : 1;
    }
    assertThat(wrong).isPositive();
  }

  private static final class World {
    private final Random random;
    private final ViewRows view;
    private final List<SinkRecord> log = new ArrayList<>();
    private final Map<String, String> newest = new TreeMap<>();
    private final Map<String, Long> highest = new TreeMap<>();
    private final List<String> wentBack = new ArrayList<>();
    private final FaultyKvStore faulty;
    private final KvStoreSinkSession owner;
    private final KvStoreSinkSession zombie;
    private int consumed;
    private boolean isZombieActive;

    private World(WriteMode mode, String form, long seed) {
      random = new Random(seed);
      view = new ViewRows("key: [org]\ntarget: kv\nprefix: P" + tries++ + "\n" + form);
      write();
      faulty = new FaultyKvStore(store, random, this::meanwhile);
      owner = session(mode, faulty.open());
      zombie = session(mode, new FaultyKvStore(store, random, this::scan).open());
    }

    private void write() {
      for (int i = 0; i < CHANGES; i++) {
        String org = "org" + random.nextInt(2);
        int number = random.nextInt(5);
        long revision = FIRST_REVISION + i;
        boolean isDelete = random.nextInt(3) == 0;
        log.add(
            isDelete
                ? view.delete(org, 0, number, revision)
                : view.upsert(org, 0, number, revision));
        newest.put(org + "/" + number, (isDelete ? "-" : "+") + revision);
      }
    }

    private KvStoreSinkSession session(WriteMode mode, KvStore opened) {
      return new KvStoreSinkSession(
          new FakeSinkContext(),
          () -> opened,
          new KvStoreSinkSession.Settings(
              mode,
              1,
              KvRowWriter.MIN_IN_BULK,
              KvSinkHarness.NEVER_SLOW,
              1 << 20,
              random.nextLong(5) * WrittenRecords.OVERHEAD_BYTES,
              new TombstoneRemovals.Settings(Duration.ofDays(15), Duration.ofDays(1), 1_000),
              () -> new Backoff(Duration.ofMillis(1), Duration.ofMillis(1)),
              "indexview.view-states",
              List.of("META")),
          Time.SYSTEM);
    }

    private void run() {
      while (consumed < log.size()) {
        int end = Math.min(log.size(), consumed + 1 + random.nextInt(8));
        put(owner, consumed, end);
        consumed = end;
        if (random.nextInt(6) == 0) {
          consumed = Math.max(0, consumed - random.nextInt(12));
        }
      }
      zombieWrites();
      faulty.heal();
      put(owner, log.size() - 1, log.size());
      scan();
      owner.close();
      zombie.close();
    }

    /** As the worker does: the same batch until it is applied. */
    private void put(KvStoreSinkSession session, int from, int to) {
      boolean isApplied = false;
      while (!isApplied) {
        isApplied = tryPut(session, from, to);
      }
    }

    private boolean tryPut(KvStoreSinkSession session, int from, int to) {
      try {
        session.put(log.subList(from, to));
        return true;
      } catch (RetriableException e) {
        return false;
      }
    }

    /** Inside a request of the owner: between what it has read and what it writes. */
    private void meanwhile() {
      scan();
      if (random.nextInt(5) == 0) {
        zombieWrites();
      }
    }

    private void zombieWrites() {
      if (isZombieActive) {
        return;
      }
      isZombieActive = true;
      int from = random.nextInt(Math.max(1, consumed));
      tryPut(zombie, from, Math.min(log.size(), from + 1 + random.nextInt(8)));
      isZombieActive = false;
    }

    /** Revisions of rows only rise, and no row is ever gone again. */
    private void scan() {
      Map<String, Long> revisions = new TreeMap<>();
      view.byName(store)
          .forEach((row, stored) -> revisions.put(row, stored.revision().orElseThrow()));
      highest.forEach(
          (row, revision) -> {
            if (revisions.getOrDefault(row, -1L) < revision) {
              wentBack.add(row + " " + revision + " " + revisions.get(row));
            }
          });
      highest.putAll(revisions);
    }

    private Map<String, String> stored() {
      Map<String, String> stored = new TreeMap<>();
      view.byName(store)
          .forEach(
              (name, row) ->
                  stored.put(name, (row.deleted() ? "-" : "+") + row.revision().orElseThrow()));
      return stored;
    }
  }
}
