package io.indexview.benchmarks.cost;

import com.sun.management.ThreadMXBean;
import io.indexview.benchmarks.app.Workload;
import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.ViewSet;
import io.indexview.schemas.change.EnvelopeWriter;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.views.definition.ViewGeneration;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;

/**
 * What the streams app does for an event: changes of people, of which some come twice and some
 * late, for two views. The events are the same in every run, and so is all but what is allocated.
 * That falls while the compiler learns; so the round counts that allocated the least.
 */
final class DerivationCosts {
  private static final int PEOPLE = 2_000;
  private static final int EVENTS = 10_000;
  private static final int ROUNDS = 5;
  private static final int CHUNK = 100;
  private static final int BUILDS = 5;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final SchemaRegistry registry = new InMemorySchemaRegistry();
  private final AvroSerializer<GenericRecord> serializer = new AvroSerializer<>(registry, false);
  private final EnvelopeWriter envelopes =
      new EnvelopeWriter(
          People.SCHEMA, new EnvelopeWriter.SourceInfo("kvstore", "people-store", "1"));
  private final Workload people = new Workload(PEOPLE, true);
  private final CostedTask task = new CostedTask(registry);
  private long offset;

  /** By name, each per event, or per record that is built from. */
  Map<String, Double> measure() {
    List<ViewGeneration> views = ViewSet.of(2).generations();
    views.forEach(view -> task.build(view, CHUNK));
    process(events());
    Map<String, Double> before = counts();
    long least = Long.MAX_VALUE;
    long events = 0;
    for (int round = 0; round < ROUNDS; round++) {
      List<ChangeRecord> these = events();
      events += these.size();
      least = Math.min(least, process(these) * EVENTS / these.size());
    }
    Map<String, Double> costs = new LinkedHashMap<>();
    costs.put("event.allocated.bytes", (double) least / EVENTS);
    long all = events;
    counts().forEach((name, count) -> costs.put(name, (count - before.get(name)) / all));
    costs.putAll(build());
    return costs;
  }

  private List<ChangeRecord> events() {
    List<ChangeRecord> events = new ArrayList<>();
    people.run(EVENTS, event -> events.add(encoded(event)));
    return events;
  }

  private ChangeRecord encoded(Workload.Event event) {
    Op op = event.after() == null ? Op.DELETE : Op.UPDATE;
    byte[] sequence = ByteBuffer.allocate(Long.BYTES).putLong(event.sequence()).array();
    Origin origin = new Origin.Versioned(new SourceVersion("1/rg1", sequence));
    return new ChangeRecord(
        People.TOPIC,
        0,
        offset++,
        CostedTask.NOW,
        People.key(event.person()).getBytes(StandardCharsets.UTF_8),
        serializer.serialize(
            People.TOPIC,
            envelopes.write(op, CostedTask.NOW, CostedTask.NOW, origin, event.after())));
  }

  /** Returns how many bytes that allocated. */
  private long process(List<ChangeRecord> events) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    for (ChangeRecord event : events) {
      task.process(event);
    }
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  private Map<String, Double> counts() {
    CountedEntries entries = task.entries;
    Map<String, Double> counts = new LinkedHashMap<>();
    counts.put("event.store.gets", (double) entries.gets);
    counts.put("event.store.puts", (double) entries.puts);
    counts.put("event.store.deletes", (double) entries.deletes);
    counts.put("event.store.scans", (double) entries.scans);
    counts.put("event.memory.puts", (double) task.memoryPuts());
    counts.put("event.changelog.records", (double) entries.puts + entries.deletes);
    counts.put("event.changelog.bytes", (double) entries.changelogBytes);
    int number = 0;
    for (CostedTask.Written written : task.views.values()) {
      counts.put("event.view." + number + ".records", (double) written.records);
      counts.put("event.view." + number + ".bytes", (double) written.bytes);
      number++;
    }
    return counts;
  }

  /** One view after the other, of the records and the tombstones that there are. */
  private Map<String, Double> build() {
    double records = task.entries.estimatedSize();
    CountedEntries entries = task.entries;
    long gets = entries.gets;
    long puts = entries.puts;
    long scans = entries.scans;
    long memoryPuts = task.memoryPuts();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < BUILDS; i++) {
      ViewGeneration view =
          BenchViews.generation(
              "built-" + i,
              1,
              "key: [org]\ninclude: [name, cost]\ntarget: kv\nlayout: key-value\n");
      long before = THREADS.getCurrentThreadAllocatedBytes();
      task.build(view, CHUNK);
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    double all = records * BUILDS;
    return Map.of(
        "build.allocated.bytes", least / records,
        "build.store.gets", (entries.gets - gets) / all,
        "build.store.puts", (entries.puts - puts) / all,
        "build.store.scans", (entries.scans - scans) / all,
        "build.memory.puts", (task.memoryPuts() - memoryPuts) / all);
  }
}
