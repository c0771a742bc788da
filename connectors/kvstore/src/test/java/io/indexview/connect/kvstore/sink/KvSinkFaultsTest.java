package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.views.layout.StoredRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a store can do to a batch, and what becomes of the batch, its offsets and its view. */
class KvSinkFaultsTest extends KvSinkHarness {
  private static final Duration HOLD = Duration.ofMillis(500);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final String NAMED = "key: [org]\ninclude: [name]\ntarget: kv\n";

  private final ViewRows first = new ViewRows("a", 1, "key: [org]\nlayout: key-value\ntarget: kv");
  private final ViewRows second = new ViewRows("b", 1, "key: [org]\nlayout: list\ntarget: kv");
  private final TopicPartition firstPartition = partition(first);
  private final TopicPartition secondPartition = partition(second);
  private WriteMode mode = WriteMode.OVERWRITE;

  /** Where a store fails in a batch of several requests. */
  enum Moment {
    OPENING,
    FIRST_CALL,
    LATER_CALL,
    AFTER_IT_WAS_DONE
  }

  @Override
  WriteMode mode() {
    return mode;
  }

  private static TopicPartition partition(ViewRows rows) {
    return new TopicPartition(rows.generation.viewTopic(), 0);
  }

  private void use(WriteMode wanted) {
    mode = wanted;
    session.close();
    session = session();
  }

