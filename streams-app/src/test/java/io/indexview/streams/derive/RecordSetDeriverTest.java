package io.indexview.streams.derive;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.Subjects;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.streams.People;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.error.StoppedException;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.generation.Generations;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.health.Outcome;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.RowSchemas;
import io.indexview.views.derive.ViewRow;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class RecordSetDeriverTest {
  private static final long NOW = 1_000_000;

  private final FlakyRegistry registry = new FlakyRegistry();
  private final People people = new People(registry);
  private final StopSignal stop = new StopSignal();
  private final RegistryWait registryWait = new RegistryWait(stop);
  private final AppMetrics metrics = new AppMetrics();
  private final Map<ByteBuffer, byte[]> state = new HashMap<>();
  private final List<String> rows = new ArrayList<>();
  private final List<Problem> problems = new ArrayList<>();
  private List<FrozenGeneration> generations = List.of();
  private long offset;

  private final Entries entries =
      new Entries() {
        @Override
        public byte[] get(byte[] key) {
          return state.get(ByteBuffer.wrap(key));
        }

        @Override
        public void put(byte[] key, byte[] entry) {
          state.put(ByteBuffer.wrap(key), entry);
        }
      };

  private final Emitter emitter =
      new Emitter() {
        @Override
        public void row(FrozenGeneration generation, byte[] key, byte[] value, long revision) {
          CompiledView view = CompiledView.compile(generation.generation(), People.SCHEMA);
          byte[] body = Arrays.copyOfRange(key, WireFormat.HEADER_LENGTH, key.length);
          assertThat(WireFormat.schemaId(key)).isEqualTo(generation.keySchemaId());
          rows.add(
              (value == null ? "-" : "+")
                  + generation.view()
                  + view.keyOf(new ViewRow(body, new byte[0])));
        }

        @Override
        public void deadLetter(Problem problem) {
          problems.add(problem);
        }
      };

  private FrozenGeneration freeze(String yaml, RecordFormat format) {
    RecordSet recordSet = new RecordSet("people", People.TOPIC, format, List.of(), People.SCHEMA);
    ViewGeneration generation =
        ViewGeneration.freeze(
            new ViewDefinitionParser().parse("test.yaml", yaml),
            1,
            recordSet,
            new Topics("indexview"));
    RowSchemas schemas = RowSchemas.of(generation);
    return new FrozenGeneration(
        generation,
        registry.register(People.TOPIC + "-record", People.SCHEMA),
        registry.register(Subjects.key(generation.viewTopic()), schemas.key()),
        registry.register(Subjects.value(generation.viewTopic()), schemas.value()));
  }

  private RecordSetDeriver deriver(RecordFormat format) {
    Generations current = recordSet -> generations;
    return new RecordSetDeriver(
        "people",
        format,
        new DeriverServices(current, registry, registryWait, metrics, metrics),
        1_000_000);
  }

  private ChangeRecord change(byte[] key, byte[] value) {
    return new ChangeRecord(People.TOPIC, 3, offset++, NOW, key, value);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void readsFlatTopicsInTheirOrder() {
    generations = List.of(freeze(People.BY_ORG, RecordFormat.FLAT));
    RecordSetDeriver deriver = deriver(RecordFormat.FLAT);
    AvroSerializer<GenericRecord> flat = new AvroSerializer<>(registry, false);

    deriver.process(
        change(bytes("1"), flat.serialize("flat", person("Ann", "A", 1))), entries, emitter, NOW);
    deriver.process(
        change(bytes("1"), flat.serialize("flat", person("Ann", "B", 1))), entries, emitter, NOW);
    deriver.process(change(bytes("1"), null), entries, emitter, NOW);

    assertThat(rows)
        .containsExactly(
            "+by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "+by-org{\"org\": \"B\", \"_primaryKey\": \"1\"}",
            "-by-org{\"org\": \"A\", \"_primaryKey\": \"1\"}",
            "-by-org{\"org\": \"B\", \"_primaryKey\": \"1\"}");
    assertThat(EntryCodec.decode(state.get(ByteBuffer.wrap(bytes("1")))).revision())
        .isEqualTo(NOW + 2);
  }

  @Test
  void takesFramedKeysOfTwoProducersForOneRecord() {
    generations = List.of(freeze(People.BY_ORG, RecordFormat.ENVELOPE));
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE);
    Schema first = SchemaBuilder.record("Key").fields().requiredString("id").endRecord();
    Schema second = SchemaBuilder.record("Other").fields().requiredString("id").endRecord();

    deriver.process(
        change(framedKey(first), people.upsert(1, person("Ann", "A", 1))), entries, emitter, NOW);
    deriver.process(
        change(framedKey(second), people.upsert(2, person("Ann", "B", 1))), entries, emitter, NOW);

    assertThat(state).hasSize(1);
    assertThat(rows)
        .containsExactly(
            "+by-org{\"org\": \"A\", \"_primaryKey\": \"7\"}",
            "+by-org{\"org\": \"B\", \"_primaryKey\": \"7\"}",
            "-by-org{\"org\": \"A\", \"_primaryKey\": \"7\"}");
  }

  private byte[] framedKey(Schema schema) {
    GenericRecord key = new GenericData.Record(schema);
    key.put("id", "7");
    return new AvroSerializer<GenericRecord>(registry, true).serialize(schema.getName(), key);
  }

  @Test
  void waitsWhileTheRegistryIsDownAndLosesNothing() throws Exception {
    generations = List.of(freeze(People.BY_ORG, RecordFormat.ENVELOPE));
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE);
    byte[] event = people.upsert(1, person("Ann", "A", 1));
    registry.down.set(true);

    CompletableFuture<Void> processed =
        CompletableFuture.runAsync(
            () -> deriver.process(change(bytes("1"), event), entries, emitter, NOW));
    await().untilAsserted(() -> assertThat(registry.refused).hasValueGreaterThan(2));
    assertThat(registryWait.waiting()).isEqualTo(1);
    registry.down.set(false);
    processed.get(20, TimeUnit.SECONDS);

    assertThat(rows).hasSize(1);
    assertThat(problems).isEmpty();
    assertThat(metrics.recordSet("people").total(Outcome.APPLIED)).isEqualTo(1);
  }

  @Test
  void leavesTheEventWhenTheAppClosesDuringAnOutage() {
    generations = List.of(freeze(People.BY_ORG, RecordFormat.ENVELOPE));
    byte[] event = people.upsert(1, person("Ann", "A", 1));
    registry.down.set(true);
    stop.stop();

    assertThatThrownBy(
            () ->
                deriver(RecordFormat.ENVELOPE)
                    .process(change(bytes("1"), event), entries, emitter, NOW))
        .isInstanceOf(StoppedException.class);
    assertThat(state).isEmpty();
    assertThat(problems).isEmpty();
  }

  @Test
  void neverTakesALostSchemaOfTheStateForARecordWithoutRows() {
    generations = List.of(freeze(People.BY_ORG, RecordFormat.FLAT));
    state.put(
        ByteBuffer.wrap(bytes("1")),
        EntryCodec.encode(
            new Entry(
                null, false, List.of(), 5, 0, NOW, new FramedValue(4711, new byte[9], 0, 9))));

    assertThatThrownBy(
            () ->
                deriver(RecordFormat.FLAT).process(change(bytes("1"), null), entries, emitter, NOW))
        .isInstanceOf(RegistryException.NotFound.class);
    assertThat(rows).isEmpty();
    assertThat(problems).isEmpty();
  }

  @Test
  void derivesWithGenerationsThatComeAndGoBetweenEvents() {
    FrozenGeneration byOrg = freeze(People.BY_ORG, RecordFormat.ENVELOPE);
    FrozenGeneration byTag = freeze(People.BY_TAG_AND_AGE, RecordFormat.ENVELOPE);
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE);
    deriver.process(
        change(bytes("1"), people.upsert(1, person("Ann", "A", 1, "x"))), entries, emitter, NOW);
    assertThat(rows).isEmpty();

    generations = List.of(byOrg, byTag);
    deriver.process(
        change(bytes("2"), people.upsert(1, person("Bob", "B", 1, "y"))), entries, emitter, NOW);
    generations = List.of(byTag);
    deriver.process(
        change(bytes("3"), people.upsert(1, person("Cid", "C", 1, "z"))), entries, emitter, NOW);

    assertThat(rows)
        .containsExactly(
            "+by-org{\"org\": \"B\", \"_primaryKey\": \"2\"}",
            "+by-tag-and-age{\"tags\": \"y\", \"age\": 1, \"_primaryKey\": \"2\"}",
            "+by-tag-and-age{\"tags\": \"z\", \"age\": 1, \"_primaryKey\": \"3\"}");
  }

  @Test
  void raisesTheRevisionEvenWhenTheClockGoesBack() {
    RecordSetDeriver deriver = deriver(RecordFormat.ENVELOPE);
    deriver.process(
        change(bytes("1"), people.upsert(1, person("Ann", "A", 1))), entries, emitter, NOW);
    deriver.process(
        change(bytes("1"), people.event(Op.UPDATE, People.told(2), person("Ann", "A", 2))),
        entries,
        emitter,
        NOW - 500);

    assertThat(EntryCodec.decode(state.get(ByteBuffer.wrap(bytes("1")))).revision())
        .isEqualTo(NOW + 1);
  }

  @Test
  void putsAKeyThatIsTooLargeAside() {
    deriver(RecordFormat.ENVELOPE)
        .process(
            change(new byte[70_000], people.upsert(1, person("Ann", "A", 1))),
            entries,
            emitter,
            NOW);

    assertThat(problems).hasSize(1);
    assertThat(problems.get(0).reason()).contains("70000 bytes");
    assertThat(state).isEmpty();
  }
}
