package io.indexview.streams.generation;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.config.AppConfig;
import io.indexview.streams.generation.TopicFit.InPlace;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TopicFitTest {
  private static final String CARS = "indexview.changes.cars";
  private static final String RECORDS = "app-records-cars-changelog";
  private static final String MEMORY = "app-builds-cars-changelog";

  private final FakeCluster cluster = new FakeCluster();
  private final TopicFit fit =
      new TopicFit(
          AppConfig.parse(
              Map.of(
                  "application.id",
                  "app",
                  "bootstrap.servers",
                  "127.0.0.1:1",
                  "schema.registry.url",
                  "mock://fit",
                  "record.sets",
                  "people,cars",
                  "state.dir",
                  "state")),
          cluster);

  @BeforeEach
  void run() {
    cluster.add("indexview.changes.people", 2);
    cluster.add("app-records-people-changelog", 2);
    cluster.add("app-builds-people-changelog", 2);
    cluster.add(CARS, 4);
    cluster.add(RECORDS, 4);
    cluster.add(MEMORY, 4);
  }

  private void assertMisfit(String inPlace, boolean hasMemory, String... reasons) {
    assertThat(fit.misfits()).containsOnlyKeys("cars");
    assertThat(fit.misfits().get("cars").reason()).contains(reasons);
    assertThat(fit.misfits().get("cars").inPlace()).isEqualTo(new InPlace(inPlace, hasMemory));
  }

  @Test
  void fitsWithThePartitionsOfItsStateOrWithoutState() {
    assertThat(fit.misfits()).isEmpty();
    cluster.delete(RECORDS);
    cluster.delete(MEMORY);
    assertThat(fit.misfits()).isEmpty();
    cluster.delete(CARS);
    assertThat(fit.misfits()).isEmpty();
  }

  @Test
  void saysThatPartitionsWereAdded() {
    cluster.add(CARS, 6);
    assertMisfit(RECORDS, true, "topic indexview.changes.cars has 6", "state has 4");
    assertThat(fit.misfits().get("cars").goneTopic()).isEmpty();
  }

  @Test
  void saysThatTheTopicIsGone() {
    cluster.delete(CARS);
    assertMisfit(RECORDS, true, "indexview.changes.cars is gone", "again with 4 partitions");
    assertThat(fit.misfits().get("cars").goneTopic()).contains(CARS);
  }

  @Test
  void saysThatPartitionsWereAddedToAChangelog() {
    cluster.add(MEMORY, 6);
    assertMisfit(RECORDS, false, "topic indexview.changes.cars has 4", "state has 6", MEMORY);
    cluster.add(MEMORY, 4);
    cluster.add(RECORDS, 6);
    assertMisfit(RECORDS, false, "topic indexview.changes.cars has 4", "state has 6", RECORDS);
  }

  @Test
  void leavesSomethingInPlaceWhereOnlyOneChangelogIsThere() {
    cluster.delete(CARS);
    cluster.delete(MEMORY);
    assertMisfit(RECORDS, true, "is gone");
    cluster.add(MEMORY, 4);
    cluster.delete(RECORDS);
    assertMisfit(MEMORY, false, "is gone");
  }
}
