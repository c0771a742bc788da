package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.time.Time;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * Every request that is not answered at once is left in flight; requests take their time, fail
 * before and after they are done, and refuse rows; partitions go to a next task, which begins where
 * the last one committed.
 */
class KvSinkSlowRequestsPropertyTest {
  private static final int CHANGES = 80;
  private static final String REFUSED = "org5";

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
  void endsWithTheNewestOfEveryRow(@ForAll(supplier = Seeds.class) long seed) {
    World world = new World(seed);

    world.run();

    assertThat(world.stored()).isEqualTo(world.newest(world.log.size()));
    assertThat(world.wrongCommits).isEmpty();
    assertThat(world.rejected).allMatch(row -> row.endsWith(": not this one"));
  }

  private static final class World {
    private final Random random;
    private final Random ofRequests;
    private final ViewRows view;
    private final TopicPartition partition;
    private final List<SinkRecord> log = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();
    private final List<String> wrongCommits = new ArrayList<>();
    private final List<String> rejected = new ArrayList<>();
    private FakeSinkContext context = new FakeSinkContext();
    private KvStoreSinkSession session;
    private boolean isFaulty = true;
    private long committed;
    private int consumed;

    /** Rows up to here may have been written. */
    private int reached;

    private World(long seed) {
      random = new Random(seed);
      ofRequests = new Random(seed + 1);
      view =
          new ViewRows(
              "key: [org]\ntarget: kv\nlayout: key-value\ninclude: [name]\nprefix: S" + tries++);
      partition = new TopicPartition(view.generation.viewTopic(), 0);
      for (int i = 0; i < CHANGES; i++) {
        String org = "org" + random.nextInt(6);
        int number = random.nextInt(10);
        boolean isDelete = random.nextInt(3) == 0;
        log.add(isDelete ? view.delete(org, 0, number, i) : view.upsert(org, 0, number, i));
        rows.add(org + "/" + number);
      }
      session = session();
    }

    private KvStoreSinkSession session() {
      return new KvStoreSinkSession(
          context,
          () -> ObservedKvStore.of(store, this::before),
          new KvStoreSinkSession.Settings(
              WriteMode.OVERWRITE,
              2 + random.nextInt(7),
              2 + random.nextInt(4),
              Duration.ZERO,
              1 << 20,
              0,
              new TombstoneRemovals.Settings(Duration.ofDays(15), Duration.ofDays(1), 1_000),
              () -> new Backoff(Duration.ofMillis(1), Duration.ofMillis(1)),
              "indexview.view-states",
              List.of("META")),
          Time.SYSTEM);
    }

    private synchronized int next(int bound) {
      return ofRequests.nextInt(bound);
    }

    private void before(String method, Object[] arguments) {
      if (next(3) == 0) {
        LockSupport.parkNanos(next(3_000_000));
      }
      if ((method.equals("put") || method.equals("execute") || method.equals("putAll"))
          && arguments[0].toString().contains(REFUSED)) {
        throw new KvStoreException.Refused("not this one");
      }
      if (isFaulty && next(12) == 0) {
        if (method.equals("put") && next(2) == 0) {
          store.put((KvKey) arguments[0], (byte[]) arguments[1]);
        }
        if (method.equals("putAll")) {
          putSome((Map<?, ?>) arguments[0]);
        }
        throw new KvStoreException.Unavailable("no answer");
      }
    }

    private void putSome(Map<?, ?> rows) {
      rows.forEach(
          (key, value) -> {
            if (next(2) == 0) {
              store.put((KvKey) key, (byte[]) value);
            }
          });
    }

    private void run() {
      while (consumed < log.size()) {
        int end = Math.min(log.size(), consumed + random.nextInt(12));
        put(consumed, end);
        consumed = end;
        commit();
        if (random.nextInt(10) == 0) {
          nextTask();
        }
      }
      isFaulty = false;
      while (committed < log.size()) {
        put(log.size(), log.size());
        commit();
      }
      session.close();
      rejected.addAll(context.rejected());
    }

    /** As the worker does: the same batch until it is applied. */
    private void put(int from, int to) {
      reached = Math.max(reached, to);
      while (true) {
        try {
          session.put(log.subList(from, to));
          return;
        } catch (RetriableException e) {
          commit();
        }
      }
    }

    private void commit() {
      long before = committed;
      committed =
          session
              .committable(Map.of(partition, new OffsetAndMetadata(consumed)))
              .get(partition)
              .offset();
      if (committed < before) {
        wrongCommits.add(before + " to " + committed);
      }
      // What is committed comes never again, so that it has to be there, or something newer.
      Map<String, Long> stored = stored();
      Map<String, Long> newest = newest((int) committed);
      Set<String> settled = new TreeSet<>(rows.subList(0, (int) committed));
      settled.removeAll(rows.subList((int) committed, reached));
      for (String row : settled) {
        if (!Objects.equals(newest.get(row), stored.get(row))) {
          wrongCommits.add(row + ": " + newest.get(row) + ", but there is " + stored.get(row));
        }
      }
    }

    private void nextTask() {
      session.revoke(List.of(partition));
      Map<String, Long> left = stored();
      session.put(List.of());
      if (!stored().equals(left)) {
        wrongCommits.add("a task writes rows of a partition that it lost");
      }
      if (random.nextBoolean()) {
        session.close();
        rejected.addAll(context.rejected());
        context = new FakeSinkContext();
        session = session();
      }
      consumed = (int) committed;
    }

    private Map<String, Long> newest(int to) {
      Map<String, Long> newest = new TreeMap<>();
      for (int i = 0; i < to; i++) {
        boolean isRow = log.get(i).value() != null && !rows.get(i).startsWith(REFUSED);
        newest.remove(rows.get(i));
        if (isRow) {
          newest.put(rows.get(i), (long) i);
        }
      }
      return newest;
    }

    private Map<String, Long> stored() {
      Map<String, Long> stored = new TreeMap<>();
      view.byName(store).forEach((name, row) -> stored.put(name, row.revision().orElseThrow()));
      return stored;
    }
  }
}
