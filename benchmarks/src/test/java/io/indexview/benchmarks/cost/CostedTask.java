package io.indexview.benchmarks.cost;

import io.indexview.benchmarks.data.People;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.Subjects;
import io.indexview.schemas.time.Time;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.state.TaskMemory;
import io.indexview.streams.task.GenerationReader;
import io.indexview.streams.task.RecordSetTask;
import io.indexview.streams.task.TaskServices;
import io.indexview.streams.task.TaskStores;
import io.indexview.streams.task.TrimmedEvents;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.avro.generic.GenericRecord;

/** A task of the streams app alone, on stores that count, with what it puts out counted, too. */
final class CostedTask {
  /** A time around which nothing expires. */
  static final long NOW = 1_700_000_000_000L;

  private static final int MAX_ENTRY_BYTES = 1_000_000;

  final CountedEntries entries = new CountedEntries();
  final Map<String, Written> views = new LinkedHashMap<>();
  private final SchemaRegistry registry;
  private final Map<String, byte[]> generations = new LinkedHashMap<>();
  private final RecordSetTask task;
  private long memoryPuts;
  private int built;

  /** What a view topic got. */
  static final class Written {
    long records;
    long bytes;
  }

  CostedTask(SchemaRegistry registry) {
    this.registry = registry;
    this.task =
        new RecordSetTask(
            new TaskLocation(People.NAME, People.TOPIC, RecordFormat.ENVELOPE, 0),
            true,
            new TaskServices(
                new DeriverServices(
                    registry,
                    new RegistryWait(new StopSignal()),
                    new OrderGuard(Duration.ofDays(15)),
                    new AppMetrics(),
                    Time.SYSTEM),
                new GenerationReader(registry),
                (topicId, partition, offset) -> true,
                topic -> Optional.of("id of " + topic),
                generation -> "",
                unused -> new CompletableFuture<>(),
                new FailedEvents(Clock.systemUTC()),
                new TrimmedEvents(),
                new RefusingTopics(topic -> true, Clock.systemUTC())),
            new TaskStores(
                entries,
                new CountedEntries(),
                new Memory(),
                this::generationsSince,
                (since, v) -> 0,
                (since, v) -> 0),
            new Output(),
            "changelog",
            new Topics("indexview"),
            MAX_ENTRY_BYTES,
            Duration.ofDays(15),
            () -> NOW);
  }

  private long generationsSince(long since, BiConsumer<String, byte[]> visitor) {
    generations.entrySet().stream()
        .skip(since)
        .forEach(one -> visitor.accept(one.getKey(), one.getValue()));
    return generations.size();
  }

  /** Has a view built of what there is, looking for events after so many records. */
  void build(ViewGeneration view, int chunk) {
    RowSchemas schemas = RowSchemas.of(view);
    views.put(view.viewTopic(), new Written());
    PublishedGeneration published =
        new PublishedGeneration(
            view.view(),
            view.number(),
            view.definition().toJson(),
            People.NAME,
            People.TOPIC,
            view.viewTopic(),
            "",
            new PublishedGeneration.SchemaIds(
                registry.register(People.TOPIC + "-record", People.SCHEMA),
                registry.register(Subjects.key(view.viewTopic()), schemas.key()),
                registry.register(Subjects.value(view.viewTopic()), schemas.value())),
            view.encodingVersion(),
            NOW,
            new BuildRequest(0, BuildMode.STATE),
            false);
    generations.put(
        published.key(),
        new AvroSerializer<GenericRecord>(registry, false)
            .serialize("view-generations", published.toAvro()));
    task.poll(NOW);
    while (task.hasWork()) {
      int[] seen = {0};
      task.work(() -> ++seen[0] == chunk, NOW);
    }
    task.poll(NOW);
    if (built < views.size()) {
      throw new IllegalStateException("%d of %d views are built".formatted(built, views.size()));
    }
  }

  void process(ChangeRecord event) {
    task.process(event, NOW);
  }

  /** How often something was remembered beside the entries. */
  long memoryPuts() {
    return memoryPuts;
  }

  private final class Memory implements TaskMemory {
    private final Map<String, byte[]> values = new HashMap<>();

    @Override
    public byte[] get(String key) {
      return values.get(key);
    }

    @Override
    public void forEach(BiConsumer<String, byte[]> visitor) {
      values.forEach(visitor);
    }

    @Override
    public void put(String key, byte[] value) {
      memoryPuts++;
      values.put(key, value);
    }
  }

  private final class Output implements TaskOutput {
    @Override
    public void row(
        FrozenGeneration generation, byte[] key, byte[] value, long revision, long timestampMs) {
      Written written = views.get(generation.viewTopic());
      written.records++;
      written.bytes += key.length + (value == null ? 0 : value.length);
    }

    @Override
    public void deadLetter(ChangeRecord about, DeadLetterReason problem) {
      throw new IllegalStateException(problem.toString());
    }

    @Override
    public void report(TaskProgress progress) {
      if (progress.phase() == TaskProgress.Phase.BUILT) {
        built++;
      }
    }

    @Override
    public void report(EventsLost loss) {
      throw new IllegalStateException(loss.toString());
    }

    @Override
    public void report(PurgeProgress progress) {
      throw new IllegalStateException(progress.toString());
    }

    @Override
    public void report(RepairProgress progress) {
      throw new IllegalStateException(progress.toString());
    }
  }
}
