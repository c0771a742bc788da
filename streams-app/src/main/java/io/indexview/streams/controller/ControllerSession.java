package io.indexview.streams.controller;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.controller.ControlTopics.End;
import io.indexview.streams.controller.actions.ActionRunner;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.health.ViewStateGauges;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The loop of a process as long as it holds the lease: read, decide, commit, act. Whatever fails
 * ends the session; the next one goes on from what is committed. For one thread.
 */
final class ControllerSession implements AutoCloseable {
  /** Time goes on for views that wait for it. */
  private static final Duration TICK = Duration.ofMillis(200);

  /** Pause while something is to be read, or to be done, at once. */
  private static final Duration SOON = Duration.ofMillis(5);

  private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);
  private static final Logger LOGGER = LoggerFactory.getLogger(ControllerSession.class);

  private final ControlTopics topics;
  private final ControllerSettings settings;
  private final ForeignPublications foreign;
  private final Supplier<Publications> published;
  private final ActionRunner actions;
  private final ViewStateGauges gauges;
  private final InstantSource clock;
  private final List<Finding> findings = new ArrayList<>();

  /** Last state logged per view; avoids repeated lines. */
  private final Map<String, ViewState.State> states = new HashMap<>();

  private Reconciler reconciler;
  private End findingsCount;
  private long foundAtMs;
  private Duration pause = Duration.ZERO;

  /**
   * @param published read to the ends of the topics when asked
   */
  ControllerSession(
      ControlTopics topics,
      ControllerSettings settings,
      ForeignPublications foreign,
      Supplier<Publications> published,
      ActionRunner actions,
      ViewStateGauges gauges,
      InstantSource clock) {
    this.topics = topics;
    this.settings = settings;
    this.foreign = foreign;
    this.published = published;
    this.actions = actions;
    this.gauges = gauges;
    this.clock = clock;
  }

  /**
   * Takes over. An old report must not pass for the newest one, so all are read before the
   * definitions are taken in.
   *
   * @throws io.indexview.schemas.config.InvalidConfigException if something is published that is
   *     not remembered
   */
  void open() {
    Publications before = published.get();
    ControlTopics.Memory memory = topics.open();
    Publications now = published.get();
    List<PublishedGeneration> gone = foreign.compare(before, now, memory.views());
    reconciler = new Reconciler(settings, memory.views(), memory.losses());
    now.states().values().forEach(reconciler::published);
    End end = topics.end();
    List<ControlEvent> definitions = new ArrayList<>(memory.definitions());
    long position = topics.position();
    long readAtMs = clock.millis();
    while (!topics.hasRead(end)) {
      for (ControlEvent event : topics.read(TICK)) {
        if (event instanceof ControlEvent.Definition) {
          definitions.add(event);
        } else {
          apply(event);
        }
      }
      if (topics.position() != position) {
        position = topics.position();
        readAtMs = clock.millis();
      } else if (clock.millis() - readAtMs > READ_TIMEOUT.toMillis()) {
        throw new TimeoutException(
            "the control topics are not read to their end, and nothing was read for "
                + READ_TIMEOUT);
      }
    }
    definitions.forEach(this::apply);
    gone.forEach(this::removeAgain);
    now.states()
        .values()
        .forEach(
            state -> apply(new ControlEvent.Continued(state.view(), state.version(), state.uid())));
    if (now.areLost()) {
      apply(new Finding.PublicationsLost());
    } else {
      memory.views().stream()
          .filter(now::lack)
          .forEach(view -> apply(new ControlEvent.ViewPublicationsLost(view.view())));
    }
  }

  private void removeAgain(PublishedGeneration gone) {
    LOGGER.warn(
        "Generation {} is gone, and stands on view-generations: the brokers lost the end of the topic. It is taken away again",
        gone.key());
    apply(new ControlEvent.RemovalLost(gone.view(), gone.generation()));
  }

  /**
   * One round. What was found counts only when everything is read that was reported before: a task
   * may have reported a fault that the finding is about.
   */
  void round() {
    // What is observed before what is desired: the rules decide on all that is known.
    topics.read(pause).stream()
        .sorted(Comparator.comparing(ControlEvent.Definition.class::isInstance))
        .forEach(this::apply);
    long nowMs = clock.millis();
    if (!findings.isEmpty()) {
      applyFindings(nowMs);
    }
    reconciler.tick(nowMs);
    Reconciler.Changes changes = reconciler.takeChanges();
    topics.commit(changes);
    changes.records.forEach(this::log);
    gauges.show(
        reconciler.health().stream()
            .map(health -> new ViewStateGauges.Shown(health.state(), health.reasons()))
            .toList());
    act(changes.isEmpty());
  }

  private void log(ControlRecord committed) {
    if (committed instanceof ControlRecord.StateGone gone) {
      states.remove(gone.view());
      LOGGER.info("View {} is gone", gone.view());
    } else if (committed instanceof ControlRecord.State shown) {
      ViewState view = shown.state();
      if (states.put(view.view(), view.state()) != view.state()) {
        LOGGER
            .atLevel(view.state() == ViewState.State.DEGRADED ? Level.WARN : Level.INFO)
            .log("View {} is {}{}", view.view(), view.state(), because(view.reason()));
      }
    }
  }

  private static String because(String reason) {
    return reason.isEmpty() ? "" : ": " + reason;
  }

  private void applyFindings(long nowMs) {
    if (topics.hasRead(findingsCount)) {
      // What is wrong before what is done: a generation that is ready, and just found faulty, must
      // not replace one that is right.
      findings.sort(Comparator.comparing(Finding.Done.class::isInstance));
      findings.forEach(finding -> reconciler.apply(finding, nowMs));
      findings.clear();
    } else if (nowMs - foundAtMs > READ_TIMEOUT.toMillis()) {
      throw new TimeoutException(
          "what was reported before something was found was not read within " + READ_TIMEOUT);
    }
  }

  /** Acts on what is committed; looks at nothing else until what was found is taken in. */
  private void act(boolean atRest) {
    Duration due = Duration.ZERO;
    if (findings.isEmpty()) {
      due = actions.run(reconciler.wanted(), findings);
      if (!findings.isEmpty()) {
        findingsCount = topics.end();
        foundAtMs = clock.millis();
      }
    }
    boolean waits = findings.isEmpty() && atRest;
    pause = waits ? due.compareTo(TICK) < 0 ? due : TICK : SOON;
  }

  private void apply(ControlEvent event) {
    if (event instanceof ControlEvent.Unreadable) {
      gauges.countUnreadable();
    }
    reconciler.apply(event, clock.millis());
  }

  @Override
  public void close() {
    gauges.show(List.of());
    topics.close();
  }
}
