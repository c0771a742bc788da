package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.layout.StoredRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that holds up one request while it answers the others. */
class KvSinkSlowRequestsTest extends KvSinkHarness {
  private final ViewRows view =
      new ViewRows("key: [org]\ninclude: [name]\nlayout: key-value\ntarget: kv");
  private final TopicPartition partition = new TopicPartition(view.generation.viewTopic(), 0);
  private final CountDownLatch answers = new CountDownLatch(1);
  private volatile RuntimeException failure;
  private WriteMode mode = WriteMode.OVERWRITE;

  @Override
  WriteMode mode() {
    return mode;
  }

  @Override
  Duration slow() {
    return Duration.ofMillis(50);
  }

  /** The first request for a row of Support is held up. */
  private void holdUp() {
    CountDownLatch first = new CountDownLatch(1);
    fault =
        (method, arguments) -> {
          if (first.getCount() == 1 && arguments[0] instanceof KvKey key && isOf(key, "Support")) {
            first.countDown();
            await(answers);
            if (failure != null) {
              throw failure;
            }
          }
        };
  }

  private static boolean isOf(KvKey key, String org) {
    return key.major().contains(org) || key.minor().contains(org);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void answer() {
    answers.countDown();
  }

  private long committable() {
    return session
        .committable(Map.of(partition, new OffsetAndMetadata(view.offset())))
        .get(partition)
        .offset();
  }

  /** As the worker does when nothing comes. */
  private void putUntilAllIsDone() {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (committable() < view.offset()) {
      assertThat(System.nanoTime()).isLessThan(end);
      session.put(List.of());
    }
  }

  private Collection<String> names() {
    return rows(view.generation).stream().map(row -> (String) row.values().get("name")).toList();
  }

  private List<KvKey> metadata() {
    List<KvKey> keys = new ArrayList<>();
    try (var found = store.storeKeysIterator(KvScan.under(KvKey.ofMajor("META")))) {
      found.forEachRemaining(keys::add);
    }
    keys.removeIf(key -> key.minor().isEmpty());
    return keys;
  }

  @Test
  void holdsUpNoOtherRows() {
    holdUp();
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    session.put(List.of(view.upsert("Ops", 0, 3, 7)));

    assertThat(rows(view.generation))
        .extracting(StoredRow::primaryKey)
        .containsExactlyInAnyOrder("/Corporate/people/2", "/Corporate/people/3");
    assertThat(committable()).isZero();

    answers.countDown();
    putUntilAllIsDone();
    assertThat(names()).containsExactlyInAnyOrder("Ann 1", "Ann 2", "Ann 3");
  }

  @Test
  void holdsUpNewerChangesOfTheSameRow() {
    holdUp();
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    session.put(
        List.of(
            view.upsert("Support", 0, 1, 8, "Bob"),
            view.upsert("Ops", 0, 3, 7),
            view.upsert("Support", 0, 1, 9, "Cid")));
    session.put(List.of(view.upsert("Ops", 0, 3, 8, "Dan")));
    assertThat(names()).containsExactlyInAnyOrder("Ann 2", "Dan");
    assertThat(committable()).isZero();

    answers.countDown();
    putUntilAllIsDone();
    assertThat(names()).containsExactlyInAnyOrder("Cid", "Ann 2", "Dan");
  }

  @Test
  void waitsWhenItHoldsUpManyChanges() throws Exception {
    holdUp();
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    List<SinkRecord> newer = new ArrayList<>();
    for (int i = 0; i < SlowRequests.MAX_NEWER; i++) {
      newer.add(view.upsert("Support", 0, 1, 8 + i));
    }
    session.put(newer);
    Future<?> more =
        CompletableFuture.runAsync(
            () -> session.put(List.of(view.upsert("Support", 0, 1, 5_000, "Bob"))));
    assertThatThrownBy(() -> more.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    answers.countDown();
    more.get(1, TimeUnit.MINUTES);
    putUntilAllIsDone();
    assertThat(names()).containsExactlyInAnyOrder("Bob", "Ann 2");
  }

  @Test
  void forgetsChangesThatItHoldsUpWhenTheirPartitionsAreLost() {
    holdUp();
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    session.put(List.of(view.upsert("Support", 0, 1, 8, "Bob")));

    answers.countDown();
    session.revoke(List.of(partition));
    calls.clear();
    session.put(List.of());
    assertThat(calls).isEmpty();
    assertThat(names()).containsExactlyInAnyOrder("Ann 1", "Ann 2");
  }

  @Test
  void writesRowsAgainWhoseRequestFailedLater() {
    holdUp();
    failure = new KvStoreException.Unavailable("no quorum");
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    session.put(List.of(view.upsert("Support", 0, 1, 8, "Bob")));

    answers.countDown();
    assertThatThrownBy(this::putUntilAllIsDone)
        .isInstanceOf(RetriableException.class)
        .hasMessageContaining("no quorum");
    assertThat(names()).containsExactly("Ann 2");
    assertThat(committable()).isZero();

    session.put(List.of());
    assertThat(names()).containsExactlyInAnyOrder("Bob", "Ann 2");
    assertThat(committable()).isEqualTo(view.offset());
  }

  @Test
  void reportsWhatTheStoreRefusesLater() {
    holdUp();
    failure = new KvStoreException.Refused("too large");
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    assertThat(context.rejected()).isEmpty();

    answers.countDown();
    putUntilAllIsDone();
    assertThat(context.rejected()).containsExactly(partition + "@0: too large");
  }

  private List<SinkRecord> bulk(int count) {
    List<SinkRecord> batch = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      batch.add(view.upsert("org" + i, 0, i, 7));
    }
    return batch;
  }

  @Test
  void findsTheRowOfASlowBulkThatTheStoreRefuses() {
    fault =
        (method, arguments) -> {
          if (method.equals("putAll")) {
            await(answers);
            throw new KvStoreException.Refused("too large");
          }
          if (arguments[0] instanceof KvKey key && isOf(key, "org3")) {
            throw new KvStoreException.Refused("too large");
          }
        };
    session.put(bulk(KvRowWriter.MIN_IN_BULK));
    assertThat(names()).isEmpty();

    answers.countDown();
    putUntilAllIsDone();
    assertThat(context.rejected()).containsExactly(partition + "@3: too large");
    assertThat(names()).hasSize(KvRowWriter.MIN_IN_BULK - 1);
  }

  @Test
  void waitsForALargeBulk() throws Exception {
    waitsForTheLastOf(List.of(bulk(KvRowWriter.MAX_IN_SLOW_BULK + 1)), Set.of(1));
  }

  @Test
  void waitsForOtherBulksWhileOneIsSlow() throws Exception {
    List<SinkRecord> rows = bulk(3 * KvRowWriter.MIN_IN_BULK);
    List<List<SinkRecord>> bulks = new ArrayList<>();
    for (int i = 0; i < rows.size(); i += KvRowWriter.MIN_IN_BULK) {
      bulks.add(rows.subList(i, i + KvRowWriter.MIN_IN_BULK));
    }
    waitsForTheLastOf(bulks, Set.of(1, 3));
  }

  @Test
  void waitsForABulkOfLargeRows() throws Exception {
    String large = "x".repeat((int) SlowRequests.MAX_BYTES / KvRowWriter.MIN_IN_BULK);
    List<SinkRecord> rows = new ArrayList<>();
    for (int i = 0; i < KvRowWriter.MIN_IN_BULK; i++) {
      rows.add(view.upsert("org" + i, 0, i, 7, large));
    }
    waitsForTheLastOf(List.of(rows), Set.of(1));
  }

  /**
   * @param heldUp which of the bulks the store does not answer, from 1 on
   */
  private void waitsForTheLastOf(List<List<SinkRecord>> bulks, Set<Integer> heldUp)
      throws Exception {
    AtomicInteger number = new AtomicInteger();
    fault =
        (method, arguments) -> {
          if (method.equals("putAll") && heldUp.contains(number.incrementAndGet())) {
            await(answers);
          }
        };
    bulks.subList(0, bulks.size() - 1).forEach(session::put);
    List<SinkRecord> last = bulks.get(bulks.size() - 1);
    Future<?> put = CompletableFuture.runAsync(() -> session.put(last));
    assertThatThrownBy(() -> put.get(500, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    answers.countDown();
    put.get(1, TimeUnit.MINUTES);
    putUntilAllIsDone();
    assertThat(names()).hasSize(bulks.stream().mapToInt(List::size).sum());
  }

  @Test
  void waitsForWritesThatAreFenced() throws Exception {
    mode = WriteMode.CONDITIONAL;
    session.close();
    session = session();
    holdUp();
    Future<?> put =
        CompletableFuture.runAsync(
            () ->
                session.put(
                    List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7))));
    assertThatThrownBy(() -> put.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    answers.countDown();
    put.get(1, TimeUnit.MINUTES);
    assertThat(names()).hasSize(2);
  }

  /** Each poll would leave some more in flight until a timeout tells of the outage. */
  @Test
  void leavesNothingInFlightWhileTheStoreDoesNotAnswer() {
    holdUp();
    failure = new KvStoreException.Unavailable("no quorum");
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    answers.countDown();
    assertThatThrownBy(this::putUntilAllIsDone).isInstanceOf(RetriableException.class);
    fault =
        (method, arguments) -> {
          LockSupport.parkNanos(slow().multipliedBy(2).toNanos());
          throw failure;
        };

    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> session.put(List.of(view.upsert("Ops", 0, 3, 7))))
          .isInstanceOf(RetriableException.class)
          .hasMessageContaining("no quorum");
    }
    assertThat(context.timeouts()).endsWith(50L, 100L, 200L, 400L);
  }

