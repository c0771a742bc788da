package io.indexview.views.derive;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.RandomSchemas;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/** Against Avro's reader, on data and on bytes that are none. */
class ProjectedReaderPropertyTest {
  private final GenericData data = new GenericData();

  private interface Read {
    GenericRecord run(BinaryDecoder in) throws IOException;
  }

  /** What was read and how much is left over; empty: the bytes are no such record. */
  private static Optional<List<Object>> outcome(byte[] bytes, Read read) {
    BinaryDecoder in = DecoderFactory.get().binaryDecoder(bytes, null);
    try {
      return Optional.of(List.of(read.run(in), in.inputStream().available()));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  private void check(Schema writer, Schema reader, byte[] bytes) {
    GenericDatumReader<GenericRecord> avro = new GenericDatumReader<>(writer, reader, data);
    ProjectedReader projected = ProjectedReader.of(writer, reader, data).orElseThrow();
    assertThat(outcome(bytes, in -> projected.read(in, bytes, bytes.length)))
        .as("%s%nas %s", writer, reader)
        .isEqualTo(outcome(bytes, in -> avro.read(null, in)));
  }

  /** Some of the fields in another order, ints as longs. */
  private static Schema projection(Schema writer, Random random) {
    List<Schema.Field> fields = new ArrayList<>();
    for (Schema.Field field : writer.getFields()) {
      if (random.nextBoolean()) {
        boolean promoted = field.schema().getType() == Schema.Type.INT && random.nextBoolean();
        Schema type = promoted ? Schema.create(Schema.Type.LONG) : field.schema();
        fields.add(new Schema.Field(field, type));
      }
    }
    Collections.shuffle(fields, random);
    return Schema.createRecord(writer.getName(), null, writer.getNamespace(), false, fields);
  }

  @Property(tries = 300)
  void readsWhatAvroReads(@ForAll(supplier = Seeds.class) long seed) {
    Random random = new Random(seed);
    Schema writer = RandomSchemas.record(random);
    Schema reader = projection(writer, random);
    byte[] bytes = RandomSchemas.datum(writer, random);
    check(writer, reader, bytes);
    for (int i = 0; i < 10 && bytes.length > 0; i++) {
      byte[] broken = bytes.clone();
      broken[random.nextInt(bytes.length)] = (byte) random.nextInt();
      check(writer, reader, broken);
    }
  }

  @Example
  void leavesFieldsThatTheWriterDoesNotGiveToAvro() {
    Schema writer = SchemaBuilder.record("R").fields().requiredString("name").endRecord();
    Schema reader =
        SchemaBuilder.record("R").fields().requiredString("name").optionalInt("age").endRecord();
    assertThat(ProjectedReader.of(writer, reader, data)).isEmpty();
    assertThat(ProjectedReader.of(reader, writer, data)).isPresent();
  }
}
