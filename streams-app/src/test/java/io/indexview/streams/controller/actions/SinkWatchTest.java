package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.BY_ORG;
import static io.indexview.streams.controller.actions.Installation.DEAD_LETTERS;
import static io.indexview.streams.controller.actions.Installation.NOW_MS;
import static io.indexview.streams.controller.actions.Installation.SINK;
import static io.indexview.streams.controller.actions.Installation.VIEW_TOPIC;
import static io.indexview.streams.controller.actions.Installation.WATCHED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.streams.controller.actions.SinkWatch.SinkPositions;
import io.indexview.streams.controller.actions.SinkWatch.SinkRetention;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class SinkWatchTest {
  private static final String RETRIABLE = "org.apache.kafka.connect.errors.RetriableException";
  private static final String ROW = RejectedRowTracker.rowId(bytes("row"));

  private static final RejectedRow REJECTED = new RejectedRow(ROW, 0, 0, "too large");

  private final Installation all = new Installation();
  private SinkWatch job = watch(Map.of(), List.of());

  private SinkWatch watch(Map<Integer, Long> from, Collection<RejectedRow> known) {
    ActionContext context = all.context();
    return watch(from, known, new SinkPositions(context.config().target("kv"), context));
  }

  private SinkWatch watch(
      Map<Integer, Long> from, Collection<RejectedRow> known, SinkPositions pulse) {
    ActionContext context = all.context();
    RejectedRowTracker rejected = new RejectedRowTracker(BY_ORG, context.log(), known);
    return new SinkWatch(
        WATCHED,
        context,
        pulse,
        Installation.deadLetters(all.deadLetterWindow(), rejected, from),
        new FreshnessWatch(context));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private long row(String key) {
    return all.log.add(VIEW_TOPIC, 0, bytes(key), bytes("v"), NOW_MS, new RecordHeaders());
  }

  private void reject(String key, String topic, long offset) {
    reject(key, topic, offset, "org.apache.kafka.connect.errors.DataException");
  }

  private void reject(String key, String topic, long offset, String failure) {
    Headers headers =
        new RecordHeaders()
            .add("__connect.errors.topic", bytes(topic))
            .add("__connect.errors.partition", bytes("0"))
            .add("__connect.errors.offset", bytes(Long.toString(offset)))
            .add("__connect.errors.exception.class.name", bytes(failure))
            .add("__connect.errors.exception.message", bytes("too large"));
    all.log.add(DEAD_LETTERS, 0, bytes(key), bytes("v"), NOW_MS, headers);
  }

  private static Finding.RowRejected rejected(long deadLetter, String key, long offset) {
    return new Finding.RowRejected(
        "by-org",
        1,
        0,
        deadLetter,
        new RejectedRow(RejectedRowTracker.rowId(bytes(key)), 0, offset, "too large"));
  }

  private static Finding.RowSuperseded superseded(long offset) {
    return new Finding.RowSuperseded("by-org", 1, ROW, offset);
  }

  @Test
  void tellsEachDeadLetterOfTheGenerationOnce() {
    reject("row", VIEW_TOPIC, row("row"));
    reject("row", "indexview.view.kv.by-org.2", 9);
    reject("other", VIEW_TOPIC, row("other"));

    all.advance(job);
    all.advance(job);

    assertThat(all.findings).containsExactly(rejected(0, "row", 0), rejected(2, "other", 1));
  }

  @Test
  void beginsAtTheGivenOffset() {
    reject("row", VIEW_TOPIC, row("row"));
    reject("other", VIEW_TOPIC, row("other"));

    all.advance(watch(Map.of(0, 1L), List.of()));

    assertThat(all.findings).containsExactly(rejected(1, "other", 1));
  }

  @Test
  void tellsThatALaterRecordOfTheRowWasApplied() {
    reject("row", VIEW_TOPIC, row("row"));
    all.advance(job);
    row("other");
    row("row");
    all.log.commit(SINK, VIEW_TOPIC, 0, 2);
    all.advance(job);
    assertThat(all.findings).hasSize(1);

    all.log.commit(SINK, VIEW_TOPIC, 0, 3);
    all.advance(job);
    assertThat(all.findings).containsExactly(rejected(0, "row", 0), superseded(0));
  }

  @Test
  void takesADeletionForALaterRecord() {
    reject("row", VIEW_TOPIC, row("row"));
    all.advance(job);
    all.log.add(VIEW_TOPIC, 0, "row", null);
    all.log.commitAll(SINK, VIEW_TOPIC);
    all.advance(job);

    assertThat(all.findings).endsWith(superseded(0));
  }

  @Test
  void doesNotTakeALaterRecordThatWasRejectedTooForApplied() {
    reject("row", VIEW_TOPIC, row("row"));
    all.advance(job);
    long later = row("row");
    all.log.commitAll(SINK, VIEW_TOPIC);
    reject("row", VIEW_TOPIC, later);
    all.advance(job);

    assertThat(all.findings).containsExactly(rejected(0, "row", 0), rejected(1, "row", later));
    row("row");
    all.log.commitAll(SINK, VIEW_TOPIC);
    all.advance(job);
    assertThat(all.findings).endsWith(superseded(later));
  }

  @Test
  void doesNotSearchBeforeItKnowsEveryDeadLetter() {
    reject("row", VIEW_TOPIC, row("row"));
    all.advance(job);
    long later = row("row");
    all.log.commitAll(SINK, VIEW_TOPIC);
    reject("x", VIEW_TOPIC, 77);
    reject("row", VIEW_TOPIC, later);
    all.log.maxPerRead = 1;
    all.advance(job);
    all.advance(job);
    all.advance(job);

    assertThat(all.findings).doesNotHaveAnyElementsOfTypes(Finding.RowSuperseded.class);
  }

  @Test
  void searchesOnAfterARestart() {
    row("row");
    row("row");
    all.log.commitAll(SINK, VIEW_TOPIC);

    all.advance(watch(Map.of(), List.of(new RejectedRow(ROW, 0, 0, "too large"))));

    assertThat(all.findings).containsExactly(superseded(0));
  }

  @Test
  void seesDeadLettersAfterTheClockWasSetBack() {
    SinkPositions positions = new SinkPositions(all.context().config().target("kv"), all.context());
    positions.beat(true);
    reject("row", VIEW_TOPIC, row("row"));

    all.passes(Duration.ofHours(-1));
    assertThat(positions.beat(true).deadLetters())
        .containsEntry(new TopicPartition(DEAD_LETTERS, 0), 1L);
  }

  /** The connections of a machine that was frozen are dead. */
  @Test
  void seesDeadLettersWhereTheFirstRequestAfterTheClockWasSetBackFails() {
    SinkPositions positions = new SinkPositions(all.context().config().target("kv"), all.context());
    positions.beat(true);
    reject("row", VIEW_TOPIC, row("row"));

    all.passes(Duration.ofHours(-1));
    all.log.outage = new TimeoutException("no answer");
    assertThatThrownBy(() -> positions.beat(true)).isSameAs(all.log.outage);
    all.log.outage = null;
    assertThat(positions.beat(true).deadLetters())
        .containsEntry(new TopicPartition(DEAD_LETTERS, 0), 1L);
  }

  @Test
  void looksAtRetentionWhereTheFirstRequestAfterTheClockWasSetBackFails() {
    SinkRetention retention = new SinkRetention(VIEW_TOPIC, SINK, all.context());
    assertThat(retention.missed()).isEmpty();
    row("row");
    all.log.trim(VIEW_TOPIC, 0, 1);

    all.passes(Duration.ofHours(-1));
    all.log.outage = new TimeoutException("no answer");
    assertThatThrownBy(retention::missed).isSameAs(all.log.outage);
    all.log.outage = null;
    assertThat(retention.missed()).isPresent();
  }

  /** A worker that stops while the registry is away makes them, and commits nothing past them. */
  @Test
  void takesARowThatComesAgainForNoRejectedOne() {
    reject("row", VIEW_TOPIC, row("row"), RETRIABLE);
    reject("other", VIEW_TOPIC, row("other"));

    all.advance(job);

    assertThat(all.findings).containsExactly(rejected(1, "other", 1));
  }

  @Test
  void takesARowThatAnotherSinkGaveUpForARejectedOne() {
    reject("row", VIEW_TOPIC, row("row"), RETRIABLE);
    RejectedRowTracker none = new RejectedRowTracker(BY_ORG, all.log, List.of());
    DeadLetterReader reader = Installation.deadLetters(all.deadLetterWindow(false), none, Map.of());

    reader.readTo(Map.of(new TopicPartition(DEAD_LETTERS, 0), 1L), all.findings::add);

    assertThat(all.findings).containsExactly(rejected(0, "row", 0));
  }

  @Test
  void knowsADeadLetterWithoutHeadersByItsKeySchema() {
    byte[] mine = ByteBuffer.allocate(6).put((byte) 0).putInt(8).put((byte) 2).array();
    byte[] other = ByteBuffer.allocate(6).put((byte) 0).putInt(5).put((byte) 2).array();
    all.log.add(DEAD_LETTERS, 0, mine, null, NOW_MS, new RecordHeaders());
    all.log.add(DEAD_LETTERS, 0, other, null, NOW_MS, new RecordHeaders());
    all.log.add(DEAD_LETTERS, 0, null, null, NOW_MS, new RecordHeaders());
    row("row");
    all.log.commitAll(SINK, VIEW_TOPIC);

    all.advance(job);
    all.advance(job);

    assertThat(all.findings)
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.RowRejected.class,
            rejected -> {
              assertThat(rejected.row().row()).isEqualTo(RejectedRowTracker.rowId(mine));
              assertThat(rejected.row().reason()).contains("context.headers.enable");
            });
  }

  @Test
  void givesUpWhenThereAreTooManyToFollow() {
    for (int i = 0; i < RejectedRowTracker.MAX_KEPT + 500; i++) {
      reject("row" + i, VIEW_TOPIC, i);
    }
    all.advance(job);
    all.advance(job);

    assertThat(all.findings).hasSize(RejectedRowTracker.MAX_KEPT + 1);
  }

  @Test
  void needsNoDeadLetterTopic() {
    all.set("target.kv.dead.letter.topic", "none");
    job = watch(Map.of(), List.of());

    all.advance(job);

    assertThat(all.findings).isEmpty();
  }

  @Test
  void tellsOnceThatTheSinkIsFurtherBehindThanDeletionsAreKept() {
    long old = NOW_MS - Duration.ofDays(7).toMillis() - 1;
    all.log.add(VIEW_TOPIC, 0, bytes("row"), bytes("v"), old, new RecordHeaders());

    all.advance(job);
    all.advance(job);

    assertThat(all.findings)
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.ChangesMissed.class,
            behind -> assertThat(behind.reason()).contains(SINK, "row of " + VIEW_TOPIC));
  }

  @Test
  void doesNotMindOldRowsThatAreApplied() {
    all.log.add(VIEW_TOPIC, 0, bytes("row"), bytes("v"), 1, new RecordHeaders());
    all.log.commitAll(SINK, VIEW_TOPIC);
    row("row");

    all.advance(job);

    assertThat(all.findings).isEmpty();
  }

  @Test
  void asksAllTheLessOftenTheLongerDeletionsAreKept() {
    assertThat(SinkRetention.pause(Duration.ofDays(7))).isEqualTo(Duration.ofMinutes(10));
    assertThat(SinkRetention.pause(Duration.ofHours(1))).isEqualTo(Duration.ofSeconds(36));
    assertThat(SinkRetention.pause(Duration.ofMinutes(1))).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void asksForAllWatchesOfATargetAtOnce() {
    ActionContext context = all.context();
    SinkPositions pulse = new SinkPositions(context.config().target("kv"), context);
    List<SinkWatch> watches =
        Stream.generate(() -> watch(Map.of(), List.of(REJECTED), pulse)).limit(50).toList();
    watches.forEach(watch -> watch.advance(all.findings::add));
    all.passes(Duration.ofSeconds(1));
    all.log.groupPolls = 0;

    watches.forEach(watch -> watch.advance(all.findings::add));

    assertThat(all.log.groupPolls).isOne();
  }

  @Test
  void asksNothingOfTheSinkWhereNoRowIsRejected() {
    all.advance(job);
    all.passes(Duration.ofSeconds(1));
    all.log.groupPolls = 0;

    all.advance(job);

    assertThat(all.log.groupPolls).isZero();
  }

  @Test
  void readsTheDeadLettersOfATargetOnceForAllItsGenerations() {
    ActionContext context = all.context();
    DeadLetterWindow window = all.deadLetterWindow();
    List<DeadLetterReader> readers =
        Stream.generate(
                () ->
                    Installation.deadLetters(
                        window, new RejectedRowTracker(BY_ORG, context.log(), List.of()), Map.of()))
            .limit(50)
            .toList();
    reject("row", VIEW_TOPIC, row("row"));
    reject("other", VIEW_TOPIC, row("other"));
    all.log.reads = 0;

    readers.forEach(reader -> reader.readTo(context.ends(DEAD_LETTERS), all.findings::add));
    assertThat(all.log.reads).isOne();
    assertThat(all.findings).hasSize(100);

    reject("row", VIEW_TOPIC, row("row"));
    readers.forEach(reader -> reader.readTo(context.ends(DEAD_LETTERS), all.findings::add));
    assertThat(all.log.reads).isEqualTo(2);
    assertThat(all.findings).hasSize(150);
  }

  @Test
  void readsWhatTheSinkIsBehindRarely() {
    row("row");
    for (int i = 0; i < 599; i++) {
      all.advance(job);
    }
    assertThat(all.log.scansBehind).isOne();

    all.advance(job);
    all.advance(job);
    assertThat(all.log.scansBehind).isEqualTo(2);
  }

  @Test
  void tellsThatTheTopicBeginsBehindTheSink() {
    row("a");
    row("b");
    all.log.trim(VIEW_TOPIC, 0, 2);
    all.log.commit(SINK, VIEW_TOPIC, 0, 1);

    all.advance(job);

    assertThat(all.findings).hasOnlyElementsOfType(Finding.ChangesMissed.class).hasSize(1);
  }
}
