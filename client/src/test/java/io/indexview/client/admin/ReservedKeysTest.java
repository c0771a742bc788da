package io.indexview.client.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.admin.ViewChange.Effect;
import io.indexview.views.definition.InvalidViewException;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReservedKeysTest {
  private static final String VIEW =
      """
      name: people-by-org
      source: people
      key: [org]
      target: kv
      """;

  private final ControlPlane plane = new ControlPlane().withPeople();

  @ParameterizedTest
  @ValueSource(strings = {"prefix", "metaPrefix"})
  void refusesAViewAmongPrimaryRecords(String property) {
    try (ViewAdmin admin = plane.admin()) {
      admin.reserveKeys("people", "Corporate");

      assertThatThrownBy(
              () -> admin.apply("v.yaml", VIEW + property + ": Corporate", OptionalLong.empty()))
          .isInstanceOf(InvalidViewException.class)
          .hasMessageContaining(property)
          .hasMessageContaining("Corporate")
          .hasMessageContaining("holds the records of record set \"people\"; use another");
    }
  }

  @Test
  void takesAViewBesidePrimaryRecords() {
    try (ViewAdmin admin = plane.admin()) {
      admin.reserveKeys("people", "Corporate");

      assertThat(admin.apply("v.yaml", VIEW, OptionalLong.empty()).effect())
          .isEqualTo(Effect.BUILD);
    }
  }
}
