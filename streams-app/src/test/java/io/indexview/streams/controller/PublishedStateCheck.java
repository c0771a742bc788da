package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.streams.controller.rules.Finding;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A published state against what the controller had been told when it was made. */
final class PublishedStateCheck {
  private final SimWorld world;
  private final List<Object> known;

  PublishedStateCheck(SimWorld world, List<Object> known) {
    this.world = world;
    this.known = known;
  }

  void check(ViewState state) {
    if (state.state() == State.DELETING) {
      assertThat(state.generations()).allMatch(listed -> listed.role() == Role.RETIRING);
    }
    if (state.state() == State.READY) {
      int number = state.serving().orElseThrow().number();
      ready(world.generations.get(PublishedGeneration.key(state.view(), number)), state);
    }
  }

  /** Whether nothing that was told says that something is wrong with it. */
  boolean isRight(PublishedGeneration generation, ViewState state) {
    try {
      ready(generation, state);
      return true;
    } catch (AssertionError e) {
      return false;
    }
  }

  private void ready(PublishedGeneration serving, ViewState state) {
    Map<Integer, TaskProgress> reports = new HashMap<>();
    long brokenMs = 0;
    long wholeMs = 0;
    boolean forgotten = false;
    long wrongRows = 0;
    Set<String> changelogs = new HashSet<>();
    for (Object each : known) {
      if (each instanceof TaskProgress report
          && isOf(serving, report.view(), report.generation())) {
        reports.put(report.partition(), report);
      } else if (each instanceof RowsVerified verified
          && isOf(serving, verified.view(), verified.generation())) {
        wrongRows = verified.wrong();
      } else if (each instanceof EventsLost loss) {
        if (!loss.ofState() || changelogs.add(loss.topicId())) {
          brokenMs = Math.max(brokenMs, loss.foundAtMs());
          forgotten |= loss.ofState() && !reports.isEmpty();
        }
      } else if (each instanceof Finding.RecordSetWhole whole) {
        wholeMs = Math.max(wholeMs, whole.atMs());
      } else if (each instanceof Finding.OfView result
          && isOf(serving, result.view(), result.generation())) {
        assertThat(result).isNotInstanceOf(Finding.ChangesMissed.class);
        if (result instanceof Finding.RowRejected rejected) {
          superseded(serving, rejected);
        }
      }
    }
    assertThat(wrongRows).as("wrong rows of %s", state).isZero();
    assertThat(reports.values()).as("%s", state).noneMatch(report -> report.failedRecords() > 0);
    if (serving.recordSet().equals("people")) {
      assertThat(forgotten).as("rows of forgotten records may stay").isFalse();
      assertThat(wholeMs).as("record set people is whole").isGreaterThanOrEqualTo(brokenMs);
    }
  }

  private static boolean isOf(PublishedGeneration generation, String view, int number) {
    return generation.view().equals(view) && generation.generation() == number;
  }

  private void superseded(PublishedGeneration serving, Finding.RowRejected rejected) {
    List<SimTopic.Message> messages =
        world.topics.get(serving.viewTopic()).partition(rejected.row().partition());
    assertThat(SimActions.lastOf(messages, rejected.row().row()))
        .as("newest record of %s", rejected)
        .isGreaterThan((int) rejected.row().offset());
  }
}
