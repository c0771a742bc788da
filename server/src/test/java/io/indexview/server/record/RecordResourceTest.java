package io.indexview.server.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.server.People;
import io.indexview.server.TestServer;
import io.indexview.server.api.Api;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordResourceTest {
  private static final String ANN =
      "{\"name\": \"Ann\", \"org\": \"Support\", \"joined\": \"2017-08-20\"}";
  private static final String KEY = "/World/people/1";

  @TempDir private static Path directory;

  private static KvStore store;
  private static TestServer server;
  private static Api api;

  @BeforeAll
  static void start() throws IOException {
    store = KvStores.open(KvStoreConfig.of("embedded:" + directory));
    server = TestServer.startWithRecords(store, true);
    api = server.api();
  }

  @AfterAll
  static void stop() {
    server.close();
    store.close();
  }

  @BeforeEach
  void forget() {
    server.reset();
    store.delete(KvKey.fromString(KEY));
  }

  private Api.Answer put(String more) {
    return api.post(
        "/records/people", "{\"key\": \"%s\", \"value\": %s%s}".formatted(KEY, ANN, more));
  }

  @Test
  void writesAndTellsKafka() {
    Api.Answer written = put("");

    assertThat(written.status()).isEqualTo(200);
    assertThat(written.body().path("published").asBoolean()).isTrue();
    assertThat(written.body().path("token").asText()).contains("~" + People.TOPIC + "~");
    assertThat(server.producer().history()).hasSize(1);
    Api.Answer read = api.get("/records/people?key=" + KEY);
    assertThat(read.body().path("value").toString())
        .isEqualTo(
            "{\"name\":\"Ann\",\"email\":null,\"org\":\"Support\",\"joined\":\"2017-08-20\",\"cost\":0}");
    assertThat(read.body().path("version")).isEqualTo(written.body().path("version"));
  }

  @Test
  void takesAKeyAsAnArray() {
    Api.Answer written =
        api.post(
            "/records/people",
            "{\"key\": [\"World\", \"people\", \"a/b\"], \"value\": %s}".formatted(ANN));

    assertThat(written.body().path("key").asText()).isEqualTo("/World/people/a%2Fb");
    assertThat(store.get(KvKey.ofMajor("World", "people", "a/b"))).isPresent();
    assertThat(api.get("/records/people?key=%2FWorld%2Fpeople%2Fa%252Fb").status()).isEqualTo(200);
  }

  @Test
  void writesOnlyOverTheExpectedVersion() {
    String first = put("").body().path("version").asText();
    Api.Answer second = put(", \"ifVersion\": \"%s\"".formatted(first));
    Api.Answer late = put(", \"ifVersion\": \"%s\"".formatted(first));

    assertThat(second.status()).isEqualTo(200);
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.problem()).isEqualTo("version-conflict");
    assertThat(server.producer().history()).hasSize(2);
  }

  @Test
  void createsOnlyWhatIsNotThereIfAskedTo() {
    assertThat(put(", \"ifAbsent\": true").status()).isEqualTo(200);
    assertThat(put(", \"ifAbsent\": true").status()).isEqualTo(409);
  }

  @Test
  void removes() {
    String version = put("").body().path("version").asText();
    String path = "/records/people?key=" + KEY;

    assertThat(api.delete(path + "&ifVersion=0:1").status()).isEqualTo(409);
    Api.Answer removed = api.delete(path + "&ifVersion=" + version);
    assertThat(removed.status()).isEqualTo(200);
    assertThat(removed.body().path("version").asText()).isEqualTo(version);
    assertThat(api.delete(path).status()).isEqualTo(404);
    assertThat(api.get(path).status()).isEqualTo(404);
  }

  /** One of the two would go, and the other be taken for gone. */
  @Test
  void removesNothingWhereItIsToldTwoKeys() {
    put("");
    String path = "/records/people?key=" + KEY;

    Api.Answer refused = api.delete(path + "&key=/World/people/2");

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().at("/problems/0/field").asText()).isEqualTo("key");
    assertThat(refused.body().at("/problems/0/message").asText()).contains("twice");
    assertThat(api.get(path).status()).isEqualTo(200);
  }

  /** The record is safe; a client that saw an error would write it again. */
  @Test
  void saysThatARecordIsWrittenButNotPublished() throws IOException {
    try (TestServer silent = TestServer.startWithRecords(store, false)) {
      silent.producer().sendException = new TimeoutException("no broker");
      Api.Answer written =
          silent
              .api()
              .post("/records/people", "{\"key\": \"%s\", \"value\": %s}".formatted(KEY, ANN));

      assertThat(written.status()).isEqualTo(200);
      assertThat(written.body().path("published").asBoolean()).isFalse();
      assertThat(written.body().has("token")).isFalse();
      assertThat(written.body().path("warning").asText()).contains("next scan");
      assertThat(store.get(KvKey.fromString(KEY))).isPresent();
    }
  }

  @Test
  void namesEveryFieldThatIsWrong() {
    Api.Answer refused =
        api.post(
            "/records/people",
            "{\"key\": \"%s\", \"value\": {\"name\": 1, \"joined\": \"soon\"}}".formatted(KEY));

    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.problem()).isEqualTo("invalid-record");
    assertThat(refused.body().path("problems").findValuesAsText("field"))
        .containsExactlyInAnyOrder("name", "org", "joined");
    assertThat(store.get(KvKey.fromString(KEY))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "{\"value\": {}} | key",
        "{\"key\": \"World\", \"value\": {}} | key",
        "{\"key\": [], \"value\": {}} | key",
        "{\"key\": [1], \"value\": {}} | key",
        "{\"key\": \"/World/people/1\"} | value",
        "{\"key\": \"/World/people/1\", \"value\": 1} | value",
        "{\"key\": \"/World/people/1\", \"value\": {}, \"ifVersion\": \"1\"} | ifVersion",
        "{\"key\": \"/World/people/1\", \"value\": {}, \"ifVersion\": \"0:1\", \"ifAbsent\": true} | ifAbsent",
        "{\"key\": \"/World/people/1\", \"value\": {}, \"ifabsent\": true} | ifabsent"
      })
  void refusesARequestThatItDoesNotUnderstand(String body, String field) {
    Api.Answer refused = api.post("/records/people", body);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().path("problems").findValuesAsText("field")).containsExactly(field);
  }

  /** Beyond these the parser gives up, and does not say where. */
  @ParameterizedTest
  @MethodSource("hardlyJson")
  void refusesWhatIsHardlyJson(String body) {
    Api.Answer refused = api.post("/records/people", body);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().path("detail").asText()).startsWith("the body is not JSON");
  }

  static Stream<String> hardlyJson() {
    return Stream.of(
        "[".repeat(1_500),
        "{\"key\": " + "9".repeat(1_500) + "}",
        "{\"value\": {\"cost\": 1e99999999999}}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?key=", "?key=World", "?key=/Mars/people/1"})
  void refusesKeysOfOtherRecords(String query) {
    assertThat(api.get("/records/people" + query).status()).isEqualTo(400);
    assertThat(api.delete("/records/people" + query).status()).isEqualTo(400);
  }

  @Test
  void saysWhichRecordSetsThereAre() throws IOException {
    Api.Answer missing = api.get("/records/planets?key=/a");

    assertThat(missing.status()).isEqualTo(404);
    assertThat(missing.problem()).isEqualTo("record-set-not-found");
    assertThat(missing.body().path("detail").asText()).contains("people");
    assertThat(api.get("/record-sets").body().at("/recordSets/0/writable").asBoolean()).isTrue();
    try (TestServer without = TestServer.start()) {
      assertThat(without.api().get("/record-sets").body().at("/recordSets/0/writable").asBoolean())
          .isFalse();
      assertThat(without.api().get("/records/people?key=/World/people/1").problem())
          .isEqualTo("not-writable");
    }
  }

  @Test
  void readsAndWritesRecordsInTheFormatOfTheirSource() throws IOException {
    String before =
        """
        {"name": "Bob", "org": "Sales", "joined": "2017-08-20"}""";
    store.put(KvKey.fromString(KEY), before.getBytes(StandardCharsets.UTF_8));
    try (TestServer with = TestServer.startWithRecords(store, true)) {
      with.sources()
          .add(People.source("corporate", ValueConfig.of(ValueFormat.JSON, People.SCHEMA)));
      assertThat(with.api().get("/records/people?key=" + KEY).body().at("/value/name").asText())
          .isEqualTo("Bob");

      Api.Answer written =
          with.api()
              .post("/records/people", "{\"key\": \"%s\", \"value\": %s}".formatted(KEY, ANN));

      assertThat(written.status()).isEqualTo(200);
      assertThat(
              new String(
                  store.get(KvKey.fromString(KEY)).orElseThrow().value(), StandardCharsets.UTF_8))
          .startsWith("{\"name\":\"Ann\"");
      assertThat(with.api().get("/record-sets").body().at("/recordSets/0/valueFormat").asText())
          .isEqualTo("json");
    }
  }

  @Test
  void neitherReadsNorWritesRecordsOfWhichSourcesDoNotSayTheSame() throws IOException {
    byte[] json = "{\"name\": \"Ann\"}".getBytes(StandardCharsets.UTF_8);
    store.put(KvKey.fromString(KEY), json);
    try (TestServer with = TestServer.startWithRecords(store, true)) {
      for (ValueFormat format : List.of(ValueFormat.JSON, ValueFormat.AVRO)) {
        with.sources().add(People.source("of-" + format, ValueConfig.of(format, People.SCHEMA)));
      }

      Api.Answer refused =
          with.api()
              .post("/records/people", "{\"key\": \"%s\", \"value\": %s}".formatted(KEY, ANN));

      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.body().path("detail").asText())
          .contains("of-json (json) and of-avro (avro)", "retire one");
      assertThat(store.get(KvKey.fromString(KEY)).orElseThrow().value()).isEqualTo(json);
      assertThat(with.api().get("/record-sets").body().at("/recordSets/0/writable").asBoolean())
          .isFalse();
    }
  }

  @Test
  void refusesARecordThatTheFormatCannotHold() throws IOException {
    try (TestServer with = TestServer.startWithRecords(store, true)) {
      with.sources()
          .add(
              People.source(
                  "corporate",
                  new ValueConfig(
                      ValueFormat.AVRO_STORE,
                      People.SCHEMA,
                      Map.of(7, SchemaBuilder.record("Old").fields().endRecord()))));

      Api.Answer refused =
          with.api()
              .post("/records/people", "{\"key\": \"%s\", \"value\": %s}".formatted(KEY, ANN));

      assertThat(refused.problem()).isEqualTo("invalid-record");
      assertThat(refused.body().path("detail").asText()).contains("store's schemas [7]");
      assertThat(store.get(KvKey.fromString(KEY))).isEmpty();
    }
  }

  @Test
  void saysThatAValueIsNoRecord() {
    store.put(KvKey.fromString(KEY), new byte[] {1, 2, 3});

    assertThat(api.get("/records/people?key=" + KEY).problem()).isEqualTo("unreadable-record");
  }

  /** Avro has an exception of its own for texts that no array holds. */
  @Test
  void saysThatAValueOfAnImpossibleLengthIsNoRecord() {
    store.put(KvKey.fromString(KEY), new byte[] {-128, -128, -128, -128, -128, 64});

    assertThat(api.get("/records/people?key=" + KEY).problem()).isEqualTo("unreadable-record");
  }
}
