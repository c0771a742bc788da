package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.RandomData;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;

/** Whatever lies on a control topic: who follows it ignores it, and reads on. */
class MalformedControlRecordsPropertyTest {
  private static final String TOPIC = "control";
  private static final long MAX_BYTES = 64L << 20;

  /** What is read of a control topic, and how. */
  private record Kind(Schema schema, Function<GenericRecord, ?> values) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind(ControlSchemas.VIEW_STATE, ViewState::of),
          new Kind(ControlSchemas.SOURCE_STATE, SourceState::of),
          new Kind(ControlSchemas.SOURCE_REQUEST, SourceRequest::of),
          new Kind(ControlSchemas.VIEW_VERIFICATION, ViewVerification::of),
          new Kind(ControlSchemas.VIEW_REPAIR, ViewRepair::of),
          new Kind(ControlSchemas.VIEW_PROGRESS, RowsVerified::of),
          new Kind(ControlSchemas.VIEW_PROGRESS, RepairProgress::of),
          new Kind(ControlSchemas.VIEW_DEFINITION, ViewSpec::of),
          new Kind(ControlSchemas.VIEW_GENERATION, PublishedGeneration::of),
          new Kind(ControlSchemas.VIEW_PROGRESS, PurgeProgress::of),
          new Kind(ControlSchemas.RECORD_SET, RecordSetInfo::of));

  private static Level level;

  /** A line each is right, and here too much. */
  @BeforeContainer
  static void silence() {
    level = LogManager.getLogger(ControlTable.class).getLevel();
    Configurator.setLevel(ControlTable.class, Level.OFF);
  }

  @AfterContainer
  static void speak() {
    Configurator.setLevel(ControlTable.class, level);
  }

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final byte[] avroKey =
      new MessageWriter(registry, true).write(TOPIC, Schema.create(Schema.Type.STRING), "by-org");

  @Property(tries = 2_000)
  void malformedRecordIsIgnored(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    Random random = new Random(seed);
    Mutator mutator = new Mutator(random);
    Kind kind = KINDS.get(random.nextInt(KINDS.size()));
    byte[] valid = framed(kind.schema(), random(kind.schema(), seed));
    byte[] other = framed(ControlSchemas.SOURCE_REQUEST, new SourceRequest("a", 1, 1).toAvro());
    InMemoryTopic topic = new InMemoryTopic(TOPIC);
    for (int i = 0; i < 3; i++) {
      topic.append(
          key(mutator, random), random.nextInt(10) == 0 ? null : mutator.bytes(valid, other));
    }

    Map<String, ?> read = Bounded.read(MAX_BYTES, () -> refreshed(topic, kind));
    assertThat(read).hasSizeLessThanOrEqualTo(3);
  }

  private Map<String, ?> refreshed(InMemoryTopic topic, Kind kind) {
    return new ControlTable<Object>(
            TOPIC,
            topic.consumer(),
            new AvroDeserializer(registry, kind.schema()),
            kind.values()::apply)
        .refresh();
  }

  private byte[] key(Mutator mutator, Random random) {
    return random.nextInt(10) == 0
        ? null
        : mutator.bytes("by-org|1".getBytes(StandardCharsets.UTF_8), avroKey);
  }

  private static GenericRecord random(Schema schema, long seed) {
    return (GenericRecord) new RandomData(schema, 1, seed).iterator().next();
  }

  private byte[] framed(Schema schema, GenericRecord record) {
    return new MessageWriter(registry, false).write(schema.getName(), schema, record);
  }
}
