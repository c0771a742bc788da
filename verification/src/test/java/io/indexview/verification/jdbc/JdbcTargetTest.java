package io.indexview.verification.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.apache.kafka.common.config.types.Password;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcTargetTest {
  private static JdbcTarget target(String format) {
    return new JdbcTarget(
        "jdbc",
        "jdbc:postgresql://db/files",
        Optional.of("reader"),
        Optional.of(new Password("hunter2")),
        format,
        10);
  }

  /** As the sink does. */
  @ParameterizedTest
  @CsvSource({
    "${topic}, \"indexview_view_jdbc_by-org_1\"",
    "v-${topic}_x, \"v-indexview_view_jdbc_by-org_1_x\"",
    "Views.${topic}, \"Views\".\"indexview_view_jdbc_by-org_1\"",
  })
  void namesTables(String format, String table) {
    assertThat(target(format).table("indexview.view.jdbc.by-org.1")).isEqualTo(table);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "rows",
        "${topic}${topic}",
        "${topic}_${source.db}",
        "${source.db}.${topic}",
        "a.b.${topic}",
        ".${topic}",
        "${topic}.rows",
        "\"${topic}\"",
        "a\n${topic}"
      })
  void refusesFormatsThatNameNoTable(String format) {
    assertThatThrownBy(() -> target(format)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void keepsItsPasswordToItself() {
    assertThat(target("${topic}").toString()).contains("reader").doesNotContain("hunter2");
  }
}
