package io.indexview.streams.task;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.RecordSetDeriver;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.health.RecordSetCounters;
import io.indexview.streams.state.Entries;
import io.indexview.streams.state.TaskMemory;
import io.indexview.streams.state.TopicIncarnation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One task of a record set: derives the rows of live events, takes generations as they come and go,
 * and in between scans its state: builds generations from it, deletes what an ad-hoc snapshot did
 * not name, compares it with the replayed topic, writes wrong rows anew, and drops tombstones.
 * Whatever a call changes and puts out belongs in one transaction. Not safe for use by several
 * threads.
 *
 * <p>For an event it does in this order: report events that were trimmed before they were read;
 * note where the events of a topic that was created anew begin, and from which event on the records
 * that an ad-hoc snapshot did not name are gone; have the {@link RecordSetDeriver} process it, with
 * what ad-hoc snapshots have made of its entry; report views that have failed at it for the first
 * time. Which events are stepped or passed over, how long one may take and when to commit is up to
 * the caller.
 */
public final class RecordSetTask implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(RecordSetTask.class);
  static final int MAX_CHANGES = 500;

  /** Id of the topic that the entries are restored from; no bytes: none was known yet. */
  private static final String CHANGELOG_ID = "changelog-id";

  /** What encodes the keys that the entries have; absent: {@value #FIRST_ENCODING}. */
  private static final String ENCODING = "encoding";

  private static final String FIRST_ENCODING = "avro";

  private final TaskLocation location;
  private final boolean hasSource;
  private final TopicPartition changes;
  private final TaskServices services;
  private final Entries entries;
  private final TaskOutput out;
  private final RecordSetCounters counters;
  private final TopicIncarnation incarnation;
  private final TaskMemory memory;
  private final String changelog;
  private final RecordSetDeriver deriver;
  private final SnapshotCleanup cleanup;
  private final GenerationBuilds builds;
  private final RowRepairs repairs;
  private final TombstoneExpiry expiry;
  private final Replay replay;
  private final String progressTopic;
  private String changelogId;
  private String progressTopicId;
  private boolean builtLast;

  /**
   * Goes on where the task was, as its stores say. Waits for the registry if it has to.
   *
   * @param hasSource whether a source scans everything again for a topic that is created anew
   * @param changelog topic that the entries are restored from
   * @param maxEntryBytes how large a key and its encoded entry may be together
   * @param retention how long tombstones are kept
   * @param streamTimeMs record time of the task
   */
  public RecordSetTask(
      TaskLocation location,
      boolean hasSource,
      TaskServices services,
      TaskStores stores,
      TaskOutput out,
      String changelog,
      Topics topics,
      int maxEntryBytes,
      Duration retention,
      LongSupplier streamTimeMs) {
    this.location = location;
    this.hasSource = hasSource;
    this.changes = new TopicPartition(location.topic(), location.partition());
    this.services = services;
    this.entries = stores.entries();
    this.out = out;
    this.memory = stores.memory();
    this.changelog = changelog;
    this.progressTopic = topics.viewProgress();
    DeriverServices deriving = services.deriving();
    this.counters = deriving.metrics().recordSet(location.recordSet());
    this.incarnation = new TopicIncarnation(stores.memory(), deriving.time());
    this.deriver = new RecordSetDeriver(location, deriving, maxEntryBytes, incarnation::position);
    StateScan scan =
        new StateScan(
            entries, MAX_CHANGES, (key, before, after) -> deriver.replace(key, before, after, out));
    this.cleanup =
        new SnapshotCleanup(
            location,
            deriving.registry(),
            stores,
            scan,
            services.position(),
            incarnation,
            counters,
            out,
            deriving.time());
    this.builds =
        new GenerationBuilds(
            location,
            deriving,
            services.generations(),
            stores,
            deriver,
            scan,
            services.refusingTopics(),
            out);
    this.repairs =
        new RowRepairs(
            location,
            deriving.registry(),
            topics.viewTopicControl(),
            entries,
            stores.repairs(),
            deriver,
            builds,
            out,
            deriving.time());
    this.expiry =
        new TombstoneExpiry(entries, deriving.guard(), retention, streamTimeMs, deriving.time());
    this.replay =
        new Replay(location, stores, services, incarnation, deriver, builds, cleanup, expiry, out);
    // The first events of another topic must not be taken for those of the one before.
    noteTopic(services.topics().now(location.topic()));
    if (!deriver.encoding().equals(rememberedEncoding()) && !hasEntries()) {
      rememberEncoding();
    }
    this.changelogId = rememberedChangelog();
  }

  private String rememberedChangelog() {
    byte[] remembered = memory.get(CHANGELOG_ID);
    if (remembered == null) {
      // From the first transaction on there is something in the topic of the memory, too.
      remembered = new byte[0];
      memory.put(CHANGELOG_ID, remembered);
    }
    return new String(remembered, StandardCharsets.UTF_8);
  }

  /** The entries of another topic than the one that was written to may lack any record. */
  private void noteChangelog(long nowMs) {
    Optional<String> id = services.topics().of(changelog);
    if (id.isEmpty() || id.get().equals(changelogId)) {
      return;
    }
    if (!changelogId.isEmpty()) {
      out.report(EventsLost.ofState(location.recordSet(), nowMs, changelog, id.get()));
    }
    changelogId = id.get();
    memory.put(CHANGELOG_ID, changelogId.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * What encodes the keys of the entries: a record that has a key in each of two encodings would be
   * two.
   */
  private String rememberedEncoding() {
    byte[] remembered = memory.get(ENCODING);
    return remembered == null ? FIRST_ENCODING : new String(remembered, StandardCharsets.UTF_8);
  }

  private boolean hasEntries() {
    boolean[] any = {false};
    entries.scan(
        null,
        (key, entry) -> {
          any[0] = true;
          return false;
        });
    return any[0];
  }

  private void rememberEncoding() {
    memory.put(ENCODING, deriver.encoding().getBytes(StandardCharsets.UTF_8));
  }

  private void noteEncoding(long nowMs) {
    String before = rememberedEncoding();
    if (!before.equals(deriver.encoding())) {
      String reason =
          "its encoding was changed from %s to %s, and the records that came before have other keys than now; set it back, or give the topic to a record set of another name and define the views on that"
              .formatted(before, deriver.encoding());
      LOGGER.warn("{}: {}", location, reason);
      out.report(new EventsLost(location.recordSet(), nowMs, reason));
      rememberEncoding();
    }
  }

  private void noteTrimmed(long nowMs) {
    services
        .trimmedEvents()
        .take(changes)
        .ifPresent(
            trimmed -> {
              String reason =
                  "partition %d of topic %s was trimmed past what the application had read (from offset %d to %d), so events are lost; keep the topic longer"
                      .formatted(
                          changes.partition(), changes.topic(), trimmed.from(), trimmed.to());
              LOGGER.warn("{}: {}", location, reason);
              out.report(new EventsLost(location.recordSet(), nowMs, reason));
            });
  }

  /** What was reported is lost with the topic, and the controller may be another one next. */
  private void noteProgressTopic() {
    Optional<String> id = services.topics().of(progressTopic);
    if (id.isPresent() && !id.get().equals(progressTopicId)) {
      if (progressTopicId != null) {
        builds.reportAgain();
        cleanup.reportAgain();
      }
      progressTopicId = id.get();
    }
  }

  private void noteTopic(Optional<String> topicId) {
    if (incarnation.isAnother(topicId)) {
      LOGGER.warn(
          "{}: the topic was created anew; its records are complete when {} for it",
          location,
          hasSource
              ? "all sources have scanned everything"
              : "somebody has published every record again");
      cleanup.topicIsAnother();
      replay.topicIsAnother();
    }
  }

  /** No source compares what it has with what the application read of the topic before. */
  private void tellLostTopic(long nowMs) {
    if (incarnation.takeUntold() && !hasSource) {
      out.report(
          EventsLost.ofTopic(location.recordSet(), nowMs, location.topic(), incarnation.noticed()));
    }
  }

  /**
   * Processes one event.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public void process(ChangeRecord change, long nowMs) {
    comes(change, nowMs);
    deriver.process(change, entries, cleanup.on(change.offset()), out, nowMs);
    builds.tellNewFailures(nowMs);
  }

  /**
   * Passes over an event that cannot be processed.
   *
   * @param reason for people
   * @param nowMs wall clock, ms since the epoch
   */
  public void passOver(ChangeRecord change, String reason, long nowMs) {
    comes(change, nowMs);
    DeadLetterReason problem =
        new DeadLetterReason(DeadLetterReason.Stage.DERIVE, reason, null, null);
    deriver.passOver(change, problem, entries, cleanup.on(change.offset()), out, nowMs);
    builds.tellNewFailures(nowMs);
  }

  /**
   * Steps over an event that must not be looked at.
   *
   * @param nowMs wall clock, ms since the epoch
   */
  public void stepOver(ChangeRecord change, long nowMs) {
    comes(change, nowMs);
    deriver.stepOver(change, out, nowMs);
  }

  private void comes(ChangeRecord change, long nowMs) {
    noteTrimmed(nowMs);
    if (incarnation.eventComes(change.offset())) {
      cleanup.firstEventComes(change.offset());
    }
  }

  /** See {@link TopicIncarnation#position}. */
  public long position(long offset) {
    return incarnation.position(offset);
  }

  /** How many generations it writes rows of. */
  public int views() {
    return deriver.views();
  }

  /**
   * Takes what changed on the control topics, and reports. To be called once a second, and a few
   * times while something is {@link #isUnderWay}.
   */
  public void poll(long nowMs) {
    noteTrimmed(nowMs);
    noteTopic(services.topics().of(location.topic()));
    tellLostTopic(nowMs);
    noteChangelog(nowMs);
    noteEncoding(nowMs);
    noteProgressTopic();
    cleanup.poll(nowMs);
    builds.poll(this::waitsFor, replay.progress(), nowMs);
    replay.poll();
    repairs.poll();
    counters.countPurged(expiry.poll(nowMs));
    deriver.tellUnreadable();
  }

  private String waitsFor(PublishedGeneration generation) {
    return switch (generation.build().mode()) {
      case CHANGELOG -> services.changelogRestore().waitsFor(generation);
      case SNAPSHOT -> cleanup.waitsFor(generation);
      // A generation that asks for a replay gets here when it had it.
      case STATE, REPLAY -> "";
    };
  }

  /** Whether something was begun that goes on in steps, or waits for others. */
  public boolean isUnderWay() {
    return builds.isUnderWay() || cleanup.isUnderWay() || replay.hasWork() || repairs.hasWork();
  }

  /** Whether there is something to do to the whole state now. */
  public boolean hasWork() {
    return cleanup.isRunning() || repairs.hasWork() || hasToReplay() || builds.hasToBuild();
  }

  /** Which snapshots are to be taken into account depends on which topic it is. */
  private boolean hasToReplay() {
    return incarnation.known().isPresent() && replay.hasWork();
  }

  /**
   * Works on one chunk of the state, on one record at least if there is one.
   *
   * @param expired whether the time of the chunk is over; asked after each record
   */
  public void work(BooleanSupplier expired, long nowMs) {
    if (cleanup.isRunning()) {
      cleanup.run(expired, nowMs);
    } else if (repairs.hasWork()) {
      repairs.run(expired, nowMs);
    } else if (hasToReplay() && (builtLast || !builds.hasToBuild())) {
      builtLast = false;
      replay.run(expired, nowMs);
    } else {
      builtLast = true;
      builds.build(expired, nowMs);
    }
    builds.tellNewFailures(nowMs);
  }

  /** Takes its share off the metrics. */
  @Override
  public void close() {
    replay.close();
    builds.close();
  }
}