  private List<SinkRecord> batch() {
    List<SinkRecord> batch = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      batch.add(first.upsert("Org " + i % 2, 0, i, 7));
      batch.add(second.upsert("Org " + i % 2, 0, i, 7));
    }
    return batch;
  }

  private void failAt(Moment moment, Supplier<? extends RuntimeException> failure) {
    AtomicInteger seen = new AtomicInteger();
    opening =
        () -> {
          if (moment == Moment.OPENING) {
            throw failure.get();
          }
        };
    fault =
        (method, arguments) -> {
          int call = seen.incrementAndGet();
          if (moment == Moment.FIRST_CALL || moment == Moment.LATER_CALL && call > 2) {
            throw failure.get();
          } else if (moment == Moment.AFTER_IT_WAS_DONE && method.equals("execute")) {
            doIt(arguments);
            throw failure.get();
          }
        };
  }

  @SuppressWarnings("unchecked")
  private void doIt(Object[] arguments) {
    store.execute((List<KvOperation>) arguments[0]);
  }

  private void heal() {
    opening = () -> {};
    fault = (method, arguments) -> {};
  }

  static Stream<Arguments> outages() {
    return Stream.of(WriteMode.values())
        .flatMap(mode -> Stream.of(Moment.values()).map(moment -> arguments(mode, moment)));
  }

  /** Store gone, partition moving, no quorum: the store says only that it is not available. */
  @ParameterizedTest
  @MethodSource("outages")
  void losesNothingAndReportsNothingWhileTheStoreIsNotAvailable(WriteMode each, Moment moment) {
    use(each);
    List<SinkRecord> batch = batch();
    failAt(moment, () -> new KvStoreException.Unavailable("no quorum"));
    for (int i = 0; i < (moment == Moment.AFTER_IT_WAS_DONE ? 1 : 3); i++) {
      assertThatThrownBy(() -> session.put(batch))
          .isInstanceOf(RetriableException.class)
          .hasMessageContaining("no quorum");
      assertThat(session.committable(consumed(batch)))
          .containsEntry(firstPartition, offset(batch, 0))
          .containsEntry(secondPartition, offset(batch, 1));
    }

    heal();
    session.put(batch);
    assertThat(session.committable(consumed(batch))).isEqualTo(consumed(batch));
    assertThat(rows(first.generation)).hasSize(4);
    assertThat(rows(second.generation)).hasSize(4);
    assertThat(context.rejected()).isEmpty();
  }

  @Test
  void saysOncePerOutageThatRowsCannotBeWritten() {
    List<SinkRecord> batch = batch();
    try (LogLines log = LogLines.of(KvStoreSinkSession.class)) {
      for (int outage = 0; outage < 2; outage++) {
        failAt(Moment.FIRST_CALL, () -> new KvStoreException.Unavailable("no quorum"));
        for (int attempt = 0; attempt < 3; attempt++) {
          assertThatThrownBy(() -> session.put(batch)).isInstanceOf(RetriableException.class);
        }
        heal();
        session.put(batch);
        session.put(batch());
      }

      String waiting =
          "Rows cannot be written now, and will be when they can: the store is not available: no quorum";
      String again = "Rows are written again: tries=4";
      assertThat(log.get()).containsExactly(waiting, again, waiting, again);
    }
  }

  private static OffsetAndMetadata offset(List<SinkRecord> batch, int index) {
    return new OffsetAndMetadata(batch.get(index).originalKafkaOffset());
  }

  private Map<TopicPartition, OffsetAndMetadata> consumed(List<SinkRecord> batch) {
    return Map.of(
        firstPartition,
        new OffsetAndMetadata(batch.get(batch.size() - 2).originalKafkaOffset() + 1),
        secondPartition,
        new OffsetAndMetadata(batch.get(batch.size() - 1).originalKafkaOffset() + 1));
  }

  /** A directory that is not ours, no permission, a client that is too old. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AFTER_IT_WAS_DONE")
  void endsTheTaskWhenSomebodyMustChangeSomething(Moment moment) {
    List<SinkRecord> batch = batch();
    failAt(moment, () -> new KvStoreException.Misconfigured("the user may not write"));

    assertThatThrownBy(() -> session.put(batch))
        .isInstanceOf(KvStoreException.Misconfigured.class)
        .hasMessageContaining("the user may not write");
    assertThat(session.committable(consumed(batch)))
        .containsEntry(firstPartition, offset(batch, 0))
        .containsEntry(secondPartition, offset(batch, 1));
    assertThat(context.rejected()).isEmpty();

    heal();
    session.close();
    session = session();
    session.put(batch);
    assertThat(rows(first.generation)).hasSize(4);
    assertThat(rows(second.generation)).hasSize(4);
  }

  /** Too large or too long: that of a row alone, however it was sent. */
  @ParameterizedTest
  @EnumSource
  void reportsARefusedRowAndAppliesAllOthers(WriteMode each) {
    use(each);
    List<SinkRecord> batch = batch();
    SinkRecord tooLarge = batch.get(2);
    KvRowWrite refused = new RowMapper(each, MAX_VALUE_BYTES).map(tooLarge);
    fault =
        (method, arguments) -> {
          boolean isOfIt =
              arguments[0].equals(refused.key())
                  || arguments[0] instanceof List<?> operations
                      && operations.stream()
                          .anyMatch(
                              operation -> ((KvOperation) operation).key().equals(refused.key()));
          if (isOfIt && !method.equals("get")) {
            throw new KvStoreException.Refused("1,048,577 bytes are too many");
          }
        };

    session.put(batch);

    assertThat(context.rejected())
        .containsExactly(
            "%s-0@%d: 1,048,577 bytes are too many"
                .formatted(firstPartition.topic(), tooLarge.originalKafkaOffset()));
    assertThat(rows(first.generation))
        .extracting(row -> row.primaryKey().replaceFirst(".*/", ""))
        .containsExactlyInAnyOrder("0", "2", "3");
    assertThat(rows(second.generation)).hasSize(4);
    assertThat(session.committable(consumed(batch))).isEqualTo(consumed(batch));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void givesUpRevokedPartitionsAndKeepsTheOthers(boolean comesBack) {
    List<SinkRecord> batch = batch();
    failAt(Moment.LATER_CALL, () -> new KvStoreException.Unavailable("no answer"));
    assertThatThrownBy(() -> session.put(batch)).isInstanceOf(RetriableException.class);

    session.revoke(Set.of(secondPartition));
    assertThat(session.committable(Map.of()))
        .containsExactly(Map.entry(firstPartition, offset(batch, 0)));

    heal();
    List<SinkRecord> left =
        batch.stream().filter(record -> record.topic().equals(firstPartition.topic())).toList();
    session.put(left);
    assertThat(session.committable(Map.of()))
        .containsExactly(Map.entry(firstPartition, consumed(batch).get(firstPartition)));

    if (comesBack) {
      batch.removeAll(left);
      session.put(batch);
      assertThat(session.committable(Map.of())).hasSize(2);
      assertThat(rows(second.generation)).hasSize(4);
    }
    assertThat(rows(first.generation)).hasSize(4);
  }

  /** The first request is held until the call returns; a right one does not, so not for long. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void hasNothingInFlightWhenABatchIsAppliedOrGivenUp(boolean isGivenUp) {
    AtomicInteger requests = new AtomicInteger();
    AtomicInteger running = new AtomicInteger();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    fault =
        (method, arguments) -> {
          if (method.equals("execute") && requests.getAndIncrement() == 0) {
            running.incrementAndGet();
            held.countDown();
            comes(over, HOLD);
            running.decrementAndGet();
          } else if (method.equals("execute")) {
            assertThat(comes(held, TIMEOUT)).isTrue();
            if (isGivenUp) {
              throw new KvStoreException.Unavailable("no answer");
            }
          }
        };

    Throwable thrown = catchThrowable(() -> session.put(batch()));
    int inFlight = running.get();
    int seen = calls.size();
    over.countDown();
    session.close();

    if (isGivenUp) {
      assertThat(thrown).isInstanceOf(RetriableException.class);
    } else {
      assertThat(thrown).isNull();
    }
    assertThat(requests).hasValueGreaterThan(1);
    assertThat(inFlight).isZero();
    assertThat(calls).hasSize(seen);
  }

  /** A server that has no room for a value goes down each time it comes. */
  @ParameterizedTest
  @EnumSource
  void reportsARowWithTooLargeAValueAndNeverSendsIt(WriteMode each) {
    use(each);
    ViewRows named = new ViewRows("n", 1, NAMED + "layout: key-value");
    SinkRecord fits = named.upsert("A", 0, 1, 7, "x".repeat(MAX_VALUE_BYTES - 100));
    SinkRecord tooLarge = named.upsert("A", 0, 2, 7, "x".repeat(MAX_VALUE_BYTES));

    session.put(List.of(fits, tooLarge));

    assertThat(context.rejected())
        .singleElement()
        .asString()
        .contains(
            "-0@1: field \"name\" makes the row's value too large: it takes 10486",
            "kvstore.value.max.bytes is 1048576; leave the field out of the view's include, or raise"
                + " kvstore.value.max.bytes")
        .doesNotContain("xxx");
    assertThat(rows(named.generation))
        .singleElement()
        .extracting(StoredRow::primaryKey)
        .isEqualTo("/Corporate/people/1");
  }

  @Test
  void reportsTheRowThatMakesAListTooLargeAndLetsRowsGo() {
    ViewRows listed = new ViewRows("n", 1, NAMED + "layout: list");
    String half = "x".repeat(MAX_VALUE_BYTES / 2 - 200);
    session.put(List.of(listed.upsert("A", 0, 1, 1, half)));
    session.put(
        List.of(
            listed.upsert("A", 0, 2, 2, half),
            listed.upsert("A", 0, 3, 3, half),
            listed.upsert("B", 0, 3, 4, half)));

    assertThat(context.rejected())
        .singleElement()
        .asString()
        .contains("-0@2: the record that lists the row would take", "the sink writes 1048576;");
    assertThat(rows(listed.generation)).hasSize(3);

    session.put(List.of(listed.delete("A", 0, 1, 5), listed.upsert("A", 0, 3, 6, half)));
    assertThat(context.rejected()).hasSize(1);
    assertThat(rows(listed.generation)).filteredOn(row -> !row.deleted()).hasSize(3);
  }

  private static boolean comes(CountDownLatch latch, Duration timeout) {
    try {
      return latch.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException("a request was interrupted", e);
    }
  }
}
