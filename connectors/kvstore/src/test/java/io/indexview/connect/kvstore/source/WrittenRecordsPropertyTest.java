package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.connect.common.index.ChangeTopicReader.LoggedEvent;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.kvstore.value.ValueEncoder.UnencodableException;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.views.derive.RecordDecoder;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.RandomData;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Records of every format that the writer library writes, and a source that scans them: one format
 * for both, or views would show one thing after a write and another after a scan.
 */
class WrittenRecordsPropertyTest {
  private static final Schema THING =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Thing", "namespace": "test", "fields": [
                {"name": "text", "type": "string"},
                {"name": "count", "type": ["null", "long"]},
                {"name": "ratio", "type": "double"},
                {"name": "small", "type": "float"},
                {"name": "raw", "type": "bytes"},
                {"name": "level", "type": {"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]}},
                {"name": "born", "type": {"type": "int", "logicalType": "date"}},
                {"name": "alarm", "type": {"type": "int", "logicalType": "time-millis"}},
                {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
                {"name": "photo", "type": {"type": "fixed", "name": "Four", "size": 4}},
                {"name": "tags", "type": {"type": "array", "items": "string"}},
                {"name": "notes", "type": {"type": "map", "values": "double"}},
                {"name": "state", "type": ["string", "null"], "default": "NEW"},
                {"name": "any", "type": ["null", "long", "string"]}]}
              """);
  private static final int WRITES = 12;
  private static final int KEYS = 4;

  private MockProducer<byte[], byte[]> producer;
  private final Map<String, GenericRecord> written = new HashMap<>();

  private static ValueConfig values(ValueFormat format) {
    return new ValueConfig(
        format,
        format.ownSchema().orElse(THING),
        format == ValueFormat.AVRO_STORE ? Map.of(7, THING) : Map.of());
  }

  @Property(tries = 30)
  void areTheSameToAScanAndToThoseWhoHearOfTheWrite(
      @ForAll ValueFormat format, @ForAll(supplier = Seeds.class) long seed) throws Exception {
    ValueConfig values = values(format);
    Path directory = Files.createTempDirectory("written-records");
    producer = new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    written.clear();
    try (SourceHarness harness =
            new SourceHarness(
                directory,
                new KvRecordSet("people", People.RECORD_SET.keys(), People.TOPIC, values));
        Writer writer =
            new Writer(
                harness.store,
                new WriterConfig("people", People.RECORD_SET.keys(), People.TOPIC, "1", "t", 10),
                ValueEncoder.of(values, harness.registry),
                producer,
                harness.registry,
                Clock.systemUTC())) {
      harness.scan();
      Random random = new Random(seed);
      for (int i = 0; i < WRITES; i++) {
        write(writer, values.schema(), random);
        boolean lost = random.nextInt(3) == 0;
        List<ProducerRecord<byte[], byte[]>> events = List.copyOf(producer.history());
        producer.clear();
        if (!lost) {
          events.forEach(event -> harness.topic.append(event.key(), event.value(), harness.now()));
        }

        assertThat(harness.scan()).as("after write %d", i).hasSize(lost ? events.size() : 0);
        assertThat(onTopic(harness, values.schema())).isEqualTo(written);
      }
      harness.assertConverged();
    } finally {
      delete(directory);
    }
  }

  private void write(Writer writer, Schema schema, Random random) {
    KvKey key = People.key(random.nextInt(KEYS));
    if (random.nextInt(4) == 0) {
      writer.delete(key);
      written.remove(key.toString());
      return;
    }
    GenericRecord record = record(schema, random);
    try {
      writer.put(key, record);
      written.put(key.toString(), record);
    } catch (UnencodableException e) {
      // Nothing is written then.
      assertThat(producer.history()).isEmpty();
    }
  }

  /** Mostly one that every format holds. */
  private static GenericRecord record(Schema schema, Random random) {
    GenericRecord record =
        (GenericRecord) new RandomData(schema, 1, random.nextLong()).iterator().next();
    if (schema == THING && ((ByteBuffer) record.get("price")).hasRemaining()) {
      // Of the same number longer bytes are read as the shortest.
      byte[] price = new BigInteger(((ByteBuffer) record.get("price")).array()).toByteArray();
      record.put("price", ByteBuffer.wrap(price));
    }
    if (schema == THING && random.nextInt(5) > 0) {
      record.put("alarm", Math.floorMod((Integer) record.get("alarm"), 86_400_000));
      byte[] price = BigInteger.valueOf(random.nextInt(1_000_000) - 500_000L).toByteArray();
      record.put("price", ByteBuffer.wrap(price));
    }
    return record;
  }

  /** The newest record of each key on the topic, as a view reads it. */
  private static Map<String, GenericRecord> onTopic(SourceHarness harness, Schema schema)
      throws Exception {
    ChangeEventReader reader = new ChangeEventReader(harness.registry, RecordFormat.ENVELOPE);
    RecordDecoder decoder =
        new RecordDecoder(RecordFormat.ENVELOPE, schema, harness.registry::byId);
    Map<String, GenericRecord> records = new HashMap<>();
    for (LoggedEvent logged : harness.topic.all()) {
      ChangeEvent event = reader.read(logged.value(), logged.timestampMs()).orElseThrow();
      String key = new String(logged.key(), StandardCharsets.UTF_8);
      if (event.op() == Op.DELETE) {
        records.remove(key);
      } else {
        records.put(key, decoder.decode(event.value()));
      }
    }
    return records;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
