package io.indexview.schemas.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.FramedValue.ValueSchemas;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvelopeSchemasTest {

  @Test
  void namesTheEnvelopeAfterTheRecord() {
    Schema envelope = EnvelopeSchemas.envelope(Messages.PERSON);

    assertThat(envelope.getFullName())
        .isEqualTo("test.PersonEnvelope")
        .isEqualTo(EnvelopeSchemas.fullName(Messages.PERSON));
    assertThat(envelope.getFields())
        .extracting(Schema.Field::name)
        .containsExactly("op", "ts_ms", "source", "before", "after");
  }

  @Test
  void survivesTheRegistry() {
    Schema envelope = EnvelopeSchemas.envelope(Messages.PERSON);

    assertThat(new Schema.Parser().parse(envelope.toString())).isEqualTo(envelope);
  }

  @Test
  void namesTheEnvelopeOfARecordWithoutNamespace() {
    Schema plain = SchemaBuilder.record("Plain").fields().requiredInt("n").endRecord();

    assertThat(EnvelopeSchemas.envelope(plain).getFullName()).isEqualTo("PlainEnvelope");
  }

  @Test
  void evolvesAsItsRecordDoes() {
    InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
    Schema wider =
        new Schema.Parser()
            .parse(
                Messages.PERSON
                    .toString()
                    .replace(
                        "\"fields\":[",
                        "\"fields\":[{\"name\":\"org\",\"type\":\"string\",\"default\":\"\"},"));
    Schema stricter = new Schema.Parser().parse(wider.toString().replace(",\"default\":\"\"", ""));
    registry.register("s", EnvelopeSchemas.envelope(Messages.PERSON));

    assertThat(registry.isCompatible("s", EnvelopeSchemas.envelope(wider))).isTrue();
    assertThat(registry.isCompatible("s", EnvelopeSchemas.envelope(stricter))).isFalse();
  }

  @Test
  void refusesWhatIsNoRecord() {
    assertThatThrownBy(() -> EnvelopeSchemas.envelope(Schema.create(Schema.Type.STRING)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("string");
  }

  @Test
  void findsTheWriterSchema() {
    assertThat(EnvelopeSchemas.writerSchema(EnvelopeSchemas.envelope(Messages.PERSON)))
        .isEqualTo(Messages.PERSON);
    assertThat(EnvelopeSchemas.writerSchema(Messages.DEBEZIUM)).isEqualTo(Messages.PERSON);
  }

  @Test
  void refusesAnAfterThatIsNoRecord() {
    Schema number =
        SchemaBuilder.record("E").fields().requiredString("op").optionalLong("after").endRecord();
    Schema mongo =
        SchemaBuilder.record("E").fields().requiredString("op").optionalString("after").endRecord();

    assertThatThrownBy(() -> EnvelopeSchemas.writerSchema(number))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("\"after\"", "[null, long]", "one record type");
    assertThatThrownBy(() -> EnvelopeSchemas.writerSchema(mongo))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("MongoDB", "ExtractNewDocumentState", "format=flat");
    assertThatThrownBy(() -> EnvelopeSchemas.writerSchema(Schema.create(Schema.Type.BYTES)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("bytes", "\"op\"", "\"after\"");
  }

  /** Full names and fields as Debezium has them. */
  @ParameterizedTest
  @CsvSource({
    "io.debezium.connector.common.Heartbeat, ts_ms, it is a heartbeat of Debezium",
    "io.debezium.connector.common.TransactionMetadataValue, status id event_count data_collections ts_ms, it is transaction metadata of Debezium",
    "io.debezium.connector.mysql.SchemaChangeValue, source ts_ms databaseName schemaName ddl tableChanges, it is a schema change of Debezium",
    "shop.Order, id customer, is this a flat topic"
  })
  void saysWhatItIsInstead(String name, String fields, String what) {
    SchemaBuilder.FieldAssembler<Schema> other = SchemaBuilder.record(name).fields();
    for (String field : fields.split(" ")) {
      other.optionalString(field);
    }
    Schema schema = other.endRecord();

    assertThatThrownBy(() -> EnvelopeSchemas.writerSchema(schema))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(name, "no field \"op\"", what);
  }

  @Test
  void cachesWriterSchemasByIdAndFormat() {
    InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
    int id = registry.register("s", EnvelopeSchemas.envelope(Messages.PERSON));
    ValueSchemas schemas = new ValueSchemas(registry);

    Schema inEnvelope = schemas.writerSchema(id, RecordFormat.ENVELOPE);
    assertThat(inEnvelope).isEqualTo(Messages.PERSON);
    assertThat(schemas.writerSchema(id, RecordFormat.ENVELOPE)).isSameAs(inEnvelope);
    assertThat(schemas.writerSchema(id, RecordFormat.FLAT).getName()).isEqualTo("PersonEnvelope");
    assertThatThrownBy(() -> schemas.writerSchema(77, RecordFormat.FLAT))
        .isInstanceOf(RegistryException.NotFound.class);
  }

  @Test
  void writesNoEnvelopeThatContradictsItself() {
    EnvelopeWriter writer =
        new EnvelopeWriter(Messages.PERSON, new EnvelopeWriter.SourceInfo("writer", "w", "1"));
    Schema other = SchemaBuilder.record("Other").fields().endRecord();

    assertThatThrownBy(() -> writer.write(Op.UPDATE, 1, 0, Origin.Unordered.INSTANCE, null))
        .hasMessageContaining("op u without a record");
    assertThatThrownBy(
            () ->
                writer.write(Op.DELETE, 1, 0, Origin.Unordered.INSTANCE, Messages.person("Ann", 1)))
        .hasMessageContaining("a delete carries no record");
    assertThatThrownBy(
            () ->
                writer.write(
                    Op.CREATE, 1, 0, Origin.Unordered.INSTANCE, new GenericData.Record(other)))
        .hasMessageContainingAll("Other", "test.Person");
  }
}
