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
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;

/**
 * Reads the fields of a record that a reader has and steps over the others, as Avro's reader does,
 * with less ado about what it steps over. Not thread-safe.
 */
final class ProjectedReader {
  private final Schema schema;
  private final Step[] steps;

  /** Reads or steps over one of the writer's fields. */
  private interface Step {
    void run(BinaryDecoder in, GenericRecord out) throws IOException;
  }

  private ProjectedReader(Schema schema, Step[] steps) {
    this.schema = schema;
    this.steps = steps;
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
    int next = 0;
    for (Resolver.Action field : record.fieldActions) {
      if (field instanceof Resolver.Skip) {
        DatumSkipper skipper = DatumSkipper.of(field.writer);
        steps.add((in, out) -> skipper.skip(in));
      } else {
        steps.add(step(field, record.readerOrder[next++], data));
      }
    }
    return Optional.of(new ProjectedReader(reader, steps.toArray(Step[]::new)));
  }

  private static Step step(Resolver.Action action, Schema.Field field, GenericData data) {
    int position = field.pos();
    if (action.type == Resolver.Action.Type.DO_NOTHING) {
      switch (field.schema().getType()) {
        case INT -> {
          return (in, out) -> out.put(position, in.readInt());
        }
        case LONG -> {
          return (in, out) -> out.put(position, in.readLong());
        }
        case DOUBLE -> {
          return (in, out) -> out.put(position, in.readDouble());
        }
        case STRING -> {
          // Properties may ask for another class.
          if (!field.schema().hasProps()) {
            return (in, out) -> out.put(position, in.readString(null));
          }
        }
        default -> {}
      }
    }
    GenericDatumReader<Object> reader =
        new GenericDatumReader<>(action.writer, field.schema(), data);
    return (in, out) -> out.put(position, reader.read(null, in));
  }

  GenericRecord read(BinaryDecoder in) throws IOException {
    GenericRecord record = new GenericData.Record(schema);
    for (Step step : steps) {
      step.run(in, record);
    }
    return record;
  }
}
