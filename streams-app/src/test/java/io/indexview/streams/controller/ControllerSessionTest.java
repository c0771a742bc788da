package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.streams.People;
import io.indexview.streams.controller.actions.ActionRunner;
import io.indexview.streams.controller.actions.Activity;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.health.AppMetrics;
import io.indexview.views.definition.ViewDefinitionParser;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.apache.kafka.common.errors.TimeoutException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class ControllerSessionTest {
  private static final ControllerSettings SETTINGS =
      new ControllerSettings(
          Duration.ofMinutes(10), new Topics(Topics.DEFAULT_PREFIX), Map.of("kv", "connect-kv"));

  private final ManualClock clock = new ManualClock(Instant.ofEpochMilli(1_000));
  private final SlowTopics topics = new SlowTopics();
  private final List<Finding> toFind = new ArrayList<>();
  private final ControllerSession session =
      new ControllerSession(
          topics,
          SETTINGS,
          Map::of,
          () -> false,
          new ActionRunner(
              new NoActions(),
              clock,
              List.of(
                  found -> {
                    toFind.forEach(found);
                    return new Activity.Again(Duration.ZERO, "");
                  })),
          new AppMetrics().viewStates(),
          clock);

  private static final class NoActions implements ActionRunner.Factory {
    @Override
    public Activity begin(Action action) {
      return found -> Activity.waiting("");
    }

    @Override
    public void keep(Collection<Action> wanted) {}
  }

  /** Gives one batch per read; each read takes 20 s. */
  private final class SlowTopics implements ControlTopics {
    private final Queue<List<News>> batches = new ArrayDeque<>();
    private final List<Reconciler.Changes> committed = new ArrayList<>();
    private long read;
    private long end;

    private record Until(long batch) implements End {}

    @Override
    public Memory open() {
      return new Memory(List.of(), Map.of());
    }

    @Override
    public List<News> read(Duration pause) {
      clock.pass(Duration.ofSeconds(20));
      if (batches.isEmpty()) {
        return List.of();
      }
      read++;
      return batches.remove();
    }

    @Override
    public long position() {
      return read;
    }

    @Override
    public End end() {
      return new Until(end);
    }

    @Override
    public boolean hasRead(End until) {
      return read >= ((Until) until).batch();
    }

    @Override
    public void commit(Reconciler.Changes changes) {
      committed.add(changes);
    }

    @Override
    public void close() {}
  }

  private void lies(List<ControlTopics.News> batch) {
    topics.batches.add(batch);
    topics.end++;
  }

  private static ViewSpec spec() {
    String json = new ViewDefinitionParser().parse("by-org.yaml", People.BY_ORG).toJson();
    return new ViewSpec("by-org", json, 7, BuildRequest.FIRST, 1, Optional.empty());
  }

  @Test
  void opensHoweverLongReadingTakesAsLongAsItGoesOn() {
    lies(List.of(new ControlTopics.News.Desired(spec())));
    lies(List.of(new ControlTopics.News.Lost(new EventsLost("people", 5, "trimmed"))));
    // Records that are no news.
    lies(List.of());
    lies(List.of());
    lies(List.of());

    session.open();
    session.round();

    assertThat(topics.committed.get(0).views).containsOnlyKeys("by-org");
    assertThat(topics.committed.get(0).losses).containsOnlyKeys("people");
  }

  /** Of a view that is refused at once. */
  @Test
  void logsEachStateOfAViewOnce() {
    try (LogLines log = LogLines.warnings(ControllerSession.class)) {
      lies(
          List.of(
              new ControlTopics.News.Desired(
                  new ViewSpec("by-org", "{}", 7, BuildRequest.FIRST, 1, Optional.empty()))));
      session.open();
      session.round();
      session.round();

      assertThat(log.get())
          .singleElement(InstanceOfAssertFactories.STRING)
          .startsWith("View by-org is DEGRADED: the newest definition is refused: ");
    }
  }

  @Test
  void givesUpOpeningWhenNothingIsRead() {
    lies(List.of());
    topics.end = 2;

    assertThatThrownBy(session::open).isInstanceOf(TimeoutException.class);
    assertThat(topics.read).isEqualTo(1);
  }

  @Test
  void failsWhenReportsBeforeAFindingCannotBeRead() {
    session.open();
    toFind.add(new Finding.RecordSetBroken("people", 5, "trimmed"));
    topics.end = 1;
    session.round();
    session.round();
    assertThat(topics.committed).allMatch(Reconciler.Changes::isEmpty);

    assertThatThrownBy(session::round).isInstanceOf(TimeoutException.class);
  }

  @Test
  void takesInAFindingWhenReportsBeforeItAreRead() {
    session.open();
    toFind.add(new Finding.RecordSetBroken("people", 5, "trimmed"));
    topics.end = 1;
    session.round();
    topics.batches.add(List.of());
    session.round();

    assertThat(topics.committed.get(1).losses).containsOnlyKeys("people");
  }
}
