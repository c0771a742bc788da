package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnDataTest {
  private static final String SCHEMA =
      "{\"type\":\"record\",\"name\":\"City\",\"fields\":["
          + "{\"name\":\"cityId\",\"type\":\"int\"},{\"name\":\"country\",\"type\":\"string\"}]}";

  @TempDir private Path directory;
  private Path views;

  @BeforeEach
  void writeInput() throws IOException {
    write("cities.ndjson", "");
    write("city.avsc", SCHEMA);
    views = Files.createDirectory(directory.resolve("views"));
    write(
        "views/by-country.yaml", "{name: by-country, source: cities, key: [country], target: kv}");
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }

  private DemoPlan plan(String records, String schema, String key) {
    return new OwnData(List.of(directory.resolve(records)), directory.resolve(schema), key, views)
        .plan(directory);
  }

  @Test
  void namesTheRecordSetAsTheViewsDoAndAddsTheFileView() {
    DemoPlan plan = plan("cities.ndjson", "city.avsc", "/World/city/{cityId}");

    assertThat(plan.dataSets()).singleElement().matches(set -> set.name().equals("cities"));
    assertThat(plan.views()).containsOnlyKeys("by-country.yaml", DemoPlan.FILE_VIEW);
  }

  @Test
  void findsAllProblemsOfTheInputAtOnce() throws IOException {
    write("views/broken.yaml", "name: [");
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> plan("nowhere.ndjson", "cities.ndjson", "no path"))
        .withMessageContainingAll(
            "--records", "nowhere.ndjson", "--schema", "--key", "broken.yaml");
  }

  @Test
  void findsFieldsThatTheSchemaDoesNotHave() throws IOException {
    write("views/wrong.yaml", "{name: wrong, source: cities, key: [contry], target: kv}");
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> plan("cities.ndjson", "city.avsc", "/World/city/{cityId}"))
        .withMessageContainingAll("wrong.yaml", "contry", "country");
  }

  /** Before any stack is started. */
  @Test
  void findsTheFirstBadLineOfEachFile() throws IOException {
    write("cities.ndjson", "{\"cityId\": 1, \"country\": \"A\"}\n{\"cityId\": 2\n");
    write("later.ndjson", "{\"cityId\": 1, \"country\": \"A\"}\n".repeat(2));
    write("other.ndjson", "{\"cityId\": \"one\", \"country\": \"A\"}\n");
    List<Path> records =
        Stream.of("cities.ndjson", "later.ndjson", "other.ndjson").map(directory::resolve).toList();

    assertThatExceptionOfType(InputException.class)
        .isThrownBy(
            () ->
                new OwnData(records, directory.resolve("city.avsc"), "/World/city/{cityId}", views)
                    .plan(directory))
        .withMessageContainingAll("cities.ndjson:2: no JSON", "later.ndjson:2", "other.ndjson:1");
  }

  /** It could be read only once. */
  @Test
  void leavesAPipeAlone() throws Exception {
    Path pipe = directory.resolve("pipe.ndjson");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();

    DemoPlan plan =
        assertTimeoutPreemptively(
            Duration.ofSeconds(30), () -> plan("pipe.ndjson", "city.avsc", "/World/city/{cityId}"));

    assertThat(plan.dataSets()).hasSize(1);
  }

  @Test
  void refusesViewsOfSeveralSources() throws IOException {
    write("views/other.yaml", "{name: other, source: towns, key: [country], target: kv}");
    assertThatExceptionOfType(InputException.class)
        .isThrownBy(() -> plan("cities.ndjson", "city.avsc", "/World/city/{cityId}"))
        .withMessageContainingAll("cities", "towns");
  }
}
