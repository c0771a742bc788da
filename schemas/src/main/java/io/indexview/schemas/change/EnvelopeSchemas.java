package io.indexview.schemas.change;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;

/**
 * The Avro schema of the change envelope of a record schema: Debezium's field names, with our
 * {@code order} inside {@code source}.
 */
public final class EnvelopeSchemas {
  public static final String OP = "op";
  static final String TS_MS = "ts_ms";
  public static final String SOURCE = "source";
  static final String BEFORE = "before";
  public static final String AFTER = "after";

  /** Text or boolean, in place of an envelope: whether a flat record of Debezium is a deletion. */
  public static final String DELETED = "__deleted";

  /** Why an envelope of Debezium's connector for MongoDB is of no use, and what helps. */
  public static final String DOCUMENT =
      "\"after\" is no record, as of Debezium's connector for MongoDB; have it write the documents as records (transforms=unwrap, transforms.unwrap.type=io.debezium.connector.mongodb.transforms.ExtractNewDocumentState) and set format=flat";

  private EnvelopeSchemas() {}

  /** Full name of the envelope of a record schema: the record's own, with "Envelope" after it. */
  public static String fullName(Schema recordSchema) {
    return requireRecord(recordSchema).getFullName() + "Envelope";
  }

  /**
   * The envelope schema of a record schema. Two record schemas of one full name give envelopes of
   * one full name, so an envelope evolves as its record does.
   *
   * @throws IllegalArgumentException if the schema is not a record
   */
  public static Schema envelope(Schema recordSchema) {
    String name = requireRecord(recordSchema).getName() + "Envelope";
    Schema optionalRecord = Schema.createUnion(Schema.create(Schema.Type.NULL), recordSchema);
    return SchemaBuilder.record(name)
        .namespace(recordSchema.getNamespace())
        .doc("One change of a " + recordSchema.getName() + ".")
        .fields()
        .name(OP)
        .doc("c, u, d, or r for a record found by a first scan.")
        .type()
        .stringType()
        .noDefault()
        .name(TS_MS)
        .doc("When the source wrote the event, ms since the epoch.")
        .type()
        .longType()
        .noDefault()
        .name(SOURCE)
        .type(ControlSchemas.SOURCE)
        .noDefault()
        .name(BEFORE)
        .type(optionalRecord)
        .withDefault(null)
        .name(AFTER)
        .type(optionalRecord)
        .withDefault(null)
        .endRecord();
  }

  /**
   * The schema of an envelope that holds nothing but what happened and the record.
   *
   * @param name full name of the envelope
   * @throws IllegalArgumentException if the schema is not a record
   */
  public static Schema least(String name, Schema recordSchema) {
    return SchemaBuilder.record(name)
        .fields()
        .requiredString(OP)
        .name(AFTER)
        .type(Schema.createUnion(Schema.create(Schema.Type.NULL), requireRecord(recordSchema)))
        .withDefault(null)
        .endRecord();
  }

  /**
   * The schema that wrote the record inside an envelope: the {@code after} field without its null
   * branch.
   *
   * @throws IllegalArgumentException if the schema is not an envelope; the message says why
   */
  public static Schema writerSchema(Schema envelope) {
    List<String> missing = new ArrayList<>();
    for (String name : List.of(OP, AFTER)) {
      if (envelope.getType() != Schema.Type.RECORD || envelope.getField(name) == null) {
        missing.add("\"" + name + "\"");
      }
    }
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          "schema %s is no change envelope, as it has no field %s: %s"
              .formatted(
                  nameOf(envelope),
                  String.join(" and no field ", missing),
                  insteadOfEnvelope(fields(envelope))));
    }
    Schema after = envelope.getField(AFTER).schema();
    List<Schema> branches = after.isUnion() ? after.getTypes() : List.of(after);
    List<Schema> values = branches.stream().filter(b -> b.getType() != Schema.Type.NULL).toList();
    if (values.size() == 1 && values.get(0).getType() == Schema.Type.STRING) {
      throw new IllegalArgumentException("schema %s: %s".formatted(nameOf(envelope), DOCUMENT));
    }
    if (values.size() != 1 || values.get(0).getType() != Schema.Type.RECORD) {
      throw new IllegalArgumentException(
          "schema %s: field \"after\" holds %s; it must hold one record type, or null"
              .formatted(
                  nameOf(envelope), branches.stream().map(EnvelopeSchemas::nameOf).toList()));
    }
    return values.get(0);
  }

  private static Set<String> fields(Schema schema) {
    return schema.getType() == Schema.Type.RECORD
        ? schema.getFields().stream().map(Schema.Field::name).collect(Collectors.toSet())
        : Set.of();
  }

  /**
   * What a value may be that is no envelope, for people.
   *
   * @param fields that it has
   */
  public static String insteadOfEnvelope(Set<String> fields) {
    return fields.contains("ddl")
        ? "it is a schema change of Debezium; such a topic is no record set"
        : fields.contains("status") && fields.contains("id")
            ? "it is transaction metadata of Debezium; such a topic is no record set"
            : fields.equals(Set.of(TS_MS))
                ? "it is a heartbeat of Debezium; such a topic is no record set"
                : "is this a flat topic (format=flat)?";
  }

  private static Schema requireRecord(Schema schema) {
    if (schema.getType() != Schema.Type.RECORD) {
      throw new IllegalArgumentException(
          "a primary record's schema must be an Avro record, not " + nameOf(schema));
    }
    return schema;
  }

  private static String nameOf(Schema schema) {
    return schema.isUnion() ? "a union" : schema.getFullName();
  }
}
