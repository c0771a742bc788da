package io.indexview.streams.task;

import io.indexview.schemas.control.BuildMode;
import io.indexview.streams.build.BuildGate;
import io.indexview.streams.build.OnlineBuilds;
import io.indexview.streams.build.TaskPlace;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.HistoryFold;
import io.indexview.streams.derive.MarkerExpiry;
import io.indexview.streams.derive.RecordSetDeriver;
import io.indexview.streams.derive.StateDeriver;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.derive.ViewPlans;
import io.indexview.streams.replay.Replay;
import io.indexview.streams.resnapshot.PastPurges;
import io.indexview.streams.resnapshot.ResnapshotPurge;
import io.indexview.streams.resnapshot.TopicIdentity;
import io.indexview.streams.resnapshot.TopicIncarnation;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One task of a record set: derives the rows of live events, takes generations as they come and go,
 * and in between builds new ones from the state, deletes from it what a resnapshot did not name,
 * and replays the topic. Whatever a call changes and puts out belongs in one transaction. Not safe
 * for use by several threads.
 */
public final class RecordSetTask implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(RecordSetTask.class);
  private static final BuildGate NOTHING_TO_WAIT_FOR = generation -> "";

  private final TaskStores stores;
  private final TaskOutput out;
  private final RecordSetDeriver deriver;
  private final ResnapshotPurge purge;
  private final PastPurges past;
  private final TopicIncarnation incarnation;
  private final TaskPlace place;
  private final TopicIdentity topics;
  private final Replay replay;
  private final OnlineBuilds builds;
  private boolean builtLast;

  /**
   * Goes on where the task was, as its stores say. Waits for the registry if it has to.
   *
   * @param maxEntryBytes how large a key and its encoded entry may be together
   * @param markers which deletion markers are dropped from the state
   */
  public RecordSetTask(
      TaskPlace place,
      TaskServices services,
      TaskStores stores,
      TaskOutput out,
      int maxEntryBytes,
      MarkerExpiry markers) {
    this.stores = stores;
    this.out = out;
    DeriverServices deriving = services.deriving();
    ViewPlans plans = new ViewPlans(place.format(), deriving);
    StateDeriver stateDeriver = new StateDeriver(place.topic(), place.partition(), deriving, plans);
    this.past = new PastPurges(stores.memory());
    this.incarnation = new TopicIncarnation(stores.memory());
    this.place = place;
    this.topics = services.topics();
    this.purge = purge(place, services, stateDeriver);
    this.replay =
        replay(
            place,
            services,
            new HistoryFold(place.format(), deriving, maxEntryBytes, incarnation::position),
            stateDeriver,
            markers);
    this.deriver =
        new RecordSetDeriver(
            place.recordSet(),
            place.format(),
            deriving,
            plans,
            maxEntryBytes,
            incarnation::position,
            replay);
    this.builds =
        new OnlineBuilds(
            place,
            new OnlineBuilds.Parts(
                deriving,
                plans,
                stateDeriver,
                stores.entries(),
                stores.memory(),
                stores.generations(),
                Map.of(
                    BuildMode.STATE,
                    NOTHING_TO_WAIT_FOR,
                    BuildMode.CHANGELOG,
                    services.changelogRestore(),
                    BuildMode.RESNAPSHOT,
                    purge,
                    BuildMode.REPLAY,
                    replay),
                out));
    noteTopic(Long.MIN_VALUE);
  }

  private void noteTopic(long nowMs) {
    if (incarnation.isAnother(topics.of(place.topic()), nowMs)) {
      LOGGER.warn("{}: the topic was created anew", place);
      past.forget();
      purge.topicIsAnother();
      replay.topicIsAnother();
    }
  }

  private ResnapshotPurge purge(TaskPlace place, TaskServices services, StateDeriver stateDeriver) {
    return new ResnapshotPurge(
        place,
        services.deriving().registry(),
        new ResnapshotPurge.Parts(
            stateDeriver,
            stores.entries(),
            stores.memory(),
            past,
            stores.sourceStates(),
            services.position(),
            incarnation,
            services.deriving().metrics().recordSet(place.recordSet()),
            out));
  }

  private Replay replay(
      TaskPlace place,
      TaskServices services,
      HistoryFold fold,
      StateDeriver stateDeriver,
      MarkerExpiry markers) {
    return new Replay(
        place,
        new Replay.Parts(
            fold,
            stateDeriver,
            stores.entries(),
            stores.copy(),
            stores.memory(),
            past,
            services.changeLogs(),
            markers,
            out));
  }

  /**
   * Processes one event.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public void process(ChangeRecord change, long nowMs) {
    incarnation.eventComes(change.offset(), nowMs);
    deriver.process(change, stores.entries(), out, nowMs);
    past.eventCame(change.offset());
    replay.eventCame(change.offset());
  }

  /** Takes what changed on the control topics, and reports. To be called a few times a second. */
  public void poll(long nowMs) {
    noteTopic(nowMs);
    purge.poll(nowMs);
    builds.poll(nowMs);
    replay.poll(nowMs);
  }

  /** Whether there is something to do to the whole state now. */
  public boolean hasWork() {
    return purge.isRunning() || hasToReplay() || builds.hasToBuild();
  }

  /** What purges are to be taken into account depends on which topic it is. */
  private boolean hasToReplay() {
    return incarnation.known().isPresent() && replay.hasWork();
  }

  /**
   * Works on one slice of the state, on one record at least if there is one.
   *
   * @param expired whether the time of the slice is over; asked after each record
   */
  public void work(BooleanSupplier expired, long nowMs) {
    if (purge.isRunning()) {
      purge.run(expired, nowMs);
    } else if (hasToReplay() && (builtLast || !builds.hasToBuild())) {
      builtLast = false;
      replay.run(expired, nowMs);
    } else {
      builtLast = true;
      builds.build(expired, nowMs);
    }
  }

  /** Takes its share off the metrics. */
  @Override
  public void close() {
    replay.close();
    builds.close();
  }
}
