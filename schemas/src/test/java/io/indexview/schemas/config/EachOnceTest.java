package io.indexview.schemas.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.config.Validators.EachOnce;
import java.util.List;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

class EachOnceTest {

  @Test
  void namesWhatComesTwice() {
    assertThatThrownBy(
            () -> new EachOnce(true).ensureValid("view.prefixes", List.of("a", "b", "a")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContainingAll("view.prefixes", "Name a once");
  }

  @Test
  void refusesAnEmptyValue() {
    assertThatThrownBy(() -> new EachOnce(true).ensureValid("view.prefixes", List.of("a", " ")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("view.prefixes");
  }

  @Test
  void refusesAnEmptyListWhereOneIsNeeded() {
    EachOnce one = new EachOnce(false);
    assertThatThrownBy(() -> one.ensureValid("meta", List.of()))
        .isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> one.ensureValid("meta", null)).isInstanceOf(ConfigException.class);
  }

  @Test
  void takesWhatIsThereOnce() {
    new EachOnce(true).ensureValid("view.prefixes", List.of());
    new EachOnce(false).ensureValid("meta", List.of("a", "b"));
    assertThat(new EachOnce(false)).hasToString("any, each once");
  }
}
