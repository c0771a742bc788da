package io.indexview.connect.kvstore.source;

import io.indexview.connect.kvstore.source.Sweep.SweepPlan;
import io.indexview.connect.kvstore.source.index.BegunSweep;
import io.indexview.connect.kvstore.source.index.ChangeFolder;
import io.indexview.connect.kvstore.source.index.IndexState;
import io.indexview.connect.kvstore.source.index.SourceIndex;
import io.indexview.connect.kvstore.source.index.SweepPosition;
import io.indexview.connect.kvstore.source.log.ChangeLog;
import io.indexview.connect.kvstore.source.log.ChangeLog.Bounds;
import io.indexview.connect.kvstore.source.log.ChangeLog.LoggedEvent;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.change.ChangeEventReader;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The primary-change topic of a record set and the index that it is folded into, kept in step.
 * Opens both when first used, so that what is unavailable can be tried again. For one thread.
 */
final class FoldedTopic implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(FoldedTopic.class);
  private static final Duration IDLE_WAIT = Duration.ofMillis(5);

  private final Supplier<SourceIndex> openIndex;
  private final Supplier<ChangeLog> openLog;
  private final ChangeEventReader reader;
  private final Clock clock;
  private SourceIndex index;
  private ChangeFolder folder;
  private ChangeLog log;
  private boolean connected;

  FoldedTopic(
      Supplier<SourceIndex> openIndex,
      Supplier<ChangeLog> openLog,
      ChangeEventReader reader,
      Clock clock) {
    this.openIndex = openIndex;
    this.openLog = openLog;
    this.reader = reader;
    this.clock = clock;
  }

  /**
   * Folds what came, in a bounded time.
   *
   * @param wait a little if nothing came
   */
  void fold(boolean wait) {
    if (!connected) {
      connect();
    }
    List<LoggedEvent> events = log.poll(wait ? IDLE_WAIT : Duration.ZERO);
    Map<Integer, Long> positions = log.positions();
    if (!positions.equals(state().positions())) {
      folder.fold(events, positions);
    }
  }

  private void connect() {
    if (index == null) {
      index = openIndex.get();
      folder = new ChangeFolder(index, reader, clock);
    }
    if (log == null) {
      log = openLog.get();
    }
    follow(log.bounds());
    log.seek(state().positions());
    connected = true;
  }

  /** The log is read anew from where the index is, the next time. */
  void disconnect() {
    connected = false;
  }

  /**
   * Prepares a sweep.
   *
   * @param stored what Connect knows; without a look although there was one, the user reset it
   * @return the end of the topic, to be reached before the sweep begins
   */
  Map<Integer, Long> reconcile(KvStoreSourceOffset stored) {
    Bounds bounds = log.bounds();
    if (follow(bounds)) {
      log.seek(state().positions());
    }
    IndexState state = state();
    if (stored.lastLook() == null && state.lookedBefore() && !state.resnapshot()) {
      LOGGER.info("The connector's offsets were reset: every record is published again");
      index.change(batch -> batch.state(state.withResnapshot()));
    }
    return bounds.ends();
  }

  /** Starts the index anew if the topic is another one, or no longer holds what comes next. */
  private boolean follow(Bounds bounds) {
    Optional<IndexState> known = index.state();
    if (known.isPresent() && continues(known.get(), bounds)) {
      return addPartitions(known.get(), bounds);
    }
    boolean trimmed = bounds.begins().values().stream().anyMatch(begin -> begin > 0);
    boolean resnapshot = trimmed || known.isPresent();
    LOGGER.info(
        "The index starts anew: index={} topicId={} resnapshot={}",
        index.directory(),
        bounds.topicId(),
        resnapshot);
    index.reset(IndexState.fresh(bounds.topicId(), bounds.begins(), resnapshot));
    return true;
  }

  private static boolean continues(IndexState known, Bounds bounds) {
    return known.topicId().equals(bounds.topicId())
        && known.positions().entrySet().stream()
            .allMatch(
                position -> {
                  Long begin = bounds.begins().get(position.getKey());
                  Long end = bounds.ends().get(position.getKey());
                  return begin != null
                      && begin <= position.getValue()
                      && end >= position.getValue();
                });
  }

  private boolean addPartitions(IndexState known, Bounds bounds) {
    if (known.positions().keySet().containsAll(bounds.begins().keySet())) {
      return false;
    }
    Map<Integer, Long> positions = new HashMap<>(bounds.begins());
    positions.putAll(known.positions());
    index.change(batch -> batch.state(known.withPositions(positions)));
    return true;
  }

  boolean hasReached(Map<Integer, Long> ends) {
    Map<Integer, Long> positions = state().positions();
    return ends.entrySet().stream()
        .allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  /** Kafka's id of the topic. */
  String id() {
    return state().topicId();
  }

  Map<Integer, Long> ends() {
    return log.bounds().ends();
  }

  boolean needsResnapshot() {
    return state().resnapshot();
  }

  /** The sweep that was begun and is not complete; gone with the index. */
  Optional<BegunSweep> begun() {
    return Optional.ofNullable(state().begun());
  }

  void save(BegunSweep begun) {
    index.change(batch -> batch.state(state().withBegun(begun)));
  }

  Sweep sweep(SweepPlan plan, KvStore store, ReadPace pace, SweepPosition from) {
    return new Sweep(plan, store, index, pace, from);
  }

  /** A sweep was completed, and source-states says so. */
  void looked(boolean forced) {
    index.change(batch -> batch.state(state().looked(forced)));
  }

  private IndexState state() {
    return index.state().orElseThrow();
  }

  @Override
  public void close() {
    try {
      if (log != null) {
        log.close();
      }
    } finally {
      if (index != null) {
        index.close();
      }
    }
  }
}
