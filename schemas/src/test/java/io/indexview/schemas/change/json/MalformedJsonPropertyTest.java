package io.indexview.schemas.change.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.FramedValue.ValueSchemas;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/** Whatever JSON lies on a change topic: it is an event that Avro can read, or said to be none. */
class MalformedJsonPropertyTest {
  private static final long MAX_BYTES = 64L << 20;
  private static final byte[][] VALUES = {
    ConnectMessages.withSchema("u", ConnectMessages.ROW, ConnectMessages.ROW),
    ConnectMessages.withSchema("d", ConnectMessages.ROW, "null"),
    ConnectMessages.plain(
        "c", "null", "{\"id\":17,\"name\":\"Ann\",\"next\":{\"id\":18,\"name\":\"B\"}}"),
    ConnectMessages.plain("c", "null", "{\"id\":17,\"total\":1.25,\"name\":\"Ann\"}")
  };
  private static final byte[][] KEYS = {
    ConnectMessages.utf8("{\"id\":17}"),
    ConnectMessages.utf8("{\"region\":\"eu\",\"id\":{\"scale\":1,\"value\":\"Bwk=\"}}"),
    ConnectMessages.utf8(
        "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"type\":\"bytes\",\"name\":\"org.apache.kafka.connect.data.Decimal\",\"parameters\":{\"scale\":\"2\"},\"field\":\"id\"}]},\"payload\":{\"id\":\"AMg=\"}}")
  };
  private static final Schema RECORD =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Node", "fields": [
                {"name": "id", "type": "int"},
                {"name": "name", "type": "string"},
                {"name": "total", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 2}]},
                {"name": "next", "type": ["null", "Node"], "default": null}]}
              """);

  @Property(tries = 1_000)
  void isAnEventOrMalformed(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    Random random = new Random(seed);
    byte[] value = new Mutator(random).bytes(VALUES);
    RecordFormat format = random.nextInt(4) == 0 ? RecordFormat.FLAT : RecordFormat.ENVELOPE;
    InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
    JsonEventReader reader = new JsonEventReader(registry, "nodes", format, Optional.of(RECORD));

    Optional<ChangeEvent> read;
    try {
      read = Bounded.read(MAX_BYTES, () -> reader.read(value, 1));
    } catch (MalformedEventException e) {
      assertThat(e.getMessage()).isNotBlank();
      return;
    }
    if (read.isPresent() && read.get().op() != Op.DELETE) {
      assertReadable(
          read.get(),
          new ValueSchemas(registry).writerSchema(read.get().value().schemaId(), format));
    }
    assertThat(reader.read(value, 1)).as("read once more, with what was learnt").isEqualTo(read);
  }

  private static void assertReadable(ChangeEvent event, Schema schema) throws Exception {
    BinaryDecoder in =
        DecoderFactory.get()
            .binaryDecoder(
                event.value().buffer(), event.value().offset(), event.value().length(), null);
    new GenericDatumReader<GenericRecord>(schema).read(null, in);
    assertThat(in.isEnd()).isTrue();
  }

  @Property(tries = 1_000)
  void isAKeyOrMalformed(@ForAll(supplier = Seeds.class) long seed) {
    byte[] key = new Mutator(new Random(seed)).bytes(KEYS);

    try {
      assertThat(Bounded.read(MAX_BYTES, () -> new JsonKeys().key(key))).isNotNull();
    } catch (Exception e) {
      assertThat(e).isInstanceOf(MalformedEventException.class).hasMessageStartingWith("key");
    }
  }
}
