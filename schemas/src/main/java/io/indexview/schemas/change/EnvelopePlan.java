package io.indexview.schemas.change;

import io.indexview.schemas.serde.DatumSkipper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryDecoder;

/**
 * How to walk through the envelopes of one writer schema: fields are found by name once, then each
 * message is read in one pass that decodes what is wanted and steps over the rest.
 */
final class EnvelopePlan {

  /** Reads one Avro datum, into the fields or into nothing. */
  private interface Step {
    void run(BinaryDecoder in, EnvelopeFields out) throws IOException;
  }

  /** Makes the step for the type found in the schema. */
  private interface StepMaker {
    Step of(Schema schema);
  }

  private final String name;
  private final Step step;

  private EnvelopePlan(String name, Step step) {
    this.name = name;
    this.step = step;
  }

  /**
   * The plan of a writer schema.
   *
   * @throws IllegalArgumentException if it is no envelope, or one of the wanted fields has a type
   *     that cannot be used
   */
  static EnvelopePlan of(Schema envelope) {
    EnvelopeSchemas.writerSchema(envelope);
    Step step =
        record(
            envelope,
            Map.of(
                EnvelopeSchemas.OP, schema -> optional(schema, EnvelopePlan::op),
                EnvelopeSchemas.SOURCE, schema -> optional(schema, EnvelopePlan::source),
                EnvelopeSchemas.AFTER, schema -> optional(schema, EnvelopePlan::after)));
    return new EnvelopePlan(envelope.getFullName(), step);
  }

  String name() {
    return name;
  }

  /** Reads a message from the decoder up to its end; {@code end} is the message's length. */
  EnvelopeFields read(BinaryDecoder in, int end) throws IOException {
    EnvelopeFields fields = new EnvelopeFields(end);
    step.run(in, fields);
    if (!in.isEnd()) {
      throw new IOException("bytes after the end of the envelope");
    }
    return fields;
  }

  private static Step after(Schema schema) {
    DatumSkipper record = DatumSkipper.of(schema);
    return (in, out) -> {
      int start = out.position(in);
      record.skip(in);
      out.after(start, out.position(in));
    };
  }

  private static Step source(Schema schema) {
    if (schema.getType() != Schema.Type.RECORD) {
      return skip(schema);
    }
    return record(schema, Map.of("order", order -> optional(order, EnvelopePlan::order)));
  }

  /** A foreign source may well have an "order" of its own: ours is known by its two fields. */
  private static Step order(Schema schema) {
    if (schema.getType() != Schema.Type.RECORD
        || schema.getField("epoch") == null
        || schema.getField("sequence") == null) {
      return skip(schema);
    }
    Step fields =
        record(
            schema,
            Map.of(
                "epoch", text((out, epoch) -> out.epoch = epoch),
                "sequence", bytes((out, sequence) -> out.sequence = sequence),
                "base", base -> optional(base, EnvelopePlan::base),
                "adHoc", flag((out, adHoc) -> out.adHoc = adHoc),
                "unreadable", flag((out, unreadable) -> out.unreadable = unreadable)));
    return (in, out) -> {
      out.ordered = true;
      fields.run(in, out);
    };
  }

  private static Step base(Schema schema) {
    expect(schema, Schema.Type.RECORD, "base");
    Step fields =
        record(
            schema,
            Map.of(
                "present", flag((out, present) -> out.basePresent = present),
                "deleted", flag((out, deleted) -> out.baseDeleted = deleted),
                "epoch", text((out, epoch) -> out.baseEpoch = epoch),
                "sequence", bytes((out, sequence) -> out.baseSequence = sequence)));
    return (in, out) -> {
      out.isSnapshotRead = true;
      fields.run(in, out);
    };
  }

  private static Step op(Schema schema) {
    if (schema.getType() == Schema.Type.ENUM) {
      List<String> symbols = schema.getEnumSymbols();
      return (in, out) -> out.op = symbols.get(in.readEnum());
    }
    expect(schema, Schema.Type.STRING, EnvelopeSchemas.OP);
    return (in, out) -> out.op = in.readString();
  }

  private static StepMaker text(Setter<String> setter) {
    return schema ->
        optional(
            schema,
            branch -> {
              expect(branch, Schema.Type.STRING, "epoch");
              return (in, out) -> setter.set(out, in.readString());
            });
  }

  private static StepMaker bytes(Setter<byte[]> setter) {
    return schema ->
        optional(
            schema,
            branch -> {
              expect(branch, Schema.Type.BYTES, "sequence");
              return (in, out) -> {
                // A fresh buffer, so its array is exactly the value.
                setter.set(out, in.readBytes(null).array());
              };
            });
  }

  private static StepMaker flag(Setter<Boolean> setter) {
    return schema ->
        optional(
            schema,
            branch -> {
              expect(branch, Schema.Type.BOOLEAN, "present, deleted, adHoc or unreadable");
              return (in, out) -> setter.set(out, in.readBoolean());
            });
  }

  private interface Setter<T> {
    void set(EnvelopeFields out, T value);
  }

  private static Step record(Schema schema, Map<String, StepMaker> wanted) {
    List<Schema.Field> fields = schema.getFields();
    Step[] steps = new Step[fields.size()];
    for (int i = 0; i < steps.length; i++) {
      Schema.Field field = fields.get(i);
      StepMaker maker = wanted.get(field.name());
      steps[i] = maker == null ? skip(field.schema()) : maker.of(field.schema());
    }
    return (in, out) -> {
      for (Step step : steps) {
        step.run(in, out);
      }
    };
  }

  /** A null leaves the field unset; so a union of null and T, and a plain T, read alike. */
  private static Step optional(Schema schema, StepMaker maker) {
    if (!schema.isUnion()) {
      return maker.of(schema);
    }
    List<Schema> types = schema.getTypes();
    Step[] branches = new Step[types.size()];
    for (int i = 0; i < branches.length; i++) {
      Schema branch = types.get(i);
      branches[i] = branch.getType() == Schema.Type.NULL ? skip(branch) : maker.of(branch);
    }
    return (in, out) -> branches[in.readIndex()].run(in, out);
  }

  private static Step skip(Schema schema) {
    DatumSkipper skipper = DatumSkipper.of(schema);
    return (in, out) -> skipper.skip(in);
  }

  private static void expect(Schema schema, Schema.Type type, String field) {
    if (schema.getType() != type) {
      throw new IllegalArgumentException(
          "envelope field %s has type %s, it must have type %s"
              .formatted(field, schema.getType().getName(), type.getName()));
    }
  }
}
