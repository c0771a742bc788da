package io.indexview.schemas.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Whatever lies on a change topic: it is an event, or it is said to be none. */
class MalformedEventsPropertyTest {
  private static final long MAX_BYTES = 32L << 20;
  private static final Schema NODE =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Node", "fields": [
                {"name": "next", "type": ["null", "Node"]}, {"name": "all", "type": {"type": "array", "items": "Node"}}]}
              """);
  private static final Schema KEY =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Key", "fields": [
                {"name": "id", "type": "long"}, {"name": "text", "type": ["null", "string"]},
                {"name": "bytes", "type": {"type": "fixed", "name": "Four", "size": 4}}]}
              """);

  private final SchemaRegistry registry = new InMemorySchemaRegistry();
  private final byte[][] events = events();
  private final byte[][] keys = keys();

  private byte[][] events() {
    EnvelopeWriter.SourceInfo source = new EnvelopeWriter.SourceInfo("kvstore", "s", "0.1.0");
    EnvelopeWriter people = new EnvelopeWriter(Messages.PERSON, source);
    EnvelopeWriter nodes = new EnvelopeWriter(NODE, source);
    GenericRecord ann = Messages.person("Ann", 41);
    SourceVersion version = new SourceVersion("1-rg1", new byte[] {0, 7});
    Origin read =
        new Origin.SnapshotRead("1-rg1", new byte[] {9}, Origin.Base.of(version, true), true);
    return new byte[][] {
      framed("people-value", people.write(Op.UPDATE, 5, 4, new Origin.Versioned(version), ann)),
      framed("people-value", people.write(Op.READ, 5, 4, read, ann)),
      framed("nodes-value", nodes.write(Op.CREATE, 5, 4, Origin.Unordered.INSTANCE, node())),
      framed("debezium-value", Messages.debezium("u", ann, ann)),
      framed("flat-value", ann)
    };
  }

  private static GenericRecord node() {
    GenericRecord inner = new GenericData.Record(NODE);
    inner.put("all", List.of());
    GenericRecord node = new GenericData.Record(NODE);
    node.put("next", inner);
    node.put("all", List.of(inner, inner));
    return node;
  }

  private byte[][] keys() {
    Schema text = Schema.create(Schema.Type.STRING);
    GenericRecord key = new GenericData.Record(KEY);
    key.put("id", 7L);
    key.put("text", "Ann");
    key.put("bytes", new GenericData.Fixed(KEY.getField("bytes").schema(), new byte[4]));
    return new byte[][] {
      "/World/people/1".getBytes(StandardCharsets.UTF_8),
      Messages.frame(registry.register("people-key", text), text, "Ann"),
      framed("keyed-key", key),
      framed("nodes-key", node())
    };
  }

  private byte[] framed(String subject, GenericRecord record) {
    return Messages.frame(registry.register(subject, record.getSchema()), record);
  }

  @Property(tries = 2_000)
  void isAnEventOrMalformed(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    Random random = new Random(seed);
    byte[] value = new Mutator(random).bytes(events);
    RecordFormat format = random.nextInt(4) == 0 ? RecordFormat.FLAT : RecordFormat.ENVELOPE;
    ChangeEventReader reader = new ChangeEventReader(registry, format);

    try {
      ChangeEvent event = Bounded.read(MAX_BYTES, () -> reader.read(value, 1)).orElseThrow();
      assertThat(event.op() == Op.DELETE || event.value() != null).isTrue();
    } catch (MalformedEventException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  @Property(tries = 1_000)
  void isAKeyOrMalformed(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    byte[] key = new Mutator(new Random(seed)).bytes(keys);
    PrimaryKeys primaryKeys = new PrimaryKeys(registry);

    try {
      byte[] state = Bounded.read(MAX_BYTES, () -> primaryKeys.stateKey(key));
      String text = Bounded.read(MAX_BYTES, () -> primaryKeys.text(key));
      assertThat(PrimaryKeys.key(primaryKeys.schemaId(key), state)).isEqualTo(key);
      assertThat(text).isNotNull();
    } catch (MalformedEventException e) {
      assertThat(e).hasMessageStartingWith("key");
    }
  }
}
