package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonLinesTest {
  private static final Schema CITY =
      SchemaBuilder.record("City").fields().requiredInt("id").optionalString("name").endRecord();

  private static JsonLines records(byte[] bytes) throws IOException {
    return new JsonLines("cities.ndjson", new ByteArrayInputStream(bytes), CITY);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void readsALineEachAndPassesOverEmptyOnes() throws IOException {
    try (JsonLines records = records(utf8("{\"id\":1,\"name\":\"Ås\"}\n\n{\"id\":2}\n"))) {
      JsonLines.Line first = records.next();
      assertThat(first.avro().get("name")).hasToString("Ås");
      assertThat(first.json().path("id").asInt()).isEqualTo(1);
      assertThat(records.next().avro().get("name")).isNull();
      assertThat(records.next()).isNull();
    }
  }

  @Test
  void readsGzip() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(utf8("{\"id\":5}\n"));
    }
    try (JsonLines records = records(bytes.toByteArray())) {
      assertThat(records.next().avro().get("id")).isEqualTo(5);
    }
  }

  @Test
  void isAtItsEndWhenThereIsNothing() throws IOException {
    try (JsonLines records = records(new byte[0])) {
      assertThat(records.next()).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"id\":", "[1]", "{\"id\":\"x\"}", "{\"name\":\"no id\"}"})
  void namesFileAndLineOfWhatItCannotRead(String line) throws IOException {
    try (JsonLines records = records(utf8("{\"id\":1}\n" + line + "\n"))) {
      records.next();
      assertThatExceptionOfType(InputException.class)
          .isThrownBy(records::next)
          .withMessageStartingWith("cities.ndjson:2: ");
    }
  }
}
