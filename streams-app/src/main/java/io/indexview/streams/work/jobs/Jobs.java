package io.indexview.streams.work.jobs;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.TargetConfig.Removal;
import io.indexview.streams.generation.WishFreezer;
import io.indexview.streams.lifecycle.work.RejectedRow;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.JobFactory;
import io.indexview.streams.work.Surroundings;
import io.indexview.streams.work.watch.Letters;
import io.indexview.streams.work.watch.RejectedRows;
import io.indexview.streams.work.watch.SinkPulse;
import io.indexview.streams.work.watch.WatchJob;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The jobs of all kinds of work. */
public final class Jobs implements JobFactory {
  /** How far the clocks of this process and of whoever writes dead letters may be apart. */
  private static final Duration CLOCKS_DIFFER = Duration.ofHours(1);

  private final Surroundings around;
  private final WishFreezer freezer;
  private final SchemaRegistry registry;
  private final ControlRecord control;
  private final Map<String, Letters> letters = new HashMap<>();
  private final Map<String, SinkPulse> pulses = new HashMap<>();

  /**
   * @param registry stays open
   */
  public Jobs(Surroundings around, WishFreezer freezer, SchemaRegistry registry) {
    this.around = around;
    this.freezer = freezer;
    this.registry = registry;
    this.control = new ControlRecord(around.topics(), registry);
  }

  @Override
  public Job begin(Work work) {
    if (work instanceof Work.Freeze freeze) {
      return new FreezeJob(freeze, around.tables().states(), freezer);
    }
    if (work instanceof Work.RequestResnapshot request) {
      return new ResnapshotJob(request, around, registry);
    }
    if (work instanceof Work.CheckReady check) {
      return new ReadyJob(check, around, letters(check.watched(), Map.of(), List.of()));
    }
    if (work instanceof Work.CheckStateApplied check) {
      return new StateAppliedJob(check, around);
    }
    if (work instanceof Work.CheckTopicApplied check) {
      return new TopicAppliedJob(check, around);
    }
    if (work instanceof Work.RemoveRows removal) {
      return around.config().target(removal.target()).removal() == Removal.NATIVE
          ? new NativeRemovalJob(removal, around, control)
          : new TombstoneRemovalJob(removal, around);
    }
    if (work instanceof Work.DeleteTopic deletion) {
      return new DeleteTopicJob(deletion, around);
    }
    Work.Watch watch = (Work.Watch) work;
    return new WatchJob(
        watch.watched(),
        around,
        pulses.computeIfAbsent(watch.watched().target(), this::pulse),
        letters(watch.watched(), watch.lettersFrom(), watch.rejected()));
  }

  private SinkPulse pulse(String target) {
    return new SinkPulse(around.config().target(target), around);
  }

  /** The dead letters of a generation, read once for all works that need them. */
  private Letters letters(
      Work.Watched watched, Map<Integer, Long> from, Collection<RejectedRow> rejected) {
    return letters.computeIfAbsent(
        watched.published().key(),
        key ->
            new Letters(
                watched.published(),
                around.reader(),
                new RejectedRows(watched.published(), around.reader(), rejected),
                positions(watched, from)));
  }

  /** Before a generation was frozen it had no rows, and no dead letters. */
  private Map<Integer, Long> positions(Work.Watched watched, Map<Integer, Long> from) {
    String topic = around.config().target(watched.target()).deadLetterTopic();
    long notBefore = watched.published().createdAtMs() - CLOCKS_DIFFER.toMillis();
    Map<Integer, Long> positions = new HashMap<>();
    if (!around.ends(topic).isEmpty()) {
      around
          .positions()
          .since(topic, notBefore)
          .forEach((partition, offset) -> positions.put(partition.partition(), offset));
    }
    from.forEach((partition, offset) -> positions.merge(partition, offset, Math::max));
    return positions;
  }

  @Override
  public void keep(Collection<Work> wanted) {
    Set<String> keys = new HashSet<>();
    for (Work work : wanted) {
      if (work instanceof Work.Watch watch) {
        keys.add(watch.watched().published().key());
      } else if (work instanceof Work.CheckReady check) {
        keys.add(check.watched().published().key());
      }
    }
    letters.keySet().retainAll(keys);
  }
}
