package io.indexview.benchmarks.codec;

import io.indexview.benchmarks.data.People;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.schemas.serde.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The serde against Avro's own generic reader and writer alone, without schema ids. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AvroBenchmark {
  private static final int VALUES = 1 << 8;

  @Param("Person")
  public String record;

  private final GenericRecord[] people = new GenericRecord[VALUES];
  private final byte[][] messages = new byte[VALUES][];
  private final GenericDatumReader<GenericRecord> plainReader =
      new GenericDatumReader<>(People.SCHEMA);
  private final GenericDatumWriter<GenericRecord> plainWriter =
      new GenericDatumWriter<>(People.SCHEMA);
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private BinaryEncoder encoder;
  private MessageWriter writer;
  private MessageReader reader;
  private BinaryDecoder decoder;
  private int next;

  @Setup
  public void prepare() {
    SchemaRegistry registry = new InMemorySchemaRegistry();
    writer = new MessageWriter(registry, false);
    reader = new MessageReader(registry);
    for (int i = 0; i < VALUES; i++) {
      people[i] = People.person(i, i);
      messages[i] = writer.write(People.TOPIC, People.SCHEMA, people[i]);
    }
  }

  private int next() {
    next = (next + 1) % VALUES;
    return next;
  }

  @Benchmark
  public byte[] write() {
    return writer.write(People.TOPIC, People.SCHEMA, people[next()]);
  }

  @Benchmark
  public byte[] plainWrite() throws IOException {
    out.reset();
    encoder = EncoderFactory.get().binaryEncoder(out, encoder);
    plainWriter.write(people[next()], encoder);
    encoder.flush();
    return out.toByteArray();
  }

  @Benchmark
  public Object read() {
    return reader.read(People.TOPIC, messages[next()]).value();
  }

  @Benchmark
  public Object plainRead() throws IOException {
    byte[] message = messages[next()];
    int header = WireFormat.HEADER_LENGTH;
    decoder = DecoderFactory.get().binaryDecoder(message, header, message.length - header, decoder);
    return plainReader.read(null, decoder);
  }
}
