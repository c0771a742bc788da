package io.indexview.streams;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.EnvelopeWriter;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.Subjects;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** The record set that the tests derive from, and its change events. */
public final class People {
  public static final String TOPIC = "indexview.changes.people";
  public static final Schema SCHEMA = schema();
  public static final RecordSet RECORD_SET =
      new RecordSet("people", TOPIC, RecordFormat.ENVELOPE, List.of(), SCHEMA);

  public static final long CREATED_AT = 1_000_000;

  public static final String BY_ORG =
      """
      name: by-org
      source: people
      kind: index
      key: [org]
      include: [name]
      target: kv
      layout: key-value
      """;
  public static final String BY_TAG_AND_AGE =
      """
      name: by-tag-and-age
      source: people
      kind: index
      key: [tags, age]
      nulls: index
      maxRowsPerRecord: 5
      target: kv
      """;

  private static final EnvelopeWriter ENVELOPES =
      new EnvelopeWriter(SCHEMA, new EnvelopeWriter.SourceInfo("kvstore", "test", "1"));

  private final SchemaRegistry registry;
  private final AvroSerializer<GenericRecord> serializer;

  public People(SchemaRegistry registry) {
    this.registry = registry;
    this.serializer = new AvroSerializer<>(registry, false);
  }

  private static Schema schema() {
    try (InputStream in = People.class.getResourceAsStream("/person.avsc")) {
      return new Schema.Parser().parse(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static ViewGeneration generation(String yaml) {
    return generation(yaml, 1, RECORD_SET);
  }

  public static ViewGeneration generation(String yaml, int number, RecordSet recordSet) {
    return ViewGeneration.freeze(
        new ViewDefinitionParser().parse("test.yaml", yaml),
        number,
        recordSet,
        new Topics("indexview"));
  }

  /** The generation with its schemas registered. */
  public FrozenGeneration frozen(ViewGeneration generation) {
    RowSchemas schemas = RowSchemas.of(generation);
    return new FrozenGeneration(
        generation,
        registry.register(TOPIC + "-record", generation.recordSet().schema()),
        registry.register(Subjects.key(generation.viewTopic()), schemas.key()),
        registry.register(Subjects.value(generation.viewTopic()), schemas.value()));
  }

  public PublishedGeneration published(ViewGeneration generation) {
    return published(generation, BuildMode.STATE);
  }

  public PublishedGeneration published(ViewGeneration generation, BuildMode mode) {
    return published(generation, mode, CREATED_AT);
  }

  public PublishedGeneration published(
      ViewGeneration generation, BuildMode mode, long createdAtMs) {
    FrozenGeneration frozen = frozen(generation);
    return new PublishedGeneration(
        generation.view(),
        generation.number(),
        generation.definition().toJson(),
        generation.recordSet().name(),
        generation.sourceTopic(),
        generation.viewTopic(),
        "",
        new PublishedGeneration.SchemaIds(
            frozen.readerSchemaId(), frozen.keySchemaId(), frozen.valueSchemaId()),
        generation.encodingVersion(),
        createdAtMs,
        new BuildRequest(0, mode),
        false);
  }

  public static GenericRecord person(String name, String org, Integer age, String... tags) {
    GenericRecord person = new GenericData.Record(SCHEMA);
    person.put("name", name);
    person.put("org", org);
    person.put("age", age);
    person.put("tags", List.of(tags));
    return person;
  }

  public static Origin versioned(long sequence) {
    return versioned("s1", sequence);
  }

  public static Origin versioned(String epoch, long sequence) {
    return new Origin.Versioned(version(epoch, sequence));
  }

  public static SourceVersion version(String epoch, long sequence) {
    return new SourceVersion(epoch, ByteBuffer.allocate(8).putLong(sequence).array());
  }

  /** An event as it lies on the topic. */
  public byte[] event(Op op, Origin origin, GenericRecord person) {
    return serializer.serialize(TOPIC, ENVELOPES.write(op, 1, 1, origin, person));
  }

  public byte[] upsert(long sequence, GenericRecord person) {
    return event(Op.UPDATE, versioned(sequence), person);
  }

  public byte[] delete(long sequence) {
    return event(Op.DELETE, versioned(sequence), null);
  }

  /** All records are gone, as Debezium says it. */
  public byte[] truncate() {
    GenericRecord event = ENVELOPES.write(Op.DELETE, 1, 1, Origin.Unordered.INSTANCE, null);
    event.put("op", "t");
    return serializer.serialize(TOPIC, event);
  }
}
