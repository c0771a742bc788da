package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** The sink of a target, and the target itself. */
final class SimSink {
  final String target;

  /** By store, then row key. */
  final Map<String, Map<String, Row>> rows = new TreeMap<>();

  final Map<String, ViewState> metadata = new TreeMap<>();

  /** Generations that the metadata once named as serving: since when it does not any more. */
  final Map<String, Long> unservedSince = new TreeMap<>();

  final List<RejectedRecord> deadLetters = new ArrayList<>();
  private final SimWorld world;
  private final Map<String, List<Integer>> applied = new HashMap<>();
  private final Map<String, List<Integer>> committed = new HashMap<>();
  private final Map<String, Integer> variants = new HashMap<>();
  private int statesApplied;
  private int statesCommitted;

  record Row(int generation, Integer value) {}

  record RejectedRecord(String topic, int partition, int offset, String rowKey) {}

  SimSink(SimWorld world, String target) {
    this.world = world;
    this.target = target;
  }

  List<Integer> applied(SimTopic topic) {
    return applied.getOrDefault(topic.name, new ArrayList<>(zeros(topic)));
  }

  /** What the consumer group says. */
  List<Integer> committed(SimTopic topic) {
    return committed.getOrDefault(topic.name, zeros(topic));
  }

  int committedStates() {
    return statesCommitted;
  }

  private static List<Integer> zeros(SimTopic topic) {
    return topic.ends().stream().map(end -> 0).toList();
  }

  boolean isIdle() {
    return statesCommitted == world.states.size()
        && world.topics.values().stream()
            .filter(this::isMine)
            .allMatch(topic -> committed(topic).equals(topic.ends()));
  }

  private boolean isMine(SimTopic topic) {
    return topic.name.startsWith("indexview.view." + target + ".");
  }

  void step(Random random) {
    int choice = random.nextInt(4);
    if (choice == 0) {
      applyState();
    } else if (choice == 1) {
      statesCommitted = statesApplied;
      applied.forEach((topic, positions) -> committed.put(topic, List.copyOf(positions)));
    } else {
      List<SimTopic> mine = world.topics.values().stream().filter(this::isMine).toList();
      if (!mine.isEmpty()) {
        SimTopic topic = mine.get(random.nextInt(mine.size()));
        apply(topic, random.nextInt(topic.partitions()), 1 + random.nextInt(8));
      }
    }
  }

  private void applyState() {
    if (statesApplied == world.states.size()) {
      return;
    }
    SimWorld.StateRecord record = world.states.get(statesApplied);
    statesApplied++;
    Optional<String> before = serving(metadata.get(record.view()));
    if (record.state() == null) {
      metadata.remove(record.view());
    } else if (record.state().target().equals(target)) {
      metadata.put(record.view(), record.state());
    }
    before.ifPresent(key -> unservedSince.put(key, world.nowMs));
    serving(metadata.get(record.view())).ifPresent(unservedSince::remove);
  }

  /** What readers are to read, if anything. */
  static Optional<String> serving(ViewState state) {
    return Optional.ofNullable(state)
        .filter(shown -> shown.state() == State.READY || shown.state() == State.DEGRADED)
        .flatMap(ViewState::serving)
        .map(serving -> PublishedGeneration.key(state.view(), serving.number()));
  }

  private void apply(SimTopic topic, int partition, int most) {
    List<Integer> positions =
        applied.computeIfAbsent(topic.name, name -> new ArrayList<>(zeros(topic)));
    for (int i = 0; i < most && positions.get(partition) < topic.end(partition); i++) {
      int offset = positions.get(partition);
      apply(topic, partition, offset, topic.partition(partition).get(offset));
      positions.set(partition, offset + 1);
    }
  }

  private void apply(SimTopic topic, int partition, int offset, SimTopic.Message message) {
    ViewGeneration generation = world.frozen.get(topic.name);
    Map<String, Row> store = rows.computeIfAbsent(generation.storeName(), name -> new TreeMap<>());
    if (message.removal()) {
      remove(generation, store);
      return;
    }
    int variant =
        variants.computeIfAbsent(
            topic.name, name -> SimView.variant(generation.definition().toJson()));
    Row present = store.get(message.rowKey());
    if (present != null && present.generation() > generation.number()) {
      return;
    }
    if (message.value() == null) {
      store.remove(message.rowKey());
    } else if (SimView.isRejected(variant, message.value())) {
      deadLetters.add(new RejectedRecord(topic.name, partition, offset, message.rowKey()));
    } else {
      store.put(message.rowKey(), new Row(generation.number(), message.value()));
    }
  }

  private void remove(ViewGeneration generation, Map<String, Row> store) {
    ViewState shown = metadata.get(generation.view());
    if (shown != null) {
      assertThat(shown.generations())
          .as("metadata of %s when its rows are removed", generation.viewTopic())
          .noneMatch(
              listed -> listed.number() == generation.number() && listed.role() != Role.RETIRING);
    }
    store.values().removeIf(row -> row.generation() == generation.number());
  }

  /** Rows of a generation, by row key. */
  Map<String, Integer> rowsOf(ViewGeneration generation) {
    Map<String, Integer> found = new TreeMap<>();
    rows.getOrDefault(generation.storeName(), Map.of())
        .forEach(
            (key, row) -> {
              if (row.generation() == generation.number()) {
                found.put(key, row.value());
              }
            });
    return found;
  }
}
