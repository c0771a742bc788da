package io.indexview.streams.topology;

import static io.indexview.streams.People.BY_ORG;
import static io.indexview.streams.People.BY_TAG_AND_AGE;
import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.People;
import io.indexview.streams.topology.TopologyHarness.Written;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Generations that come and go while the topology runs. */
class OnlineBuildTest {
  private static final int RECORDS = 50;

  @TempDir private Path stateDir;
  private final Map<String, TaskProgress> reports = new HashMap<>();
  private TopologyHarness app;

  String stateStore() {
    return "rocksdb";
  }

  @BeforeEach
  void start() {
    app = new TopologyHarness(stateDir, TopologyHarness.stateStore(stateStore()), BY_ORG);
    for (int i = 0; i < RECORDS; i++) {
      app.send("/p/" + i, app.people.upsert(1, person("Ann", "org" + i % 3, 30, "red", "blue")));
    }
    app.rows("by-org");
    app.reports();
  }

  @AfterEach
  void stop() {
    app.close();
  }

  private PublishedGeneration publish(String yaml) {
    PublishedGeneration generation = app.people.published(People.generation(yaml));
    app.publish(generation);
    return generation;
  }

  private void settle() {
    for (int i = 0; i < 10; i++) {
      app.passTime(Duration.ofMillis(100));
    }
  }

  private TaskProgress lastReport(String view) {
    app.reports().forEach(report -> reports.put(report.view(), report));
    return reports.get(view);
  }

  @Test
  void buildsANewViewWithoutARestart() {
    publish(BY_TAG_AND_AGE);
    settle();

    List<Written> rows = app.rows("by-tag-and-age");
    assertThat(rows).hasSize(2 * RECORDS);
    assertThat(rows.get(0).headers())
        .containsEntry("indexview.generation", "1")
        .hasEntrySatisfying(
            "indexview.revision",
            revision ->
                assertThat(Long.parseLong(revision))
                    .isBetween(
                        TopologyHarness.START.toEpochMilli(),
                        TopologyHarness.START.toEpochMilli() + 100));
    assertThat(app.rows("by-org")).isEmpty();
    TaskProgress report = lastReport("by-tag-and-age");
    assertThat(report.phase()).isEqualTo(TaskProgress.Phase.BUILT);
    assertThat(report.recordSet()).isEqualTo("people");
    assertThat(report.done()).isEqualTo(RECORDS);
    assertThat(report.rows()).isEqualTo(2 * RECORDS);

    app.send("/p/1", app.people.upsert(2, person("Ann", "org1", 30, "red")));
    assertThat(app.rows("by-tag-and-age")).hasSize(1);
    assertThat(app.metrics.view("by-tag-and-age", 1).upserts()).isEqualTo(2 * RECORDS);
  }

  @Test
  void remembersOverARestartWhatWasBuiltAndCounted() {
    publish(BY_TAG_AND_AGE);
    settle();
    app.rows("by-tag-and-age");
    app.restart();
    settle();

    assertThat(app.rows("by-tag-and-age")).isEmpty();
    assertThat(lastReport("by-tag-and-age").rows()).isEqualTo(2 * RECORDS);
    assertThat(lastReport("by-org").phase()).isEqualTo(TaskProgress.Phase.BUILT);
  }

  @Test
  void goesOnWithABuildAfterARestart() {
    app.publish(app.people.published(People.generation(BY_TAG_AND_AGE)));
    app.passTime(Duration.ofMillis(100));
    app.restart();
    settle();

    assertThat(app.rows("by-tag-and-age")).hasSize(2 * RECORDS);
    assertThat(lastReport("by-tag-and-age").rows()).isEqualTo(2 * RECORDS);
  }

  @Test
  void stopsAGenerationAndSaysSo() {
    PublishedGeneration generation = app.people.published(People.generation(BY_ORG));
    app.publish(generation.toStopped());
    settle();

    assertThat(lastReport("by-org").phase()).isEqualTo(TaskProgress.Phase.STOPPED);
    app.send("/p/1", app.people.upsert(2, person("Ann", "moved", 30)));
    assertThat(app.rows("by-org")).isEmpty();

    app.pipe(generation.key(), null);
    settle();
    assertThat(app.reports()).isEmpty();
  }

  @Test
  void survivesAGenerationThatIsGarbage() {
    app.pipe("broken|1", new byte[] {1, 2, 3});
    settle();

    assertThat(lastReport("broken").phase()).isEqualTo(TaskProgress.Phase.FAILED);
    app.send("/p/1", app.people.upsert(2, person("Ann", "moved", 30)));
    assertThat(app.rows("by-org")).hasSize(2);
  }
}
