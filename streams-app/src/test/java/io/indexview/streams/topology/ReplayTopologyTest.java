package io.indexview.streams.topology;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.People;
import io.indexview.streams.topology.TopologyHarness.Written;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replay with the stores and punctuations of Kafka Streams. */
class ReplayTopologyTest {
  private static final int RECORDS = 20;

  @TempDir private Path stateDir;
  private TopologyHarness app;

  String stateStore() {
    return "rocksdb";
  }

  @BeforeEach
  void start() {
    app = new TopologyHarness(stateDir, TopologyHarness.stateStore(stateStore()), People.BY_ORG);
    for (int i = 0; i < RECORDS; i++) {
      app.send(key(i), app.people.upsert(1, person("Ann", "org" + i, 30, "red")));
    }
    app.rows("by-org");
    app.reports();
  }

  @AfterEach
  void stop() {
    app.close();
  }

  private static String key(int i) {
    return "/p/%02d".formatted(i);
  }

  private static List<String> keys(List<Written> rows) {
    return rows.stream().map(row -> row.key().get("_primaryKey").toString()).toList();
  }

  @Test
  void repairsTheStateAndTheServingViewAndBuildsTheNewOne() {
    final Map<String, byte[]> right = app.state();
    app.corrupt(key(3), null);
    app.corrupt(key(7), right.get(key(8)));
    app.publish(
        app.people.published(
            People.generation(People.BY_TAG_AND_AGE), BuildMode.REPLAY, People.CREATED_AT));
    for (int i = 0; i < 50; i++) {
      app.passTime(Duration.ofMillis(100));
    }

    assertThat(app.rows("by-tag-and-age")).hasSize(RECORDS);
    assertThat(keys(app.rows("by-org"))).containsExactly(key(3), key(7), key(7));
    assertThat(app.state().keySet()).isEqualTo(right.keySet());
    assertThat(app.replayed()).isZero();
    assertThat(
            app.reports().stream()
                .filter(report -> report.view().equals("by-tag-and-age"))
                .map(TaskProgress::phase))
        .startsWith(TaskProgress.Phase.BUILDING)
        .endsWith(TaskProgress.Phase.BUILT);

    app.send(key(3), app.people.upsert(2, person("Ann", "new", 31, "red")));
    assertThat(app.rows("by-org")).hasSize(2);
    assertThat(app.rows("by-tag-and-age")).hasSize(2);
  }
}
