package io.indexview.streams.derive;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.streams.People;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.state.InMemoryEntries;
import io.indexview.streams.state.RowCounts;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.ViewRow;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A deriver and what it works on. */
abstract class DeriverScenario {
  static final long NOW = 1_000_000;

  final FlakyRegistry registry = new FlakyRegistry();
  final People people = new People(registry);
  final StopSignal stop = new StopSignal();
  final RegistryWait registryWait = new RegistryWait(stop);
  final AppMetrics metrics = new AppMetrics();
  final InMemoryEntries entries = new InMemoryEntries();
  final List<String> rows = new ArrayList<>();
  final List<DeadLetterReason> problems = new ArrayList<>();
  final List<EventsLost> losses = new ArrayList<>();
  final ManualClock clock = new ManualClock();
  final DeriverServices services =
      new DeriverServices(
          registry, registryWait, new OrderGuard(Duration.ofDays(15)), metrics, clock);
  int counted;
  long keyBytes;
  long offset;

  final TaskOutput out =
      new TaskOutput() {
        @Override
        public void row(
            FrozenGeneration generation,
            byte[] key,
            byte[] value,
            long revision,
            long timestampMs) {
          CompiledView view =
              CompiledView.compile(
                  generation.generation(), generation.generation().recordSet().schema());
          byte[] body = Arrays.copyOfRange(key, WireFormat.HEADER_LENGTH, key.length);
          assertThat(WireFormat.schemaId(key)).isEqualTo(generation.keySchemaId());
          keyBytes += value == null ? -key.length : key.length;
          rows.add(
              (value == null ? "-" : "+")
                  + name(generation)
                  + view.keyOf(new ViewRow(body, new byte[0])));
        }

        @Override
        public void deadLetter(ChangeRecord about, DeadLetterReason problem) {
          problems.add(problem);
        }

        @Override
        public void report(EventsLost loss) {
          losses.add(loss);
        }

        @Override
        public void report(PurgeProgress progress) {
          throw new AssertionError("nothing is purged here");
        }

        @Override
        public void report(RepairProgress progress) {
          throw new AssertionError("nothing is repaired here");
        }

        @Override
        public void report(TaskProgress progress) {
          throw new IllegalStateException("events alone are nothing to report");
        }
      };

  /** As it stands before a row. */
  String name(FrozenGeneration generation) {
    return generation.view();
  }

  FollowedView follow(String yaml, RecordFormat format) {
    RecordSet recordSet = new RecordSet("people", People.TOPIC, format, List.of(), People.SCHEMA);
    FollowedView view =
        new FollowedView(
            people.frozen(People.generation(yaml, 1, recordSet)),
            metrics.join("view", 1),
            RowCounts.NONE,
            () -> counted++);
    view.followAll();
    return view;
  }

  RecordSetDeriver deriver(RecordFormat format, FollowedView... views) {
    return deriver(format, 1_000_000, views);
  }

  RecordSetDeriver deriver(RecordFormat format, int maxEntryBytes, FollowedView... views) {
    RecordSetDeriver deriver =
        new RecordSetDeriver(
            new TaskLocation("people", People.TOPIC, format, 3),
            services,
            maxEntryBytes,
            offset -> offset);
    deriver.follow(List.of(views));
    return deriver;
  }

  void process(RecordSetDeriver deriver, ChangeRecord change) {
    deriver.process(change, entries, (stateKey, entry) -> entry, out, NOW);
  }

  void passOver(RecordSetDeriver deriver, ChangeRecord change) {
    DeadLetterReason problem =
        new DeadLetterReason(DeadLetterReason.Stage.DERIVE, "it fails", null, null);
    deriver.passOver(change, problem, entries, (stateKey, entry) -> entry, out, NOW);
  }

  ChangeRecord change(byte[] key, byte[] value) {
    return new ChangeRecord(People.TOPIC, 3, offset++, NOW, key, value);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
