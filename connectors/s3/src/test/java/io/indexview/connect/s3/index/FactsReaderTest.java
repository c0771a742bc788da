package io.indexview.connect.s3.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.fixtures.FailingRegistry;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.serde.ControlSchemas;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FactsReaderTest {
  private static final FramedValue VALUE = new FramedValue(1, new byte[] {-1, -1, -1}, 0, 3);

  static Stream<RegistryException> noAnswers() {
    return Stream.of(
        new RegistryException("HTTP 401", null), new RegistryException.Unavailable("away", null));
  }

  @ParameterizedTest
  @MethodSource("noAnswers")
  void takesARegistryThatDoesNotAnswerForNoWordOnTheRecord(RegistryException failure) {
    Facts.Reader reader = new Facts.Reader(FailingRegistry.with(failure));

    assertThatThrownBy(() -> reader.read(VALUE)).isSameAs(failure);
  }

  @Test
  void knowsNothingOfARecordThatIsNoFileRecord() {
    InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
    registry.register("files", SchemaBuilder.record("Person").fields().endRecord());

    assertThat(new Facts.Reader(registry).read(VALUE)).isEqualTo(Facts.UNKNOWN);
    assertThat(
            new Facts.Reader(FailingRegistry.with(new RegistryException.NotFound("no id 1")))
                .read(VALUE))
        .isEqualTo(Facts.UNKNOWN);
  }

  @Test
  void knowsNothingOfBytesThatAreNotWhatTheirSchemaSays() {
    InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
    registry.register("files-value", EnvelopeSchemas.envelope(ControlSchemas.FILE_RECORD));

    assertThat(new Facts.Reader(registry).read(VALUE)).isEqualTo(Facts.UNKNOWN);
  }

  @Test
  void knowsNothingOfARecordThatIsNestedTooDeeply() {
    Schema known = ControlSchemas.FILE_RECORD;
    Schema file = Schema.createRecord(known.getName(), null, known.getNamespace(), false);
    List<Schema.Field> fields = new ArrayList<>();
    fields.add(
        new Schema.Field(
            "next",
            Schema.createUnion(Schema.create(Schema.Type.NULL), file),
            null,
            (Object) null));
    known.getFields().forEach(field -> fields.add(new Schema.Field(field, field.schema())));
    file.setFields(fields);
    InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
    int id = registry.register("files-value", EnvelopeSchemas.envelope(file));
    byte[] deep = new byte[1 << 20];
    Arrays.fill(deep, (byte) 2);

    assertThat(new Facts.Reader(registry).read(new FramedValue(id, deep, 0, deep.length)))
        .isEqualTo(Facts.UNKNOWN);
  }
}
