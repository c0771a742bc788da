package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What must be true in the simulated world when it has come to rest. */
final class AtRest {
  private final SimWorld world;

  AtRest(SimWorld world) {
    this.world = world;
  }

  /** Everything is as it was asked, exactly, and nothing else is left. */
  void check() {
    Set<String> topics = new HashSet<>();
    Map<String, Map<String, SimSink.Row>> rows = new TreeMap<>();
    for (String view : SimWorld.VIEWS) {
      Optional<PublishedGeneration> serving = world.user.spec(view).map(spec -> serving(view));
      serving.ifPresent(
          generation -> {
            topics.add(generation.viewTopic());
            SimSource source = world.sources.get(generation.recordSet());
            Map<String, SimSink.Row> expected = new TreeMap<>();
            for (int partition = 0; partition < SimWorld.PARTITIONS; partition++) {
              SimView.rows(
                      generation.definition(), source.stateAt(partition, source.end(partition)))
                  .forEach(
                      (row, value) ->
                          expected.put(row, new SimSink.Row(generation.generation(), value)));
            }
            rows.put(world.frozen.get(generation.viewTopic()).storeName(), expected);
          });
      if (serving.isEmpty()) {
        assertThat(world.sinks.values()).noneMatch(sink -> sink.metadata.containsKey(view));
        assertThat(world.committedState(view)).isNull();
      }
    }
    assertThat(world.topics.keySet()).isEqualTo(topics);
    assertThat(world.generations.values().stream().map(PublishedGeneration::viewTopic))
        .containsExactlyInAnyOrderElementsOf(topics);
    Map<String, Map<String, SimSink.Row>> found = new TreeMap<>();
    world.sinks.values().forEach(sink -> found.putAll(sink.rows));
    found.values().removeIf(Map::isEmpty);
    rows.values().removeIf(Map::isEmpty);
    assertThat(found).isEqualTo(rows);
  }

  private PublishedGeneration serving(String view) {
    ViewState state = world.committedState(view);
    assertThat(state.state()).as("%s: %s", view, state.reason()).isEqualTo(State.READY);
    assertThat(state.generations()).as("generations of %s: %s", view, state.reason()).hasSize(1);
    PublishedGeneration serving =
        world.generations.get(
            PublishedGeneration.key(view, state.serving().orElseThrow().number()));
    assertThat(serving.definition()).isEqualTo(world.user.spec(view).orElseThrow().definition());
    assertThat(world.sink(state.target()).metadata.get(view)).isEqualTo(state);
    return serving;
  }
}
