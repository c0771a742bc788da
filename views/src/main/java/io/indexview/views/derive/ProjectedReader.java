package io.indexview.views.derive;

import io.indexview.schemas.serde.DatumSkipper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.avro.Resolver;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryDecoder;

/**
 * Reads the fields of a record that a reader has and steps over the others, as Avro's reader does,
 * with less ado about what it steps over. Plain fields are left where they are. Not thread-safe.
 */
final class ProjectedReader {
  private final Schema schema;
  private final Step[] steps;
  private final PlainField[] plain;

  /** Reads or steps over one of the writer's fields. */
  private interface Step {
    /**
     * @param end of what is read
     */
    void run(BinaryDecoder in, int end, SlicedRecord out) throws IOException;
  }

  private ProjectedReader(Schema schema, Step[] steps, PlainField[] plain) {
    this.schema = schema;
    this.steps = steps;
    this.plain = plain;
  }

  /**
   * Empty if the reader has fields that the writer does not give.
   *
   * @param reader a record
   */
  static Optional<ProjectedReader> of(Schema writer, Schema reader, GenericData data) {
    Resolver.Action action = Resolver.resolve(Schema.applyAliases(writer, reader), reader, data);
    if (!(action instanceof Resolver.RecordAdjust record)
        || record.firstDefault < record.readerOrder.length) {
      return Optional.empty();
    }
    List<Step> steps = new ArrayList<>();
    PlainField[] plain = new PlainField[reader.getFields().size()];
    int next = 0;
    for (Resolver.Action field : record.fieldActions) {
      if (field instanceof Resolver.Skip) {
        DatumSkipper skipper = DatumSkipper.of(field.writer);
        steps.add((in, end, out) -> skipper.skip(in));
      } else {
        steps.add(step(field, record.readerOrder[next++], plain, data));
      }
    }
    return Optional.of(new ProjectedReader(reader, steps.toArray(Step[]::new), plain));
  }

  private static Step step(
      Resolver.Action action, Schema.Field field, PlainField[] plain, GenericData data) {
    int position = field.pos();
    if (action.writer.equals(field.schema())) {
      Optional<PlainField> known = PlainField.of(field.schema());
      if (known.isPresent()) {
        PlainField one = known.get();
        plain[position] = one;
        return (in, end, out) -> one.read(in, end, position, out);
      }
    }
    GenericDatumReader<Object> reader =
        new GenericDatumReader<>(action.writer, field.schema(), data);
    return (in, end, out) -> {
      int from = end - in.inputStream().available();
      out.set(position, reader.read(null, in));
      out.setSlice(position, from, end - in.inputStream().available());
    };
  }

  /**
   * Reads a record.
   *
   * @param bytes that the decoder reads, which the record keeps
   * @param end of them
   */
  SlicedRecord read(BinaryDecoder in, byte[] bytes, int end) throws IOException {
    SlicedRecord record = new SlicedRecord(schema, bytes, plain);
    for (Step step : steps) {
      step.run(in, end, record);
    }
    return record;
  }
}
