package io.indexview.streams.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildRequest;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewWish;
import io.indexview.streams.People;
import io.indexview.streams.lifecycle.machine.LifeSettings;
import io.indexview.streams.lifecycle.machine.Publication;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.views.definition.ViewDefinitionParser;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the owner writes and asks, in numbers. */
class OwnerCostTest {
  private static final int VIEWS = 20;
  private static final int PARTITIONS = 30;
  private static final LifeSettings SETTINGS =
      new LifeSettings(
          Duration.ofMinutes(10), new Topics(Topics.DEFAULT_PREFIX), Map.of("kv", "connect-kv"));

  private final Map<String, String> kept = new HashMap<>();
  private int writes;
  private int largest;
  private long nowMs = 1_000_000;
  private Owner owner = open();

  private Owner open() {
    return new Owner(
        SETTINGS,
        new LifeStore() {
          @Override
          public Map<String, String> all() {
            return Map.copyOf(kept);
          }

          @Override
          public void put(String key, String text) {
            writes++;
            if (text == null) {
              kept.remove(key);
            } else {
              largest = Math.max(largest, text.length());
              kept.put(key, text);
            }
          }
        });
  }

  private static String view(int number) {
    return "view-" + number;
  }

  private void serve() {
    for (int i = 0; i < VIEWS; i++) {
      String definition = People.BY_ORG.replace("by-org", view(i));
      String json = new ViewDefinitionParser().parse("test.yaml", definition).toJson();
      owner.wished(new ViewWish(view(i), json, 7, BuildRequest.FIRST, nowMs), nowMs);
    }
    for (Work work : owner.wanted()) {
      if (work instanceof Work.Freeze freeze) {
        owner.worked(Freezing.frozen(freeze, People.RECORD_SET, PARTITIONS), nowMs);
      }
    }
    for (int i = 0; i < VIEWS; i++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        report(i, partition, 1);
      }
    }
    for (Work work : owner.wanted()) {
      if (work instanceof Work.CheckReady) {
        owner.worked(WorkResult.Done.of(work), nowMs);
      }
    }
    rest();
  }

  private void rest() {
    for (int i = 0; i < 3; i++) {
      nowMs += 1_000;
      owner.ticked(nowMs);
    }
    writes = 0;
    largest = 0;
  }

  private List<Publication> report(int view, int partition, long rows) {
    return owner.reported(
        new TaskProgress(
            "people", partition, view(view), 1, Phase.BUILT, 9, 9, rows, rows, 0, "", nowMs),
        nowMs);
  }

  @Test
  void reportThatCountsOnIsOneSmallRecord() {
    serve();
    nowMs += 10_000;
    report(0, 0, 2);
    assertThat(writes).as("the report, and the life with a new state").isEqualTo(2);

    report(0, 0, 3);
    assertThat(writes).as("the report, and the life with a state that is owed").isEqualTo(4);

    writes = 0;
    largest = 0;
    for (int partition = 0; partition < PARTITIONS; partition++) {
      report(0, partition, 4);
    }
    assertThat(writes).isEqualTo(PARTITIONS);
    assertThat(largest).as("characters of a record").isLessThan(400);
  }

  @Test
  void remembersEveryReportOverARestart() {
    serve();
    report(3, 7, 100);
    Set<Work> wanted = owner.wanted();
    var health = owner.health();

    owner = open();

    assertThat(owner.wanted()).isEqualTo(wanted);
    assertThat(owner.health()).isEqualTo(health);
    nowMs += 1_000;
    assertThat(report(3, 8, 2))
        .singleElement()
        .asString()
        .contains("rows=OptionalLong[%d]".formatted(28 + 100 + 2));
  }

  @Test
  void asksNoViewThatNothingHappensTo() {
    serve();
    assertThat(owner.restless()).isEmpty();

    report(5, 0, 2);
    assertThat(owner.restless()).containsExactly(view(5));
  }

  @Test
  void wantsTheSameObjectAsLongAsItWantsTheSame() {
    serve();
    Set<Work> wanted = owner.wanted();

    report(5, 0, 2);

    assertThat(owner.wanted()).isSameAs(wanted);
  }

  @Test
  void forgetsTheReportsOfWhatIsGone() {
    serve();
    owner.dropped(view(0), nowMs);
    assertThat(kept.keySet()).anyMatch(key -> key.startsWith("task|view-0|"));

    goThrough(view(0));

    assertThat(kept.keySet()).noneMatch(key -> key.startsWith("task|view-0|"));
  }

  private void goThrough(String view) {
    for (int i = 0; i < 20; i++) {
      for (Work work : owner.wanted()) {
        if (work.view().equals(view) && !(work instanceof Work.Watch)) {
          owner.worked(WorkResult.Done.of(work), nowMs);
        }
      }
      nowMs += SETTINGS.grace().toMillis();
      owner.ticked(nowMs);
      for (int partition = 0; partition < PARTITIONS; partition++) {
        owner.reported(
            new TaskProgress("people", partition, view, 1, Phase.STOPPED, 9, 9, 0, 0, 0, "", nowMs),
            nowMs);
      }
    }
  }
}
