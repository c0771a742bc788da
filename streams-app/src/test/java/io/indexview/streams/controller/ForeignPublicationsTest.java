package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.controller.actions.Installation;
import io.indexview.streams.generation.FakeCluster;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ForeignPublicationsTest {
  private static final String MEMORY = ControllerFactory.name("app");
  private static final Map<String, PublishedGeneration> PUBLISHED =
      Map.of(Installation.BY_ORG.key(), Installation.BY_ORG);

  private final FakeCluster cluster = new FakeCluster();

  private void check(Map<String, PublishedGeneration> published) {
    new ForeignPublications(MEMORY, new Topics(Topics.DEFAULT_PREFIX), cluster)
        .refuseWithoutMemory(published);
  }

  @Test
  void refusesWhatAnEarlierBuildOrAnotherApplicationPublished() {
    InvalidConfigException refused =
        catchThrowableOfType(InvalidConfigException.class, () -> check(PUBLISHED));

    assertThat(refused.problems())
        .singleElement()
        .asString()
        .contains(
            "indexview.view-generations",
            "app-controller",
            Installation.BY_ORG.key(),
            "application.id, state.dir and topic.prefix");
  }

  @Test
  void acceptsPublicationsWhenTheMemoryTopicExists() {
    cluster.add(MEMORY, 1);

    assertThatNoException().isThrownBy(() -> check(PUBLISHED));
  }

  @Test
  void acceptsAClusterWithoutPublications() {
    assertThatNoException().isThrownBy(() -> check(Map.of()));
  }
}
