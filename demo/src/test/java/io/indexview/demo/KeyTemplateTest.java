package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTemplateTest {
  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text);
  }

  @Test
  void makesMajorAndMinorComponentsFromFields() throws IOException {
    KeyTemplate template = KeyTemplate.parse("/World/{country}/-/city/{cityId}");
    JsonNode record = json("{\"country\":\"A/B\",\"cityId\":7}");

    assertThat(template.major(record)).containsExactly("World", "A/B");
    assertThat(template.minor(record)).containsExactly("city", "7");
    assertThat(template.prefix()).containsExactly("World");
  }

  @Test
  void takesTheFixedComponentsBeforeTheFirstFieldAsPrefix() {
    assertThat(KeyTemplate.parse("/Corporate/people/{id}/contact").prefix())
        .containsExactly("Corporate", "people");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"id\":null}", "{\"id\":\"\"}", "{\"id\":[1]}"})
  void namesTheFieldWhenARecordHasNoUsableValue(String record) throws IOException {
    JsonNode json = json(record);
    KeyTemplate template = KeyTemplate.parse("/a/{id}");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> template.major(json))
        .withMessageContaining("\"id\"")
        .withMessageContaining("/a/{id}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a/{id}", "/a/{id}/", "/a//{id}", "/{id}/a", "/a/b"})
  void refusesWhatIsNoTemplate(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyTemplate.parse(text))
        .withMessageContaining("/World/city/{cityId}");
  }
}