  @Test
  void keepsRowsToWriteAgainOfPartitionsThatItKeeps() {
    ViewRows other =
        new ViewRows("w", 1, "key: [org]\ninclude: [name]\nlayout: key-value\ntarget: kv");
    holdUp();
    failure = new KvStoreException.Unavailable("no quorum");
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    answers.countDown();

    session.revoke(List.of(new TopicPartition(other.generation.viewTopic(), 0)));
    assertThatThrownBy(this::putUntilAllIsDone).isInstanceOf(RetriableException.class);
    putUntilAllIsDone();
    assertThat(names()).containsExactlyInAnyOrder("Ann 1", "Ann 2");
  }

  @Test
  void givesPartitionsAwayOnlyWhenNothingIsInFlight() throws Exception {
    holdUp();
    failure = new KvStoreException.Unavailable("no quorum");
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    Future<?> revoked = CompletableFuture.runAsync(() -> session.revoke(List.of(partition)));
    assertThatThrownBy(() -> revoked.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    answers.countDown();
    revoked.get(1, TimeUnit.MINUTES);
    calls.clear();
    session.put(List.of());
    assertThat(calls).isEmpty();
    assertThat(names()).containsExactly("Ann 2");
  }

  @Test
  void forgetsRowsToWriteAgainWhenTheirPartitionsAreLost() {
    holdUp();
    failure = new KvStoreException.Unavailable("no quorum");
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    session.put(List.of(view.upsert("Support", 0, 1, 8, "Bob")));
    answers.countDown();
    assertThatThrownBy(this::putUntilAllIsDone).isInstanceOf(RetriableException.class);

    session.revoke(List.of(partition));
    session.put(List.of());

    assertThat(names()).containsExactly("Ann 2");
  }

  @Test
  void appliesStatesWhenAllRowsBeforeThemAreWritten() throws Exception {
    holdUp();
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    SinkRecord state =
        new StateRecords()
            .of(ViewStates.state("v", 1, State.READY, Map.of(view.generation, Role.SERVING)));
    Future<?> applied = CompletableFuture.runAsync(() -> session.put(List.of(state)));
    assertThatThrownBy(() -> applied.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    assertThat(metadata()).isEmpty();

    answers.countDown();
    applied.get(1, TimeUnit.MINUTES);
    assertThat(names()).containsExactlyInAnyOrder("Ann 1", "Ann 2");
    assertThat(metadata()).hasSize(1);
  }

  @Test
  void appliesStatesWhenAllRowsBesideThemAreWritten() throws Exception {
    holdUp();
    SinkRecord state =
        new StateRecords()
            .of(ViewStates.state("v", 1, State.READY, Map.of(view.generation, Role.SERVING)));
    Future<?> applied =
        CompletableFuture.runAsync(
            () ->
                session.put(
                    List.of(
                        view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7), state)));
    assertThatThrownBy(() -> applied.get(300, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    assertThat(metadata()).isEmpty();

    answers.countDown();
    applied.get(1, TimeUnit.MINUTES);
    assertThat(metadata()).hasSize(1);
  }

  @Test
  void isHeldUpWhenAsManyRequestsAreAsItMayHave() throws Exception {
    fault =
        (method, arguments) -> {
          if (arguments[0] instanceof KvKey) {
            await(answers);
          }
        };
    session.put(List.of(view.upsert("Support", 0, 1, 7), view.upsert("Sales", 0, 2, 7)));
    Future<?> put =
        CompletableFuture.runAsync(() -> session.put(List.of(view.upsert("Ops", 0, 3, 7))));
    assertThatThrownBy(() -> put.get(500, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);

    answers.countDown();
    put.get(1, TimeUnit.MINUTES);
    putUntilAllIsDone();
    assertThat(names()).hasSize(3);
  }
}
