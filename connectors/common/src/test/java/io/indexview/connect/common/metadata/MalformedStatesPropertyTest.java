package io.indexview.connect.common.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageWriter;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.util.RandomData;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;

/** Whatever lies on view-states: a sink takes it in, or names it and what is wrong with it. */
class MalformedStatesPropertyTest {
  private static final String TOPIC = "indexview.view-states";
  private static final long MAX_BYTES = 64L << 20;
  private static final Map<String, String> REGISTRY =
      Map.of("schema.registry.url", "mock://malformed-states");
  private static final List<Schema> SCHEMAS =
      List.of(
          ControlSchemas.VIEW_STATE, ControlSchemas.SOURCE_REQUEST, ControlSchemas.VIEW_PROGRESS);

  private final SchemaRegistry registry = SchemaRegistries.create(REGISTRY);
  private final MessageWriter writer = new MessageWriter(registry, false);
  private final AvroConverter converter = new AvroConverter();

  MalformedStatesPropertyTest() {
    converter.configure(REGISTRY, false);
  }

  @Property(tries = 1_000)
  void malformedStateIsDecodedOrNamed(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    Random random = new Random(seed);
    Schema schema = SCHEMAS.get(random.nextInt(4) > 0 ? 0 : random.nextInt(SCHEMAS.size()));
    Object state = new RandomData(schema, 1, seed).iterator().next();
    byte[] value = writer.write(schema.getName(), schema, state);
    byte[] key = writer.write("keys", Schema.create(Schema.Type.STRING), "by-org");
    Mutator mutator = new Mutator(random);
    byte[] sentKey = random.nextInt(4) > 0 ? key : mutator.bytes(key, value);
    byte[] sentValue = random.nextBoolean() ? value : mutator.bytes(value);

    try {
      assertThat(Bounded.read(MAX_BYTES, () -> change(sentKey, sentValue)).view()).isNotNull();
    } catch (DataException | RetriableException e) {
      // One whose schema id is unknown may come to be known.
      assertThat(e).hasMessageContaining(TOPIC);
    }
  }

  private ViewStateChange change(byte[] key, byte[] value) {
    SchemaAndValue keyData = converter.toConnectData(TOPIC, key);
    SchemaAndValue valueData = converter.toConnectData(TOPIC, value);
    return ViewStateChange.of(
        new SinkRecord(
            TOPIC, 0, keyData.schema(), keyData.value(), valueData.schema(), valueData.value(), 1));
  }
}
