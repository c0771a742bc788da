package io.indexview.streams.controller.actions;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.AppTopics;
import io.indexview.streams.generation.Cluster;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.generation.RecordSetCatalog;
import io.indexview.streams.generation.TopicDescriptions;
import io.indexview.streams.generation.TopicFit;
import io.indexview.views.definition.InvalidViewException;
import io.indexview.views.definition.Problem;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import io.indexview.views.spec.TakenNames;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Freezes a desired definition as a generation: everything is there then but its publication. Doing
 * it again gives the same. For one thread.
 */
public final class Freezer {
  private static final String REPLAY_REMEDY = "; rebuild with an ad-hoc snapshot";

  private final ViewDefinitionParser parser;
  private final Topics topics;
  private final AppTopics appTopics;
  private final RecordSetCatalog recordSets;
  private final SchemaRegistry registry;
  private final Cluster cluster;
  private final TopicDescriptions observed;
  private final TopicFit topicFit;
  private final Standing standing;
  private final Clock clock;

  /**
   * What stands, to be read anew each time.
   *
   * @param specs by view
   * @param generations by {@link PublishedGeneration#key}
   */
  public record Standing(
      Supplier<Map<String, ViewSpec>> specs,
      Supplier<Map<String, PublishedGeneration>> generations) {}

  /**
   * @param parser says what can be frozen
   * @param observed tells of the topics of record sets, which every freeze that waits asks for
   */
  public Freezer(
      ViewDefinitionParser parser,
      AppTopics appTopics,
      RecordSetCatalog recordSets,
      SchemaRegistry registry,
      Cluster cluster,
      TopicDescriptions observed,
      TopicFit topicFit,
      Standing standing,
      Clock clock) {
    this.parser = parser;
    this.topics = appTopics.names();
    this.appTopics = appTopics;
    this.recordSets = recordSets;
    this.registry = registry;
    this.cluster = cluster;
    this.observed = observed;
    this.topicFit = topicFit;
    this.standing = standing;
    this.clock = clock;
  }

  /**
   * Freezes. A generation of this number that is published already is not gone on with: nobody
   * knows how far it is.
   *
   * @throws org.apache.kafka.common.KafkaException if the cluster, and {@link RegistryException} if
   *     the registry does not answer
   */
  public Activity.Progress freeze(Action.Freeze action) {
    ViewSpec spec = action.spec();
    int number = action.generation();
    Map<String, PublishedGeneration> generations = standing.generations().get();
    if (generations.containsKey(PublishedGeneration.key(spec.view(), number))) {
      return refused(
          action,
          "generation %d stands already, and was not made for this; apply or rebuild the view once more"
              .formatted(number));
    }
    return validate(action, generations);
  }

  private Activity.Progress validate(
      Action.Freeze action, Map<String, PublishedGeneration> generations) {
    ViewSpec spec = action.spec();
    Map<String, RecordSet> known = recordSets.known();
    ViewDefinition definition;
    try {
      ViewDefinition read = ViewDefinition.fromJson(spec.definition());
      if (!known.containsKey(read.source()) && recordSets.configured(read.source()).isPresent()) {
        return Activity.waiting(
            "the record schema of record set \"%s\", which its source registers when it starts (or name a file: record.set.%s.schema.file)"
                .formatted(read.source(), read.source()));
      }
      definition = valid(spec, known, generations);
    } catch (InvalidViewException e) {
      return refused(action, reason(e.problems()));
    } catch (IllegalArgumentException e) {
      return refused(action, e.getMessage());
    }
    return prepare(
        action,
        ViewGeneration.freeze(
                definition, action.generation(), known.get(definition.source()), topics)
            .withUid(action.uid()));
  }

  private ViewDefinition valid(
      ViewSpec spec, Map<String, RecordSet> known, Map<String, PublishedGeneration> generations) {
    Map<String, ViewSpec> earlier =
        standing.specs().get().entrySet().stream()
            .filter(other -> isEarlier(other.getValue(), spec))
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    return parser.parse(
        "the definition",
        spec.definition(),
        known,
        read -> new TakenNames(topics, known).besides(read.name(), earlier, generations));
  }

