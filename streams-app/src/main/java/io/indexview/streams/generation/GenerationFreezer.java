package io.indexview.streams.generation;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.error.StopSignal;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the view files of a start into generations: those published before are taken as they were
 * frozen, new ones are frozen as generation 1. Everything is checked before anything is changed,
 * and every step may be done again after a crash in the middle.
 *
 * <p>A definition that changed, or a new view on a record set that was derived before, is refused:
 * both need a build from the state, which a start cannot do.
 */
public final class GenerationFreezer {
  private static final Logger LOGGER = LoggerFactory.getLogger(GenerationFreezer.class);
  private static final Duration LOOK_INTERVAL = Duration.ofMillis(500);
  private static final int FIRST = 1;

  private final AppConfig config;
  private final Topics topics;
  private final AppTopics appTopics;
  private final SchemaRegistry registry;
  private final Cluster cluster;
  private final ControlLog controlLog;
  private final Waiting waiting;
  private final Clock clock;

  /**
   * @param maxMessageBytes {@code max.message.bytes} of the topics that it creates
   * @param status learns what is waited for, see {@link Waiting}
   */
  public GenerationFreezer(
      AppConfig config,
      int maxMessageBytes,
      SchemaRegistry registry,
      Cluster cluster,
      ControlLog controlLog,
      StopSignal stop,
      Consumer<String> status) {
    this.config = config;
    this.topics = config.topics();
    this.appTopics = new AppTopics(topics, maxMessageBytes);
    this.registry = registry;
    this.cluster = cluster;
    this.controlLog = controlLog;
    this.waiting = new Waiting(stop, LOOK_INTERVAL, status);
    this.clock = Clock.systemUTC();
  }

  /**
   * The generations to derive with.
   *
   * @throws InvalidConfigException if the files, or what they would change, are refused
   * @throws io.indexview.views.definition.InvalidViewException if a view is not valid
   */
  public Generations freeze() {
    ViewLoader.Loaded loaded =
        new ViewLoader(config.viewsDir(), config.recordSets(), registry, waiting).load();
    Map<String, Integer> partitions = awaitSourceTopics();
    cluster.createMissing(appTopics.shared());

    Map<String, PublishedGeneration> published = newestByView();
    StartPlan plan = new StartPlan(config, cluster, partitions);
    for (ViewDefinition view : loaded.views()) {
      plan.add(view, Optional.ofNullable(published.remove(view.name())));
    }
    for (PublishedGeneration orphan : published.values()) {
      plan.addWithoutFile(orphan);
    }
    plan.checkNothingSkipped();
    plan.requireNoProblem();

    List<FrozenGeneration> frozen = new ArrayList<>();
    for (PublishedGeneration kept : plan.kept()) {
      frozen.add(FrozenGeneration.thaw(kept, registry));
      createTopic(kept.viewTopic(), partitions.get(kept.recordSet()));
    }
    for (ViewDefinition view : plan.fresh()) {
      frozen.add(freeze(view, loaded.recordSets().get(view.source()), partitions));
    }
    announceBuilding(frozen);
    return new FixedGenerations(frozen);
  }

  private Map<String, Integer> awaitSourceTopics() {
    Map<String, Integer> partitions = new LinkedHashMap<>();
    for (RecordSetConfig recordSet : config.recordSets()) {
      String what =
          "the topic %s of record set \"%s\"".formatted(recordSet.topic(), recordSet.name());
      partitions.put(
          recordSet.name(),
          waiting.until(
              what, () -> cluster.partitions(recordSet.topic()).stream().boxed().findFirst()));
    }
    return partitions;
  }

  private Map<String, PublishedGeneration> newestByView() {
    Map<String, PublishedGeneration> newest = new LinkedHashMap<>();
    for (PublishedGeneration published : controlLog.generations()) {
      newest.merge(
          published.view(),
          published,
          (left, right) -> left.generation() > right.generation() ? left : right);
    }
    return newest;
  }

  private FrozenGeneration freeze(
      ViewDefinition view, RecordSet recordSet, Map<String, Integer> partitions) {
    ViewGeneration generation = ViewGeneration.freeze(view, FIRST, recordSet, topics);
    RowSchemas schemas = RowSchemas.of(generation);
    FrozenGeneration frozen =
        new FrozenGeneration(
            generation,
            registry.register(recordSet.topic() + "-record", recordSet.schema()),
            registry.register(Subjects.key(generation.viewTopic()), schemas.key()),
            registry.register(Subjects.value(generation.viewTopic()), schemas.value()));
    createTopic(generation.viewTopic(), partitions.get(recordSet.name()));
    controlLog.publish(frozen.published(clock.millis()));
    LOGGER.info("View {} is frozen as generation {}", view.name(), FIRST);
    return frozen;
  }

  private void createTopic(String topic, int partitions) {
    cluster.createMissing(List.of(appTopics.view(topic, partitions)));
  }

  private void announceBuilding(List<FrozenGeneration> generations) {
    Set<String> announced = controlLog.viewsWithState();
    for (FrozenGeneration frozen : generations) {
      if (!announced.contains(frozen.view())) {
        controlLog.publishBuilding(frozen.view(), frozen.number(), clock.millis());
      }
    }
  }
}
