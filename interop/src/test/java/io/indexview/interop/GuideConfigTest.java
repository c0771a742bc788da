package io.indexview.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuideConfigTest {
  /** Without it, an outage of a second ends the task for good. */
  @ParameterizedTest
  @ValueSource(strings = {"relational.md", "debezium.md"})
  void waitsForTheRegistryOfItsConverter(String page) throws IOException {
    assertThat(GuideConfig.of(page))
        .containsEntry("value.converter", "io.indexview.connect.common.avro.AvroConverter")
        .containsEntry("errors.retry.timeout", "-1");
  }
}
