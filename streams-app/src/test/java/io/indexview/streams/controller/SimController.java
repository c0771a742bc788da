package io.indexview.streams.controller;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.controller.actions.ActionRunner;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.FakeCluster;
import io.indexview.streams.health.AppMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ProducerFencedException;

/**
 * A process that holds the lease, or believes to: the real {@link ControllerSession} over control
 * topics that others write between any two of its calls, and that abort its transactions.
 */
final class SimController {
  static final Duration GRACE = Duration.ofSeconds(2);
  private static final ControllerSettings SETTINGS =
      new ControllerSettings(
          GRACE,
          new Topics(Topics.DEFAULT_PREFIX),
          Map.of("kv", "connect-kv", "dynamodb", "connect-dynamodb"));

  private final SimWorld world;
  private final Random random;
  final SimActions actions;
  private final SimTopics topics = new SimTopics();
  private final ControllerSession session;

  SimController(SimWorld world) {
    this.world = world;
    this.random = world.random;
    this.actions = new SimActions(world);
    ActionRunner runner =
        new ActionRunner(actions, () -> Instant.ofEpochMilli(world.nowMs), List.of(actions::watch));
    session =
        new ControllerSession(
            topics,
            SETTINGS,
            new ForeignPublications("app-controller", SETTINGS.topics(), new FakeCluster()),
            () -> new Publications(Map.copyOf(world.generations), world.committedStates()),
            runner,
            new AppMetrics().viewStates(),
            () -> Instant.ofEpochMilli(world.nowMs));
    session.open();
  }

  /** Whether it goes on. */
  boolean step() {
    if (!world.calm && random.nextInt(60) == 0) {
      return false;
    }
    try {
      session.round();
      return true;
    } catch (KafkaException e) {
      return false;
    }
  }

  boolean isQuiet() {
    return topics.rested
        && topics.specs == world.specs.size()
        && topics.progress == world.progress.size()
        && topics.applied == actions.found.size()
        && actions.wantsWatchesAlone();
  }

  /** How far specs and progress go. */
  private record Ends(int specs, int progress) implements ControlTopics.End {}

  private final class SimTopics implements ControlTopics {
    private long epoch;
    private int specs;
    private int specsCommitted;
    private int progress;
    private int progressAtStart;
    private int heldUp;

    /** How many findings were taken in, and how many of them were committed. */
    private int applied;

    private int committed;
    private boolean rested;
    private boolean opening = true;

    @Override
    public Memory open() {
      epoch = ++world.epoch;
      ControllerMemory memory = new ControllerMemory();
      world.memory.values().forEach(memory::add);
      specs = memory.read().map(found -> (int) found.offset()).orElse(0);
      specsCommitted = specs;
      progressAtStart = world.progress.size();
      Map<String, ControlEvent> standing = new HashMap<>();
      world
          .specs
          .subList(0, specs)
          .forEach(record -> standing.put(record.view(), definition(record)));
      return new Memory(memory.views(), memory.losses(), List.copyOf(standing.values()));
    }

    @Override
    public List<ControlEvent> read(Duration pause) {
      world.meanwhile();
      List<ControlEvent> events = new ArrayList<>();
      if (specs < world.specs.size() && random.nextBoolean()) {
        events.add(definition(world.specs.get(specs++)));
      }
      int most = isHeldUp() ? 0 : random.nextInt(6);
      for (int i = 0; i < most && progress < world.progress.size(); i++) {
        Object record = world.progress.get(progress++);
        if (record instanceof TaskProgress report) {
          events.add(new ControlEvent.Reported(report));
        } else if (record instanceof EventsLost loss) {
          events.add(new Finding.Lost(loss));
        } else if (record instanceof RowsVerified verified) {
          events.add(new ControlEvent.Verified(verified));
        } else if (record instanceof String over) {
          events.add(new ControlEvent.ReportOver(over));
        }
      }
      return events;
    }

    private ControlEvent definition(SimWorld.SpecRecord record) {
      return record.spec() == null
          ? new ControlEvent.Dropped(record.view())
          : new ControlEvent.Desired(record.spec());
    }

    /** An open transaction of a task hides what lies behind it. */
    private boolean isHeldUp() {
      if (heldUp == 0 && !world.calm && random.nextInt(30) == 0) {
        heldUp = random.nextInt(300);
      }
      heldUp = Math.max(0, heldUp - 1);
      return heldUp > 0;
    }

    @Override
    public long position() {
      return (long) specs + progress;
    }

    private Ends sizes() {
      return new Ends(world.specs.size(), world.progress.size());
    }

    @Override
    public End end() {
      BrokenRule without =
          opening ? BrokenRule.REPORTS_ARE_NOT_READ_FIRST : BrokenRule.FINDINGS_COUNT_AT_ONCE;
      Ends ends = world.broken == without ? new Ends(0, 0) : sizes();
      opening = false;
      world.meanwhile();
      return ends;
    }

    /** When this is so, the session takes in what was found. */
    @Override
    public boolean hasRead(End end) {
      Ends ends = (Ends) end;
      boolean there = specs >= ends.specs() && progress >= ends.progress();
      if (there) {
        applied = actions.found.size();
      }
      return there;
    }

    @Override
    public void commit(Reconciler.Changes changes) {
      world.meanwhile();
      rested = changes.isEmpty() && specs == specsCommitted;
      if (rested) {
        return;
      }
      if (epoch != world.epoch && world.broken != BrokenRule.NOBODY_IS_FENCED) {
        throw new ProducerFencedException("another one took over");
      }
      int fate = world.calm ? 0 : random.nextInt(60);
      if (fate == 1) {
        throw new KafkaException("aborted");
      }
      write(changes);
      if (fate == 2) {
        throw new KafkaException("committed, but the answer is lost");
      }
    }

    private void write(Reconciler.Changes changes) {
      List<Object> known =
          new ArrayList<>(world.progress.subList(0, Math.max(progress, progressAtStart)));
      known.addAll(world.findingsCommitted);
      List<Finding> since = actions.found.subList(committed, applied);
      known.addAll(since);
      since.forEach(finding -> noteSwitch(finding, changes.records));
      world.findingsCommitted.addAll(since);
      committed = applied;
      world.commit(changes.records, known);
      Map<String, GenericRecord> records =
          ControllerMemory.records(changes, new ControllerMemory.Read("topic-1", specs));
      world.memory.putAll(records);
      world.progress.addAll(changes.reportsOver);
      specsCommitted = specs;
    }

    private void noteSwitch(Finding finding, List<ControlRecord> records) {
      if (finding instanceof Finding.Done done && done.action().startsWith("ready|")) {
        Optional<Integer> before =
            Optional.ofNullable(world.committedState(done.view()))
                .flatMap(ViewState::serving)
                .map(ViewState.Generation::number);
        records.stream()
            .filter(ControlRecord.State.class::isInstance)
            .map(record -> ((ControlRecord.State) record).state())
            .filter(state -> state.view().equals(done.view()))
            .filter(
                state ->
                    state.serving().stream()
                        .anyMatch(serving -> serving.number() == done.generation()))
            .filter(state -> before.stream().noneMatch(number -> number == done.generation()))
            .findFirst()
            .ifPresent(state -> world.checks.switching(state, done.action()));
      }
    }

    @Override
    public void close() {
      throw new UnsupportedOperationException("a session that ends is left as it is");
    }
  }
}
