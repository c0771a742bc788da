package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.BY_ORG;
import static io.indexview.streams.controller.actions.Installation.DEAD_LETTERS;
import static io.indexview.streams.controller.actions.Installation.NOW_MS;
import static io.indexview.streams.controller.actions.Installation.WATCHED;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.DeadLetterPosition;
import io.indexview.streams.controller.rules.Finding;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class ActionsTest {
  private static final PublishedGeneration REBUILT = rebuilt(NOW_MS);

  private final Installation all = new Installation();
  private final Actions actions = actions();

  private static PublishedGeneration rebuilt(long createdAtMs) {
    return new PublishedGeneration(
        BY_ORG.view(),
        2,
        BY_ORG.definition(),
        BY_ORG.recordSet(),
        BY_ORG.sourceTopic(),
        "indexview.view.kv.by-org.2",
        "id of indexview.view.kv.by-org.2",
        new PublishedGeneration.SchemaIds(7, 18, 19),
        2,
        createdAtMs,
        BY_ORG.build(),
        false);
  }

  private Actions actions() {
    ActionContext context = all.context();
    return new Actions(
        context, null, null, new InMemorySchemaRegistry(), new FreshnessWatch(context));
  }

  private void reject(PublishedGeneration generation, int times) {
    Headers headers =
        new RecordHeaders()
            .add("__connect.errors.topic", bytes(generation.viewTopic()))
            .add("__connect.errors.partition", bytes("0"))
            .add("__connect.errors.offset", bytes("0"))
            .add("__connect.errors.exception.message", bytes("too large"));
    for (int i = 0; i < times; i++) {
      all.log.add(DEAD_LETTERS, 0, bytes("row"), bytes("v"), NOW_MS, headers);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void deleteDeadLetters() {
    all.cluster.delete(DEAD_LETTERS);
    all.createTopic(DEAD_LETTERS, 1);
  }

  private Activity watch(Action.Watched watched) {
    return watch(watched, DeadLetterPosition.NONE);
  }

  private Activity watch(Action.Watched watched, DeadLetterPosition from) {
    return actions.begin(new Action.Watch(watched, from, List.of()));
  }

  private static Finding followed(String topicId) {
    return new Finding.DeadLettersFollowed("by-org", 1, topicId);
  }

  @Test
  void tellsOnceWhichDeadLetterTopicItReads() {
    Activity watch = watch(WATCHED);
    all.advance(watch);
    all.advance(watch);

    assertThat(all.findings).containsExactly(followed("id of " + DEAD_LETTERS));
  }

  @Test
  void goesOnWhereDeadLettersWereReadBefore() {
    reject(BY_ORG, 3);
    all.advance(watch(WATCHED, new DeadLetterPosition("id of " + DEAD_LETTERS, Map.of(0, 2L))));

    assertThat(all.findings)
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.RowRejected.class,
            rejected -> assertThat(rejected.deadLetterOffset()).isEqualTo(2));
  }

  @Test
  void readsTheDeadLettersOfAGenerationThatWasFrozenWhenTheClockWasAhead() {
    long aheadMs = NOW_MS + Duration.ofHours(3).toMillis();
    reject(REBUILT, 1);
    all.advance(watch(new Action.Watched(rebuilt(aheadMs), "kv")));

    assertThat(all.findings).anyMatch(Finding.RowRejected.class::isInstance);
  }

  @Test
  void tellsThatDeadLettersWereDeletedWhileNobodyWatched() {
    deleteDeadLetters();
    reject(BY_ORG, 1);
    Activity watch =
        watch(WATCHED, new DeadLetterPosition("id of " + DEAD_LETTERS, Map.of(0, 57L)));
    all.advance(watch);
    all.advance(watch);

    assertThat(all.findings).hasSize(3);
    assertThat(all.findings.get(0))
        .isInstanceOfSatisfying(
            Finding.ChangesMissed.class,
            missed -> assertThat(missed.reason()).contains(DEAD_LETTERS, "was deleted"));
    assertThat(all.findings.get(1)).isEqualTo(followed("id of " + DEAD_LETTERS + " 1"));
    assertThat(all.findings.get(2))
        .isInstanceOfSatisfying(
            Finding.RowRejected.class,
            rejected -> assertThat(rejected.deadLetterOffset()).isZero());
  }

  /** The watch may have failed at first. */
  @Test
  void tellsThatDeadLettersWereDeletedAlsoWhereACheckIsTheFirstToReadThem() {
    deleteDeadLetters();
    DeadLetterPosition before = new DeadLetterPosition("id of " + DEAD_LETTERS, Map.of(0, 57L));
    actions.begin(new Action.CheckReady(new Action.Watch(WATCHED, before, List.of()), 1));
    all.advance(watch(WATCHED, before));

    assertThat(all.findings).hasAtLeastOneElementOfType(Finding.ChangesMissed.class);
  }

  @Test
  void readsTheDeadLettersOfANewTopicWhateverTheOneBeforeHeld() {
    reject(BY_ORG, 3);
    all.advance(watch(WATCHED));
    deleteDeadLetters();
    Activity watch = watch(new Action.Watched(REBUILT, "kv"));
    all.advance(watch);
    all.findings.clear();

    reject(REBUILT, 1);
    all.advance(watch);

    assertThat(all.findings)
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.RowRejected.class, rejected -> assertThat(rejected.generation()).isEqualTo(2));
  }
}
