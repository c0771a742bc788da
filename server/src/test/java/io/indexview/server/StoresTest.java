package io.indexview.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.server.config.ServerConfig;
import io.indexview.verification.GenericTargetException;
import io.indexview.verification.NotReadableHereException;
import io.indexview.verification.jdbc.JdbcRows;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoresTest {
  private final Map<String, String> values =
      new HashMap<>(
          Map.of(
              "bootstrap.servers", "127.0.0.1:9092",
              "schema.registry.url", "http://127.0.0.1:8081"));

  private Stores stores() {
    return Stores.open(
        ServerConfig.parse(values),
        store -> {
          throw new AssertionError("there is no KV store");
        });
  }

  private static ViewGeneration generation(String target) {
    return ViewGeneration.freeze(
        new ViewDefinitionParser()
            .parse(
                "by-org.yaml", "{name: by-org, source: people, key: [org], %s}".formatted(target)),
        1,
        new RecordSet(
            "people",
            "people",
            RecordFormat.ENVELOPE,
            List.of(),
            SchemaBuilder.record("Person")
                .fields()
                .requiredString("org")
                .name("tags")
                .type()
                .map()
                .values()
                .stringType()
                .noDefault()
                .endRecord()),
        new Topics("test"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "target: kv; kvstore.uri; false",
        "target: dynamodb, table: by-org; aws.region; false",
        "target: files; connect.targets; true",
        "target: files; target.files.connection.url; true"
      })
  void saysWhichSettingIsMissingToReadRows(String target, String setting, boolean isGeneric) {
    try (Stores stores = stores()) {
      assertThat(stores.rows(generation(target))).isEmpty();
      assertThatThrownBy(() -> stores.requiredRows(generation(target)))
          .isInstanceOf(NotReadableHereException.class)
          .hasMessageContaining("by-org")
          .hasMessageContaining(setting)
          .satisfies(e -> assertThat(e instanceof GenericTargetException).isEqualTo(isGeneric));
    }
  }

  @Test
  void readsTheTablesOfAGenericSink() {
    values.put("connect.targets", "files");
    values.put("target.files.connection.url", "jdbc:postgresql://db/files");

    try (Stores stores = stores()) {
      assertThat(stores.rows(generation("target: files"))).containsInstanceOf(JdbcRows.class);
      assertThat(stores.requiredRows(generation("target: files"))).isInstanceOf(JdbcRows.class);
      assertThat(stores.rows(generation("target: other"))).isEmpty();
    }
  }

  /** No setting makes them readable. */
  @Test
  void readsNoFieldsThatAreNotCompared() {
    values.put("connect.targets", "files");
    values.put("target.files.connection.url", "jdbc:postgresql://db/files");

    try (Stores stores = stores()) {
      assertThatThrownBy(() -> stores.requiredRows(generation("target: files, include: [tags]")))
          .isInstanceOf(GenericTargetException.class)
          .hasMessageContaining("tags");
    }
  }
}
