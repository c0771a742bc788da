package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.APP;
import static io.indexview.streams.controller.actions.Installation.BY_ORG;
import static io.indexview.streams.controller.actions.Installation.SINK;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.DeadLetterPosition;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.AppTopics;
import io.indexview.streams.generation.RecordSetCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Counts what a round of all activities asks the brokers about topics. */
class ObservedTopicsTest {
  private static final int VIEWS = 3;

  private final Installation all = new Installation();
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final Map<String, Action> wanted = new LinkedHashMap<>();

  private ActionRunner runner(List<Activity> watches) {
    ActionContext context = all.context();
    return new ActionRunner(
        new Actions(context, null, null, registry, new FreshnessWatch(context)),
        context.time(),
        watches);
  }

  /** Wants to know when each of some views is READY; each has a topic of its own. */
  private static Action.CheckReady checkReady(int generation) {
    return new Action.CheckReady(
        new Action.Watch(
            new Action.Watched(generation(generation), "kv"), DeadLetterPosition.NONE, List.of()),
        1);
  }

  private void checkReady() {
    for (int i = 0; i < VIEWS; i++) {
      String topic = topic(i);
      all.createTopic(topic, 2);
      all.log.add(topic, 0, "row", "v");
      want(checkReady(i));
    }
  }

  private static String topic(int view) {
    return "indexview.view.kv.view-%d.1".formatted(view);
  }

  private static PublishedGeneration generation(int view) {
    String topic = topic(view);
    return new PublishedGeneration(
        "view-" + view,
        1,
        "{}",
        "people",
        People.TOPIC,
        topic,
        "id of " + topic,
        BY_ORG.schemas(),
        1,
        Installation.NOW_MS,
        BY_ORG.build(),
        false);
  }

  private void want(Action action) {
    wanted.put(action.id(), action);
  }

  /** How often the brokers are asked in the next rounds. */
  private int requests(ActionRunner runner, int rounds) {
    all.cluster.requests = 0;
    Instant end = all.context().time().instant().plus(Activity.SOON.multipliedBy(rounds));
    while (all.context().time().instant().isBefore(end)) {
      all.passes(runner.run(wanted, all.findings));
    }
    return all.cluster.requests;
  }

  @Test
  void roundAsksOnceForAllThatIsWaitedFor() {
    checkReady();
    for (int i = 0; i < VIEWS; i++) {
      want(new Action.AdHocSnapshot("other-%d".formatted(i), "people", 5));
    }
    ActionRunner runner = runner(List.of());
    assertThat(requests(runner, 1)).as("with the dead-letter topic, once").isEqualTo(2);
    assertThat(requests(runner, 10)).as("until the sources have scanned").isEqualTo(10);

    all.sourcePartition("0", 1, Installation.scan(1, 0, 0));
    requests(runner, 2);
    assertThat(requests(runner, 10)).as("until the sink has applied the rows").isEqualTo(10);
    assertThat(all.findings).isEmpty();
  }

  @Test
  void activitiesThatBeganOneAfterTheOtherComeToShareARound() {
    all.sourcePartition("0", 1, Installation.scan(1, 0, 0));
    checkReady();
    ActionRunner runner = runner(List.of());
    Map<String, Action> begun = new LinkedHashMap<>();
    wanted.forEach(
        (id, action) -> {
          begun.put(id, action);
          runner.run(begun, all.findings);
          all.passes(Activity.SOON.dividedBy(VIEWS));
        });
    requests(runner, 3);

    assertThat(requests(runner, 10)).isEqualTo(10);
  }

  @Test
  void watchesOfManyRecordSetsAskOnceForTheIdsAndOnceForThePartitions() {
    List<String> names = List.of("people", "cars", "shops");
    all.set("record.sets", String.join(",", names));
    names.forEach(
        name -> {
          all.createTopic("indexview.changes." + name, 2);
          registry.register(
              "indexview.changes.%s-value".formatted(name),
              EnvelopeSchemas.envelope(People.SCHEMA));
        });
    all.serve(ViewState.Freshness.UNKNOWN);
    ActionContext context = all.context();
    RecordSetCatalog catalog = new RecordSetCatalog(context.config().recordSets(), registry);
    List<Activity> watches = new ArrayList<>(RecordSetWatch.all(context, registry));
    watches.add(new StrayTopics(context));
    watches.add(
        new TopicWatch(
            context, new AppTopics(context.topics(), List.of(), 1_000_000, Map.of(), Map.of())));
    watches.add(new RecordSetInfos(context, catalog, Map::of, registry));
    watches.add(new FreshnessWatch(context));
    ActionRunner runner = runner(watches);
    runner.run(wanted, all.findings);
    all.passes(Duration.ofSeconds(3));

    assertThat(requests(runner, 1)).isEqualTo(2);
  }

  @Test
  void noticesInTheNextRoundThatATopicIsAnother() {
    all.sourcePartition("0", 1, Installation.scan(1, 0, 0));
    checkReady();
    ActionRunner runner = runner(List.of());
    requests(runner, 2);

    all.cluster.delete(topic(0));
    all.createTopic(topic(0), 2);
    all.log.commitAll(APP, People.TOPIC);
    for (int i = 0; i < VIEWS; i++) {
      all.log.commitAll(SINK, topic(i));
    }
    runner.run(wanted, all.findings);

    assertThat(all.findings)
        .filteredOn(Finding.Done.class::isInstance)
        .containsExactly(Finding.Done.of(checkReady(1)), Finding.Done.of(checkReady(2)));
  }
}
