package io.indexview.schemas.serde;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.RandomSchemas;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.io.IOException;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.Decoder;
import org.apache.avro.io.DecoderFactory;

/** Against what Avro does, on data and on bytes that are none. */
class DatumSkipperPropertyTest {
  private interface Skip {
    void run(Decoder in) throws IOException;
  }

  /** How many bytes are left over; -1: they are no such datum. */
  private static int left(byte[] bytes, Skip skip) {
    BinaryDecoder in = DecoderFactory.get().binaryDecoder(bytes, null);
    try {
      skip.run(in);
      return in.inputStream().available();
    } catch (IOException | RuntimeException e) {
      return -1;
    }
  }

  private static void check(Schema schema, byte[] bytes) {
    int expected = left(bytes, in -> GenericDatumReader.skip(schema, in));
    assertThat(left(bytes, DatumSkipper.of(schema)::skip)).as("%s", schema).isEqualTo(expected);
  }

  @Property(tries = 300)
  void stepsOverAsMuchAsAvro(@ForAll(supplier = Seeds.class) long seed) {
    Random random = new Random(seed);
    Schema schema = RandomSchemas.record(random);
    byte[] bytes = RandomSchemas.datum(schema, random);
    assertThat(left(bytes, DatumSkipper.of(schema)::skip)).isZero();
    check(schema, bytes);
    for (int i = 0; i < 10 && bytes.length > 0; i++) {
      byte[] broken = bytes.clone();
      broken[random.nextInt(bytes.length)] = (byte) random.nextInt();
      check(schema, broken);
    }
  }

  @Example
  void leavesArraysOfNothingToAvro() {
    Schema nulls = SchemaBuilder.array().items().nullType();
    byte[] millions = {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x7f, 0};
    assertThat(left(millions, in -> GenericDatumReader.skip(nulls, in))).isEqualTo(-1);
    check(nulls, millions);
    check(SchemaBuilder.array().items(nulls), new byte[] {2, 4, 0, 0});
  }

  @Example
  void stepsOverRecordsThatHoldThemselves() {
    Schema list =
        new Schema.Parser()
            .parse(
                """
                {"type":"record","name":"Node","fields":[
                  {"name":"label","type":"string"},
                  {"name":"next","type":["null","Node"]},
                  {"name":"children","type":{"type":"array","items":"Node"}}]}""");
    byte[] bytes = {2, 'a', 2, 2, 'b', 0, 0, 2, 2, 'c', 0, 0, 0};
    assertThat(left(bytes, DatumSkipper.of(list)::skip)).isZero();
    check(list, bytes);
  }
}
