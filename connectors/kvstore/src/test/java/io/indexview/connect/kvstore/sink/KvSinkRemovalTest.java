package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStoreException;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KvSinkRemovalTest extends KvSinkHarness {
  private static final String HOT = "key: [org, cost]\nshardKey: 1\ntarget: kv";

  private final StateRecords control = new StateRecords();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final ViewRows retired = new ViewRows("a", 1, HOT);
  private TopicPartition partition = new TopicPartition(retired.generation.viewTopic(), 0);

  @AfterEach
  void openGate() {
    gate.countDown();
  }

  @Test
  void removesAllRowsOfTheGenerationAndNoOther() {
    List<ViewRows> others =
        List.of(
            new ViewRows("a", 2, HOT),
            new ViewRows("a-b", 1, "key: [org]\nlayout: key-value\ntarget: kv"),
            new ViewRows("a-b", 2, "key: [org]\ntarget: kv"),
            new ViewRows("a", 3, "key: [org]\nnaming: hash\ntarget: kv"),
            new ViewRows("b", 1, "key: [org]\nprefix: a\ntarget: kv"));
    List<SinkRecord> rows = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      rows.add(retired.upsert("Org " + i % 7, i, i, 7));
      for (ViewRows other : others) {
        rows.add(other.upsert("Org " + i % 7, i, i, 7));
      }
    }
    session.put(rows);
    assertThat(rows(retired.generation)).hasSize(300);

    session.put(List.of(removal(300)));
    putUntilCommitted(301);

    assertThat(rows(retired.generation)).isEmpty();
    assertThat(others).allSatisfy(other -> assertThat(rows(other.generation)).hasSize(300));
    assertThat(calls).contains("execute").doesNotContain("delete");
  }

  @Test
  void leavesRecordsThatAreNoRows() {
    String parent = "/" + String.join("/", KvLayout.of(retired.generation).parent());
    List<KvKey> unexpected =
        Stream.of("", "/-/x", "/Support", "/Support/-/10012", "/x/y/-/z")
            .map(rest -> KvKey.fromString(parent + rest))
            .toList();
    byte[] value = {1};
    session.put(List.of(retired.upsert("Support", 1, 1, 7)));
    unexpected.forEach(key -> store.put(key, value));
    KvKey shapedLikeARow =
        new RowMapper(WriteMode.OVERWRITE, MAX_VALUE_BYTES)
            .map(retired.upsert("Support", 2, 2, 7))
            .key();
    store.put(shapedLikeARow, value);

    session.put(List.of(removal(2)));
    putUntilCommitted(3);

    assertThat(records(retired.generation))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(unexpected.stream(), Stream.of(shapedLikeARow)).toList());
  }

  @Test
  void leavesRecordsBesideKeyValueRows() {
    ViewRows people =
        new ViewRows("people", 1, "key: [org]\nlayout: key-value\nprefix: Corporate\ntarget: kv");
    KvKey primary = KvKey.fromString("/Corporate/people/-/Support/10012");
    store.put(primary, "{\"name\":\"Ann\"}".getBytes(StandardCharsets.UTF_8));
    session.put(List.of(people.upsert("Support", 1, 1, 7), people.delete("Support", 1, 2, 8)));

    session.put(List.of(control.removeRows(people.generation, 2)));
    partition = new TopicPartition(people.generation.viewTopic(), 0);
    putUntilCommitted(3);

    assertThat(records(people.generation)).containsExactly(primary);
  }

  /** A value that is none of its field makes a row undecodable, and no record of somebody else. */
  @ParameterizedTest
  @ValueSource(strings = {"key-value", "list"})
  void removesRowsOfWhichSomebodyChangedAValue(String layout) {
    ViewRows people =
        new ViewRows("p", 1, "key: [org]\ninclude: [born]\nlayout: " + layout + "\ntarget: kv");
    session.put(List.of(people.upsert("Support", 1, 1, 7), people.upsert("Support", 1, 2, 7)));
    for (KvKey key : records(people.generation)) {
      String value = new String(store.get(key).orElseThrow().value(), StandardCharsets.UTF_8);
      String changed = value.replaceFirst("\"2017-08-20\"", "242.7");
      assertThat(changed).isNotEqualTo(value);
      store.put(key, changed.getBytes(StandardCharsets.UTF_8));
    }

    session.put(List.of(control.removeRows(people.generation, 2)));
    partition = new TopicPartition(people.generation.viewTopic(), 0);
    putUntilCommitted(3);

    assertThat(records(people.generation)).isEmpty();
  }

  @Test
  void removesManyRowsOfOneMajorPathInSeveralTransactions() {
    List<SinkRecord> batch = new ArrayList<>();
    for (int i = 0; i < 2_500; i++) {
      batch.add(retired.upsert("Support", i, i, 7));
    }
    batch.add(removal(2_500));
    AtomicInteger deletes = new AtomicInteger();
    fault =
        (method, arguments) -> {
          if (method.equals("execute") && ((List<?>) arguments[0]).size() == 1_000) {
            deletes.incrementAndGet();
          }
        };

    session.put(batch);
    putUntilCommitted(2_501);

    assertThat(rows(retired.generation)).isEmpty();
    assertThat(deletes).hasValue(2);
  }

  /** A thousand of the longest keys would be 32 MB. */
  @Test
  void removesRowsOfLongKeysInRequestsOfABoundedSize() {
    String org = "x".repeat(30_000);
    List<SinkRecord> batch = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      batch.add(retired.upsert(org, i, i, 7));
    }
    session.put(batch);
    List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
    fault =
        (method, arguments) -> {
          if (method.equals("execute")) {
            sizes.add(((List<?>) arguments[0]).size());
          }
        };

    session.put(List.of(removal(80)));
    putUntilCommitted(81);

    assertThat(rows(retired.generation)).isEmpty();
    assertThat(sizes).allMatch(size -> size <= 35).hasSize(3);
  }

  @Test
  void looksAgainUntilAScanFindsNothing() {
    session.put(List.of(retired.upsert("Support", 1, 1, 7)));
    SinkRecord late = retired.upsert("Sales", 1, 2, 7);
    AtomicInteger scans = new AtomicInteger();
    fault =
        (method, arguments) -> {
          if (method.equals("storeIterator") && scans.incrementAndGet() == 2) {
            KvRowWrite write = new RowMapper(WriteMode.OVERWRITE, MAX_VALUE_BYTES).map(late);
            store.put(write.key(), write.value());
          }
        };

    session.put(List.of(removal(1)));
    putUntilCommitted(2);

    assertThat(rows(retired.generation)).isEmpty();
    assertThat(scans).hasValue(3);
  }

  @Test
  void goesOnWithOtherRowsMeanwhileAndCommitsOnlyWhenNothingIsLeft() {
    session.put(List.of(retired.upsert("Support", 1, 1, 7)));
    holdRemovals();
    ViewRows other = new ViewRows("b", 1, HOT);
    int requests = context.commitRequests();

    session.put(List.of(removal(1)));
    session.put(List.of(other.upsert("Support", 1, 1, 7)));

    assertThat(rows(other.generation)).hasSize(1);
    assertThat(session.committable(Map.of()))
        .containsEntry(partition, new OffsetAndMetadata(1))
        .containsEntry(
            new TopicPartition(other.generation.viewTopic(), 0), new OffsetAndMetadata(1));
    assertThat(context.commitRequests()).isEqualTo(requests + 2);
    assertThat(context.timeouts()).endsWith(10L, 10L);

    gate.countDown();
    int puts = putUntilCommitted(2);
    assertThat(context.commitRequests()).isEqualTo(requests + 2 + puts);
    int timeouts = context.timeouts().size();
    session.put(List.of());
    assertThat(context.timeouts()).hasSize(timeouts + 1).endsWith(250L);
  }

  @Test
  void triesAgainWhileTheStoreIsNotAvailable() {
    session.put(List.of(retired.upsert("Support", 1, 1, 7)));
    AtomicInteger failures = new AtomicInteger();
    fault =
        (method, arguments) -> {
          if (method.equals("execute") && failures.incrementAndGet() < 3) {
            throw new KvStoreException.Unavailable("no quorum");
          }
        };

    session.put(List.of(removal(1)));
    putUntilCommitted(2);

    assertThat(failures).hasValue(3);
    assertThat(rows(retired.generation)).isEmpty();
  }

  @Test
  void endsTheTaskWhenNoRetryHelps() {
    session.put(List.of(retired.upsert("Support", 1, 1, 7)));
    fault =
        (method, arguments) -> {
          if (method.equals("execute")) {
            throw new KvStoreException.Misconfigured("no permission");
          }
        };

    session.put(List.of(removal(1)));

    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> session.put(List.of()))
                    .isInstanceOf(KvStoreException.Misconfigured.class)
                    .hasMessageContaining("no permission"));
    assertThat(session.committable(Map.of())).containsEntry(partition, new OffsetAndMetadata(1));
  }

  @Test
  void leavesARemovalToTheNextTaskWhenItIsStopped() {
    List<SinkRecord> rows = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      rows.add(retired.upsert("Org " + i, i, i, 7));
    }
    session.put(rows);
    holdRemovals();
    session.put(List.of(removal(50)));
    await().until(() -> calls.contains("storeIterator"));

    session.revoke(List.of(partition));
    assertThat(session.committable(Map.of())).doesNotContainKey(partition);
    gate.countDown();
    session.close();
    assertThat(rows(retired.generation)).as("given up before the first row").hasSize(50);

    session = session();
    session.put(List.of(removal(50)));
    putUntilCommitted(51);
    assertThat(rows(retired.generation)).isEmpty();
  }

  @Test
  void refusesACommandOfANewerReleaseThoughThereIsADeadLetterTopic() {
    SinkRecord unknown =
        control.command("compress", partition.topic(), retired.generation.toJson(), 1);

    assertThatThrownBy(() -> session.put(List.of(unknown))).hasMessageContaining("compress");
    assertThat(context.rejected()).isEmpty();
    assertThat(session.committable(Map.of())).containsEntry(partition, new OffsetAndMetadata(1));
  }

  private List<KvKey> records(ViewGeneration generation) {
    List<KvKey> keys = new ArrayList<>();
    KvKey parent = new KvKey(KvLayout.of(generation).parent(), List.of());
    try (var found = store.storeKeysIterator(KvScan.under(parent))) {
      found.forEachRemaining(keys::add);
    }
    return keys;
  }

  private SinkRecord removal(long offset) {
    return control.removeRows(retired.generation, offset);
  }

  private void holdRemovals() {
    fault =
        (method, arguments) -> {
          if (method.equals("storeIterator")) {
            awaitGate();
          }
        };
  }

  private void awaitGate() {
    try {
      assertThat(gate.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The worker calls again and again, too; how often it had to. */
  private int putUntilCommitted(long offset) {
    AtomicInteger puts = new AtomicInteger();
    await()
        .until(
            () -> {
              puts.incrementAndGet();
              session.put(List.of());
              return session.committable(Map.of()).get(partition).offset() == offset;
            });
    return puts.get();
  }
}
