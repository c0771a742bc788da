package io.indexview.streams.resnapshot;

import io.indexview.schemas.control.CompleteLook;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.build.BuildGate;
import io.indexview.streams.build.ControlRecords;
import io.indexview.streams.build.TaskMemory;
import io.indexview.streams.build.TaskPlace;
import io.indexview.streams.derive.Entries;
import io.indexview.streams.derive.StateDeriver;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.health.RecordSetCounters;
import io.indexview.streams.resnapshot.PurgeState.Running;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what a resnapshot did not name: records of its keys that no event has touched since it
 * began; those of other producers are not its matter. Walks the state in slices; a record that an
 * event touches meanwhile is judged by that event. Not safe for use by several threads.
 */
public final class ResnapshotPurge implements BuildGate {
  private static final Logger LOGGER = LoggerFactory.getLogger(ResnapshotPurge.class);
  private static final String MEMORY = "purge";
  private static final int MOST_DELETIONS = 500;
  private static final long RETRY_MS = 2_000;
  private static final TopicSources.Answer NOTHING_KNOWN = new TopicSources.Answer(null, "");

  private final TaskPlace place;
  private final SourceLooks looks;
  private final Parts parts;
  private final TopicPartition partition;
  private PurgeState state;
  private TopicSources.Answer newest = NOTHING_KNOWN;
  private Resnapshot told;
  private long retryAtMs = Long.MIN_VALUE;

  /**
   * What it works with.
   *
   * @param past is told of what is deleted
   * @param sourceStates {@code source-states}
   */
  public record Parts(
      StateDeriver deriver,
      Entries entries,
      TaskMemory memory,
      PastPurges past,
      ControlRecords sourceStates,
      AppPosition position,
      TopicIncarnation incarnation,
      RecordSetCounters counters,
      TaskOutput out) {}

  /** Goes on where the task was. */
  public ResnapshotPurge(TaskPlace place, SchemaRegistry registry, Parts parts) {
    this.place = place;
    this.looks = new SourceLooks(place, registry, parts.sourceStates());
    this.parts = parts;
    this.partition = new TopicPartition(place.topic(), place.partition());
    byte[] remembered = parts.memory().get(MEMORY);
    this.state = remembered == null ? PurgeState.NONE : PurgeStateCodec.decode(remembered);
  }

  /** Looks for a resnapshot that is complete, and whose events are processed. */
  public void poll(long nowMs) {
    if (nowMs < retryAtMs) {
      return;
    }
    try {
      looks.refresh();
      tell(nowMs);
    } catch (RegistryException e) {
      LOGGER.warn("{}: a resnapshot waits for the schema registry", place, e);
      retryAtMs = nowMs + RETRY_MS;
      return;
    }
    newest = unlessTooEarly(looks.sources().publishedAgain(parts.incarnation().known(), 0));
    newest.complete().ifPresent(look -> begin(look, nowMs));
  }

  /** Of events that were taken for those of another topic nobody knows when they came. */
  private TopicSources.Answer unlessTooEarly(TopicSources.Answer answer) {
    boolean isTooEarly =
        answer.complete().stream()
            .flatMap(look -> look.parts().stream())
            .anyMatch(part -> part.begin(place.partition()) < parts.incarnation().floor());
    return isTooEarly
        ? new TopicSources.Answer(
            null,
            "they began before the app noticed that topic %s was created anew; rebuild with a resnapshot once more"
                .formatted(place.topic()))
        : answer;
  }

  /** What this has done, once after each start too. */
  private void tell(long nowMs) {
    Resnapshot handled = state.handled();
    if (handled != null && !handled.equals(told)) {
      parts
          .out()
          .report(
              new PurgeProgress(
                  place.recordSet(),
                  place.partition(),
                  handled.topicId(),
                  handled.begins(),
                  nowMs));
      told = handled;
    }
  }

  private void begin(CompleteLook look, long nowMs) {
    Resnapshot resnapshot = resnapshot(look);
    long end = look.ends().getOrDefault(partition, 0L);
    if (resnapshot.equals(state.newest())
        || !parts.position().hasPassed(look.topicId(), partition, end)) {
      return;
    }
    LOGGER.info("{}: deletes what the resnapshot did not name", place);
    parts.past().begun(resnapshot, nowMs);
    save(state.with(Running.of(resnapshot)));
  }

  private Resnapshot resnapshot(CompleteLook look) {
    return Resnapshot.of(look, place.partition(), parts.incarnation());
  }

  /** What is known of resnapshots is of an earlier topic of the name. */
  public void topicIsAnother() {
    save(PurgeState.NONE);
    newest = NOTHING_KNOWN;
  }

  private void save(PurgeState changed) {
    state = changed;
    parts.memory().put(MEMORY, PurgeStateCodec.encode(changed));
  }

  /** Whether there is something to do now; nothing while the topic may be another one. */
  public boolean isRunning() {
    return state.running() != null && parts.incarnation().known().isPresent();
  }

  /**
   * Looks at one slice of the state, at one record at least. To be called only while it {@link
   * #isRunning}.
   *
   * @param expired whether the time of the slice is over; asked after each record
   */
  public void run(BooleanSupplier expired, long nowMs) {
    Running running = state.running();
    Map<byte[], Entry> unnamed = new TreeMap<>(Arrays::compareUnsigned);
    byte[][] last = {running.cursor()};
    boolean whole =
        parts
            .entries()
            .scan(
                running.cursor(),
                (key, encoded) -> {
                  Entry entry = EntryCodec.decode(encoded);
                  if (!entry.deleted() && running.resnapshot().isGone(key, entry.offset())) {
                    unnamed.put(key, entry);
                  }
                  last[0] = key;
                  return unnamed.size() < MOST_DELETIONS && !expired.getAsBoolean();
                });
    unnamed.forEach((key, entry) -> delete(key, entry, nowMs));
    parts.counters().countUnnamed(unnamed.size());
    if (whole) {
      LOGGER.info(
          "{}: {} records were not named by the resnapshot",
          place,
          running.deleted() + unnamed.size());
      save(state.done());
    } else {
      save(state.with(running.after(last[0], unnamed.size())));
    }
  }

  private void delete(byte[] key, Entry entry, long nowMs) {
    Entry marker = OrderGuard.inferredTombstone(entry, nowMs);
    parts.deriver().replace(key, entry, marker, parts.out());
    parts.entries().put(key, EntryCodec.encode(marker));
  }

  /**
   * A generation is to be built after a resnapshot if its sources had completed one before it was
   * created, and this task is done with it. The newest one that is known counts, once every source
   * was heard of since then.
   */
  @Override
  public String waitsFor(PublishedGeneration generation) {
    List<String> silent = looks.sources().silentSince(generation.createdAtMs());
    if (!silent.isEmpty()) {
      return "waits to hear of source %s on source-states".formatted(silent.get(0));
    }
    if (newest.complete().isEmpty()) {
      return "waits until every source of topic %s has published all records again: %s"
          .formatted(place.topic(), newest.missing());
    }
    return resnapshot(newest.look()).equals(state.handled())
        ? ""
        : "waits until the resnapshot is processed, and what it did not name is deleted";
  }
}