  /**
   * Whether one spec goes first. Of two specs that ask for one name the same one always wins, in
   * whichever order they are frozen.
   */
  private static boolean isEarlier(ViewSpec one, ViewSpec other) {
    return one.changedAtMs() == other.changedAtMs()
        ? one.view().compareTo(other.view()) < 0
        : one.changedAtMs() < other.changedAtMs();
  }

  private Activity.Progress prepare(Action.Freeze action, ViewGeneration generation) {
    RecordSet recordSet = generation.recordSet();
    Optional<String> misfit =
        recordSets
            .configured(recordSet.name())
            .flatMap(topicFit::misfit)
            .map(TopicFit.Misfit::reason);
    if (misfit.isPresent()) {
      return Activity.waiting("record set \"%s\": %s".formatted(recordSet.name(), misfit.get()));
    }
    OptionalInt partitions = observed.partitions(recordSet.topic());
    if (partitions.isEmpty()) {
      return Activity.waiting(
          "topic %s of record set \"%s\", which is not there (create it, or start its source)"
              .formatted(recordSet.topic(), recordSet.name()));
    }
    if (action.spec().build().mode() == BuildMode.REPLAY) {
      Optional<String> obstacle = replayObstacle(recordSet.topic());
      if (obstacle.isPresent()) {
        return refused(action, obstacle.get());
      }
    }
    OptionalInt found = cluster.partitions(generation.viewTopic());
    if (found.isPresent() && found.getAsInt() != partitions.getAsInt()) {
      return refused(
          action,
          "topic %s has %d partitions, its source topic has %d; both must have the same number"
              .formatted(generation.viewTopic(), found.getAsInt(), partitions.getAsInt()));
    }
    return register(action, generation, partitions.getAsInt());
  }

  private Activity.Progress register(
      Action.Freeze action, ViewGeneration generation, int partitions) {
    PublishedGeneration.SchemaIds ids;
    try {
      ids = registerSchemas(generation);
    } catch (RegistryException.Incompatible | RegistryException.Rejected e) {
      return refused(action, e.getMessage());
    }
    cluster.createMissing(List.of(appTopics.view(generation.viewTopic(), partitions)));
    Optional<String> topicId = cluster.topicId(generation.viewTopic());
    if (topicId.isEmpty()) {
      return Activity.waiting(
          "topic %s, which was created a moment ago".formatted(generation.viewTopic()));
    }
    FrozenGeneration frozen =
        new FrozenGeneration(generation, ids.reader(), ids.key(), ids.value());
    return Activity.answered(
        new Finding.Frozen(
            action.id(),
            frozen.published(action.spec(), topicId.get(), clock.millis()),
            generation.toJson(),
            partitions));
  }

  private static Activity.Progress refused(Action.Freeze action, String reason) {
    return Activity.answered(Finding.Refused.of(action, reason));
  }

  /** Why a topic does not hold every event that came, as far as the cluster can tell. */
  private Optional<String> replayObstacle(String topic) {
    if (cluster.cleanupPolicies(topic).contains("compact")) {
      return Optional.of(
          "topic %s cannot be replayed: its cleanup.policy compacts it, so older events of a record are gone%s"
              .formatted(topic, REPLAY_REMEDY));
    }
    return new TreeMap<>(cluster.beginnings(topic))
        .entrySet().stream()
            .filter(first -> first.getValue() > 0)
            .map(
                first ->
                    "topic %s cannot be replayed: the records of partition %d before offset %d are deleted%s"
                        .formatted(topic, first.getKey(), first.getValue(), REPLAY_REMEDY))
            .findFirst();
  }

  private PublishedGeneration.SchemaIds registerSchemas(ViewGeneration generation) {
    RecordSet recordSet = generation.recordSet();
    RowSchemas schemas = RowSchemas.of(generation);
    return new PublishedGeneration.SchemaIds(
        registry.register(recordSet.topic() + "-record", recordSet.schema()),
        registry.register(Subjects.key(generation.viewTopic()), schemas.key()),
        registry.register(Subjects.value(generation.viewTopic()), schemas.value()));
  }

  private static String reason(List<Problem> problems) {
    return problems.stream().map(Problem::toString).collect(Collectors.joining("; "));
  }
}
