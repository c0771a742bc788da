package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.control.KeyScope;
import io.indexview.streams.People;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one source published again says nothing of what only another one knows. */
class SeveralSourcesTest {
  private final TaskWorld world = new TaskWorld();

  @BeforeEach
  void begin() {
    world.publish(world.people.published(People.generation(People.BY_ORG)));
    tell("/a/1");
    tell("/b/1");
    tell("/c/1");
  }

  private void tell(String key) {
    world.event(key, Op.UPDATE, world.end() + 1, person("Ann", "org", 30));
    world.settle();
  }

  private void publishedAgain(String source, String prefix, long startedAtMs, long begin) {
    world.scope = new KeyScope(prefix, null);
    world.adHocSnapshot(source, "0", 1, startedAtMs, begin, world.end());
    world.settle();
  }

  private boolean isGone(String key) {
    return world.entry(key).deleted();
  }

  @Test
  void aLaterAdHocSnapshotOfOneAloneDeletesWhatItHasLost() {
    publishedAgain("a", "/a", 10, 0);
    publishedAgain("b", "/b", 20, 0);
    assertThat(isGone("/a/1")).isFalse();

    publishedAgain("b", "/b", 30, world.end());
    assertThat(isGone("/b/1")).isTrue();
    assertThat(isGone("/a/1")).isFalse();
    assertThat(isGone("/c/1")).isFalse();
  }

  @Test
  void theClocksOfTheirHostsDoNotMatter() {
    publishedAgain("a", "/a", 1_000_000, 0);
    publishedAgain("b", "/b", 20, 0);
    publishedAgain("b", "/b", 10, world.end());

    assertThat(isGone("/b/1")).isTrue();
    assertThat(isGone("/a/1")).isFalse();
  }

  @Test
  void sharedKeyIsDeletedOnlyWhenNeitherSourceHasIt() {
    publishedAgain("a", "", 10, 0);
    publishedAgain("b", "/b", 20, 0);
    publishedAgain("b", "/b", 30, world.end());
    assertThat(isGone("/b/1")).isFalse();

    publishedAgain("a", "", 40, world.end());
    assertThat(isGone("/b/1")).isTrue();
    assertThat(isGone("/c/1")).isTrue();
  }
}
