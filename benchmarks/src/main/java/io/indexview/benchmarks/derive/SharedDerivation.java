package io.indexview.benchmarks.derive;

import io.indexview.benchmarks.data.People;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import io.indexview.schemas.time.Time;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.derive.DeriverServices;
import io.indexview.streams.derive.FollowedView;
import io.indexview.streams.derive.RecordSetDeriver;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.state.Entries;
import io.indexview.streams.state.RowCounts;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Bytes;

/** The streams app's own: order guard, derivation for all views at once, minimal deltas. */
final class SharedDerivation {
  private static final int MAX_ENTRY_BYTES = 1_000_000;

  private final HeapEntries entries = new HeapEntries();
  private final RecordSetDeriver deriver;
  private final TaskOutput output;

  SharedDerivation(SchemaRegistry registry, List<ViewGeneration> views, RowSink sink) {
    AppMetrics metrics = new AppMetrics();
    DeriverServices services =
        new DeriverServices(
            registry,
            new RegistryWait(new StopSignal()),
            new OrderGuard(Duration.ofDays(15)),
            metrics,
            Time.SYSTEM);
    this.deriver =
        new RecordSetDeriver(
            new TaskLocation(People.NAME, People.TOPIC, RecordFormat.ENVELOPE, 0),
            services,
            MAX_ENTRY_BYTES,
            offset -> offset);
    deriver.follow(views.stream().map(view -> followed(registry, view, metrics)).toList());
    this.output = new Output(sink);
  }

  private static FollowedView followed(
      SchemaRegistry registry, ViewGeneration view, AppMetrics metrics) {
    RowSchemas schemas = RowSchemas.of(view);
    FollowedView followed =
        new FollowedView(
            new FrozenGeneration(
                view,
                registry.register(People.TOPIC + "-record", People.SCHEMA),
                registry.register(Subjects.key(view.viewTopic()), schemas.key()),
                registry.register(Subjects.value(view.viewTopic()), schemas.value())),
            metrics.join(view.view(), view.number()),
            RowCounts.NONE,
            () -> {});
    followed.followAll();
    return followed;
  }

  void process(ChangeRecord event) {
    deriver.process(event, entries, (stateKey, entry) -> entry, output, event.timestampMs());
  }

  private record Output(RowSink sink) implements TaskOutput {
    @Override
    public void row(
        FrozenGeneration generation, byte[] key, byte[] value, long revision, long timestampMs) {
      sink.row(key, value);
    }

    @Override
    public void deadLetter(ChangeRecord about, DeadLetterReason reason) {
      throw new IllegalStateException(reason.toString());
    }

    @Override
    public void report(TaskProgress progress) {
      throw new IllegalStateException("events alone are nothing to report");
    }

    @Override
    public void report(EventsLost loss) {
      throw new IllegalStateException("events alone are nothing to report");
    }

    @Override
    public void report(PurgeProgress progress) {
      throw new IllegalStateException("events alone are nothing to report");
    }

    @Override
    public void report(RepairProgress progress) {
      throw new IllegalStateException("events alone are nothing to report");
    }
  }

  /** A state that costs next to nothing. */
  private static final class HeapEntries implements Entries {
    private final Map<Bytes, byte[]> entries = new HashMap<>();

    @Override
    public byte[] get(byte[] key) {
      return entries.get(Bytes.wrap(key));
    }

    @Override
    public void put(byte[] key, byte[] entry) {
      entries.put(Bytes.wrap(key), entry);
    }

    @Override
    public boolean scan(byte[] after, Visitor visitor) {
      throw new UnsupportedOperationException("events need no scan");
    }

    @Override
    public long estimatedSize() {
      return entries.size();
    }
  }

  /** Takes rows. */
  @FunctionalInterface
  interface RowSink {
    /**
     * @param key in the wire format
     * @param value in the wire format; null deletes the row
     */
    void row(byte[] key, byte[] value);
  }
}
