package io.indexview.streams.task;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.state.StoredScanProgress;
import io.indexview.streams.state.StoredScanProgress.Phase;
import io.indexview.streams.state.TaskMemory;
import io.indexview.streams.task.TaskStores.ControlRecords;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the place of the task of a record set whose topic does not fit its state. It derives
 * nothing, but stops the generations that are to stop, so that views can be dropped or moved to
 * another record set. Not safe for use by several threads.
 */
public final class SetAsideTask {
  private static final Logger LOGGER = LoggerFactory.getLogger(SetAsideTask.class);

  private final TaskLocation location;
  private final GenerationReader reader;
  private final TaskMemory memory;
  private final ControlRecords generations;
  private final ProgressReports reports;
  private final RegistryRetry retry;
  private final Map<GenerationKey, byte[]> seen = new TreeMap<>();
  private final Map<GenerationKey, GenerationBuild> stopped = new TreeMap<>();

  public SetAsideTask(
      TaskLocation location,
      SchemaRegistry registry,
      TaskMemory memory,
      ControlRecords generations,
      TaskOutput out,
      Time time) {
    this.location = location;
    this.reader = new GenerationReader(registry);
    this.memory = memory;
    this.generations = generations;
    this.reports = new ProgressReports(location, out, time);
    this.retry = new RegistryRetry(location, "take generations", time);
  }

  /** Takes what changed on {@code view-generations}, and reports. */
  public void poll(long nowMs) {
    Map<GenerationKey, byte[]> current = new TreeMap<>();
    generations.since(
        ControlRecords.START,
        (key, value) -> {
          if (value != null) {
            GenerationKey.parse(key).ifPresent(parsed -> current.put(parsed, value));
          }
        });
    seen.keySet().retainAll(current.keySet());
    stopped.keySet().retainAll(current.keySet());
    retry.attempt(() -> current.forEach(this::take));
    reports.report(stopped.values(), 0, nowMs);
  }

  private void take(GenerationKey key, byte[] value) {
    if (Arrays.equals(value, seen.get(key))) {
      return;
    }
    try {
      PublishedGeneration published = reader.read(key, value);
      if (published.recordSet().equals(location.recordSet()) && published.stopped()) {
        GenerationBuild build =
            GenerationBuild.idle(key, StoredScanProgress.of(Phase.FAILED, ""), memory);
        build.stop();
        stopped.put(key, build);
        LOGGER.info("{}: stops view {} generation {}", location, key.view(), key.number());
      }
    } catch (GenerationReader.UnreadableException e) {
      LOGGER.warn(
          "{}: generation {} of view {} cannot be read, so nobody knows whether it is to stop; upgrade the application if a newer release froze it",
          location,
          key.number(),
          key.view(),
          e);
    }
    seen.put(key, value);
  }
}
