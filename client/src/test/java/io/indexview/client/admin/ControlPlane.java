package io.indexview.client.admin;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.InMemoryTopic;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.SpecLog;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.common.KafkaException;

/** The control topics in memory, with what the streams app and the sources would write. */
final class ControlPlane {
  static final long NOW = 1_700_000_000_000L;
  static final String CHANGES = "test.changes.people";

  final Topics topics = new Topics("test");
  final Clock clock = Clock.fixed(Instant.ofEpochMilli(NOW), ZoneOffset.UTC);
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final Map<String, InMemoryTopic> log = new HashMap<>();
  private long stateVersion;

  /** Consumer groups that a process is in. */
  final Set<String> occupied = new HashSet<>();

  /** Why nobody can see who is in groups; null: all see it. */
  KafkaException groupsHidden;

  ControlPlane() {
    for (String topic :
        List.of(
            topics.viewDefinitions(),
            topics.viewStates(),
            topics.viewGenerations(),
            topics.recordSets(),
            topics.sourceStates())) {
      log.put(topic, new InMemoryTopic(topic));
    }
  }

  /** Publishes the record set {@code people}. */
  ControlPlane withPeople() {
    return withPeople(Set.of());
  }

  /** Publishes the record set {@code people}, of an app that knows of fenced targets. */
  ControlPlane withPeople(Set<String> fencedTargets) {
    return withRecordSet("people", "app", fencedTargets);
  }

  /** Publishes a record set of persons. */
  ControlPlane withRecordSet(String name, String application, Set<String> fencedTargets) {
    String schema =
        SchemaBuilder.record("Person")
            .namespace("test")
            .fields()
            .requiredString("name")
            .requiredString("org")
            .requiredLong("cost")
            .endRecord()
            .toString();
    RecordSetInfo info =
        new RecordSetInfo(
            name,
            CHANGES,
            4,
            "envelope",
            List.of("name"),
            schema,
            application,
            fencedTargets,
            Set.of(),
            NOW);
    log.get(topics.recordSets()).append(name, info.toAvro(), registry);
    return this;
  }

  ViewAdmin admin() {
    return admin(TargetStates.NONE);
  }

  ViewAdmin admin(BiFunction<String, Set<String>, Map<String, Long>> oldestBehind) {
    return admin(oldestBehind, TargetStates.NONE);
  }

  ViewAdmin admin(TargetStates targets) {
    return admin((group, wanted) -> Map.of(), targets);
  }

  private ViewAdmin admin(
      BiFunction<String, Set<String>, Map<String, Long>> oldestBehind, TargetStates targets) {
    Lags.Positions positions =
        new Lags.Positions() {
          @Override
          public Map<String, Long> oldestBehind(String group, Set<String> wanted) {
            return oldestBehind.apply(group, wanted);
          }

          @Override
          public boolean hasMembers(String group) {
            if (groupsHidden != null) {
              throw groupsHidden;
            }
            return occupied.contains(group);
          }
        };
    SpecLog specs =
        new SpecLog(
            topics,
            log.get(topics.viewDefinitions())::producer,
            log.get(topics.viewDefinitions()).consumer(),
            registry,
            clock);
    return new ViewAdmin(topics, control(), specs, positions, targets, clock);
  }

  ControlTopicTables control() {
    List<String> order =
        new ArrayList<>(
            List.of(
                topics.viewDefinitions(),
                topics.viewStates(),
                topics.viewGenerations(),
                topics.recordSets(),
                topics.sourceStates()));
    return new ControlTopicTables(topics, () -> log.get(order.remove(0)).consumer(), registry);
  }

  /** The next scan of view states fails. */
  void failNextScan(RuntimeException failure) {
    log.get(topics.viewStates()).failNextScan(failure);
  }

  /** The app publishes a generation of the definition that a spec has. */
  void generation(ViewSpec spec, int number) {
    PublishedGeneration generation =
        new PublishedGeneration(
            spec.view(),
            number,
            spec.definition(),
            "people",
            CHANGES,
            topics.view("kv", spec.view(), number),
            "",
            new PublishedGeneration.SchemaIds(1, 2, 3),
            1,
            NOW,
            spec.build(),
            false);
    log.get(topics.viewGenerations()).append(generation.key(), generation.toAvro(), registry);
  }

