package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.metadata.ViewStates;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import io.indexview.connect.dynamodb.FaultyItemStore.Fault;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.definition.ViewGeneration;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

/** What a session takes in while it cannot write. */
class DynamoDbSinkBackpressureIT extends SinkSessionHarness {
  private final StateRecords control = new StateRecords();

  @Test
  void asksKafkaForNoMoreRowsUntilHalfOfThoseThatWaitAreApplied() {
    TopicPartition partition = new TopicPartition(rows.topic(), 0);
    TopicPartition later = new TopicPartition(rows.topic(), 1);
    TopicPartition states = new TopicPartition("indexview.view-states", 0);
    DynamoDbSinkSession session = session("dynamodb.buffer.max.records", "2");
    context.assign(Set.of(partition, states));
    putAll(session, rows.upsert(0, "warm-up.txt", 1, "u", 1L));
    assertThat(context.paused()).isEmpty();
    store.next(Collections.nCopies(2_000, Fault.THROTTLE));

    session.put(List.of(rows.upsert(0, "a.txt", 2, "u", 2L), rows.upsert(0, "b.txt", 3, "u", 2L)));
    assertThat(context.paused()).containsExactly(partition);
    context.assign(Set.of(partition, later, states));
    session.put(List.of(rows.upsert(1, "c.txt", 4, "u", 2L)));
    assertThat(context.paused()).containsExactlyInAnyOrder(partition, later);
    assertThat(context.nextScan()).isPositive();
    assertThat(committed(session)).isEqualTo(1);

    drain(session, 4);
    session.put(List.of());
    assertThat(context.paused()).isEmpty();
    assertThat(item("c.txt")).isNotNull();
  }

  /** Somebody is to make it, and needs not start the task again. */
  @Test
  void goesOnWithOtherTablesWhileOneIsMissing() {
    FileRows other = new FileRows(table + "-b");
    TopicPartition missing = new TopicPartition(rows.topic(), 0);
    TopicPartition there = new TopicPartition(other.topic(), 0);
    session().put(List.of(other.upsert(0, "warm-up", 1, "u", 1L)));
    DynamoDbSinkSession session = session("dynamodb.auto.create", "false");
    context.assign(Set.of(missing, there));

    session.put(
        List.of(rows.upsert(0, "a.txt", 1, "old", 2L), other.upsert(0, "b.txt", 2, "u", 2L)));
    session.put(List.of(rows.upsert(0, "a.txt", 2, "new", 2L)));
    callUntil(session, () -> offset(session, there) == 2);
    assertThat(context.paused()).containsExactly(missing);
    assertThat(offset(session, missing)).isZero();

    tables.ensureTable(
        GenerationTables.spec(rows.generation(), WriteMode.CONDITIONAL), Duration.ofSeconds(10));
    callUntil(session, () -> offset(session, missing) == 2);
    assertThat(item("a.txt")).containsEntry("uploadUser", "new");
    session.put(List.of());
    assertThat(context.paused()).isEmpty();
    assertThat(context.rejected()).isEmpty();
  }

  @Test
  void waitsForATableThatIsStillBeingMadeAndGivesItsRowsUpWithTheirPartitions() {
    DynamoDbSinkSession session = session("dynamodb.auto.create", "false");
    session().put(List.of(new FileRows(table + "-b").upsert(0, "warm-up", 1, "u", 1L)));
    store.goAway();
    session.put(List.of(rows.upsert(0, "a.txt", 1, "u", 2L), rows.upsert(1, "b.txt", 1, "u", 2L)));
    assertThat(session.busy()).isTrue();

    session.revoke(List.of(new TopicPartition(rows.topic(), 0)));
    assertThat(session.busy()).isTrue();
    session.revoke(List.of(new TopicPartition(rows.topic(), 1)));

    assertThat(session.busy()).isFalse();
    session.put(List.of());
  }

  /** Each question may take long, and a worker that is not called for minutes loses its task. */
  @Test
  void asksAStoreThatDoesNotAnswerForOneTableEachTime() {
    session().put(List.of(new FileRows(table + "-b").upsert(0, "warm-up", 1, "u", 1L)));
    DynamoDbSinkSession session = session("dynamodb.auto.create", "false");
    session.put(List.of());
    store.goAway();
    int before = store.checks();

    session.put(
        List.of(
            rows.upsert(0, "a.txt", 1, "u", 2L),
            new FileRows(table + "-c").upsert(0, "b.txt", 1, "u", 2L),
            new FileRows(table + "-d").upsert(0, "c.txt", 1, "u", 2L)));
    assertThat(store.checks() - before).isEqualTo(1);
    for (int call = 2; call < 20; call++) {
      session.put(List.of());
      assertThat(store.checks() - before).isLessThanOrEqualTo(call);
    }
    assertThat(session.busy()).isTrue();
  }

  /** Whoever named a table that there will never be has to get rid of the view. */
  @Test
  void dropsHeldRowsOnceTheirViewIsDropped() {
    TopicPartition missing = new TopicPartition(rows.topic(), 0);
    session().put(List.of(new FileRows(table + "-b").upsert(0, "warm-up", 1, "u", 1L)));
    DynamoDbSinkSession session = session("dynamodb.auto.create", "false");
    context.assign(Set.of(missing));
    session.put(List.of(rows.upsert(0, "a.txt", 1, "u", 2L)));
    session.put(List.of(state(State.BUILDING, Role.BUILDING, 1)));
    assertThat(context.paused()).containsExactly(missing);
    assertThat(offset(session, missing)).isZero();

    session.put(List.of(state(State.DELETING, Role.RETIRING, 2)));
    callUntil(session, () -> offset(session, missing) == 1);
    session.put(List.of());
    assertThat(context.paused()).isEmpty();
    session.put(List.of(control.removeRows(rows.generation(), 1)));
    drainAll(session);

    assertThat(context.rejected()).isEmpty();
  }

  /** One view without rows must not keep all others from being written. */
  @Test
  void goesOnThoughAViewServesThatHasNoTable() {
    FileRows other = new FileRows(table + "-b");
    session().put(List.of(other.upsert(0, "warm-up", 1, "u", 1L)));
    DynamoDbSinkSession session = session("dynamodb.auto.create", "false");

    session.put(List.of(state(State.READY, Role.SERVING, 1), other.upsert(0, "b.txt", 2, "u", 2L)));
    drainAll(session);

    assertThat(tables.get(table + "-b", Map.of("objectKey", "b.txt"))).isPresent();
  }

  private SinkRecord state(State state, Role role, long version) {
    ViewGeneration generation = rows.generation();
    return control.of(
        ViewStates.state(generation.view(), version, state, Map.of(generation, role)));
  }

  private static long offset(DynamoDbSinkSession session, TopicPartition partition) {
    OffsetAndMetadata offset = session.committable(Map.of()).get(partition);
    return offset == null ? -1 : offset.offset();
  }
}
