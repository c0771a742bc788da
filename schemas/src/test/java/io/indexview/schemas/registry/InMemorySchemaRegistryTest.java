package io.indexview.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;

class InMemorySchemaRegistryTest {
  private static final Schema NAME =
      SchemaBuilder.record("Person").fields().requiredString("name").endRecord();
  private static final Schema EMAIL =
      SchemaBuilder.record("Person").fields().requiredString("email").endRecord();

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();

  @Test
  void givesOneSchemaOneIdUnderEverySubject() {
    int id = registry.register("a-value", NAME);

    assertThat(registry.register("a-value", NAME)).isEqualTo(id);
    assertThat(registry.register("b-value", NAME)).isEqualTo(id);
    assertThat(registry.register("c-value", EMAIL)).isNotEqualTo(id);
    assertThat(registry.versions("a-value")).hasSize(1);
    assertThat(registry.subjects()).containsExactly("a-value", "b-value", "c-value");
  }

  @Test
  void tellsSchemasApartThatDifferInAProperty() {
    Schema marked = new Schema.Parser().parse(NAME.toString());
    marked.addProp("connect.parameters", "x");

    assertThat(registry.register("a-value", NAME))
        .isNotEqualTo(registry.register("a-value", marked));
    assertThat(registry.latest("a-value")).get().extracting("version").isEqualTo(2);
  }

  @Test
  void refusesASchemaThatCannotReadTheVersionBefore() {
    registry.register("a-value", NAME);

    assertThat(registry.isCompatible("a-value", EMAIL)).isFalse();
    assertThatThrownBy(() -> registry.register("a-value", EMAIL))
        .isInstanceOf(RegistryException.Incompatible.class);
    assertThat(registry.versions("a-value")).hasSize(1);
  }

  @Test
  void saysThatAnIdIsUnknown() {
    assertThatThrownBy(() -> registry.byId(0)).isInstanceOf(RegistryException.NotFound.class);
    assertThatThrownBy(() -> registry.byId(1)).isInstanceOf(RegistryException.NotFound.class);
  }
}