  /** The app publishes a generation with its key schema. */
  void generation(ViewGeneration frozen) {
    int key = registry.register("key", RowSchemas.of(frozen).key());
    PublishedGeneration generation =
        new PublishedGeneration(
            frozen.view(),
            frozen.number(),
            "",
            "people",
            CHANGES,
            frozen.viewTopic(),
            "",
            new PublishedGeneration.SchemaIds(key, key, key),
            1,
            NOW,
            BuildRequest.FIRST,
            false);
    log.get(topics.viewGenerations()).append(generation.key(), generation.toAvro(), registry);
  }

  /** An app of another release publishes a state. */
  void unreadableState(String view) {
    unknown(topics.viewStates(), view);
  }

  /** A server of another release writes a definition. */
  void unreadableSpec(String view) {
    unknown(topics.viewDefinitions(), view);
  }

  private void unknown(String topic, String view) {
    byte[] ofAnotherFormat = {9};
    log.get(topic).append(view.getBytes(StandardCharsets.UTF_8), ofAnotherFormat);
  }

  void generationGone(String view, int number) {
    log.get(topics.viewGenerations()).append(PublishedGeneration.key(view, number), null, registry);
  }

  /** The app publishes a state. */
  void state(
      String view,
      ViewState.State state,
      long definitionVersion,
      ViewState.Generation... standing) {
    state(view, state, definitionVersion, "", standing);
  }

  /** The app refuses the definition of a view. */
  void refused(ViewSpec spec, ViewState.Generation... standing) {
    state(
        spec.view(),
        ViewState.State.DEGRADED,
        spec.version(),
        ViewState.REFUSED + "another view has the table",
        standing);
  }

  /** The app cannot read the definition that came after this one. */
  void unreadableAfter(ViewSpec spec) {
    unreadable(spec.view(), spec.version());
  }

  /**
   * The app cannot read the newest definition.
   *
   * @param version of the one before it; 0: there is none
   */
  void unreadable(String view, long version) {
    state(
        view,
        ViewState.State.DEGRADED,
        version,
        ViewState.REFUSED + ViewState.UNREADABLE + "no such id");
  }

  private void state(
      String view,
      ViewState.State state,
      long definitionVersion,
      String reason,
      ViewState.Generation... standing) {
    ViewState published =
        new ViewState(
            view,
            "uid-1",
            ++stateVersion,
            NOW,
            state,
            definitionVersion,
            reason,
            "people",
            "kv",
            "sink",
            List.of(standing),
            List.of(),
            ViewState.Freshness.UNKNOWN);
    log.get(topics.viewStates()).append(view, published.toAvro(), registry);
  }

  void stateGone(String view) {
    log.get(topics.viewStates()).append(view, null, registry);
  }

  static ViewState.Generation standing(int number, ViewState.Role role) {
    return new ViewState.Generation(
        number, role, 0, "", OptionalLong.of(10), OptionalLong.of(200), OptionalLong.empty());
  }

  /** A source partition of a source says that it is alive. */
  void heartbeat(String sourcePartition, int sourcePartitions, long at) {
    heartbeat(sourcePartition, sourcePartitions, at, OptionalLong.empty());
  }

  /**
   * @param publishedUntil empty: it does not tell; 0: it does not know
   */
  void heartbeat(
      String sourcePartition, int sourcePartitions, long at, OptionalLong publishedUntil) {
    SourceState state =
        new SourceState(
            "kvstore",
            CHANGES,
            Optional.empty(),
            sourcePartition,
            sourcePartitions,
            Optional.empty(),
            Optional.empty(),
            at,
            publishedUntil,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    log.get(topics.sourceStates()).append(state.key(), state.toAvro(), registry);
  }

  static ViewSpec spec(String view, String definition, long build) {
    return new ViewSpec(
        view, definition, NOW, new BuildRequest(build, BuildMode.STATE), NOW, Optional.empty());
  }
}
