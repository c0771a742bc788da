package io.indexview.server.record;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvPartialKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.open.KvStores;
import io.indexview.server.TestServer;
import io.indexview.server.api.Api;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Partial keys and operations that belong together. */
class SeveralRecordsTest {
  private static final KvKey PREFIX = KvKey.ofMajor("World", "people");
  private static final KvPartialKey PEOPLE = new KvPartialKey(PREFIX);
  private static final String UNDER = "/records/people/under";
  private static final String EXECUTE = "/records/people/execute";

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
    stored().forEach(key -> store.delete(KvKey.fromString(key)));
    server.reset();
  }

  private static List<String> stored() {
    return PEOPLE.page(store, KvKeySet.under(PREFIX), null, 1_000).records().stream()
        .map(KvRecord::key)
        .map(KvKey::toString)
        .toList();
  }

  private static void people(String... keys) {
    for (String key : keys) {
      assertThat(api.post(EXECUTE, operations(put(key, ""))).status()).isEqualTo(200);
    }
    server.producer().clear();
  }

  private static String operations(String... operations) {
    return "{\"operations\": [%s]}".formatted(String.join(", ", operations));
  }

  private static String put(String key, String more) {
    return """
        {"op": "put", "key": "/World/people/%s",
         "value": {"name": "Ann", "org": "Support", "joined": "2017-08-20"}%s}"""
        .formatted(key, more);
  }

  private static String delete(String key, String more) {
    return "{\"op\": \"delete\", \"key\": \"/World/people/%s\"%s}".formatted(key, more);
  }

  private static List<String> keys(JsonNode array) {
    return array.findValuesAsText("key");
  }

  @Test
  void readsPageByPageWhatBeginsWithAPartialKey() {
    people("1", "1/-/mail", "10", "2");
    store.put(KvKey.fromString("/World/planets/1"), new byte[] {1});

    Api.Answer first = api.get(UNDER + "?key=/World/people&limit=3");
    Api.Answer second = api.get(UNDER + "?limit=3&after=" + first.body().path("next").asText());

    assertThat(keys(first.body().path("records")))
        .containsExactly("/World/people/1", "/World/people/1/-/mail", "/World/people/10");
    assertThat(first.body().at("/records/0/value/name").asText()).isEqualTo("Ann");
    assertThat(keys(second.body().path("records"))).containsExactly("/World/people/2");
    assertThat(second.body().has("next")).isFalse();
    assertThat(keys(api.get(UNDER + "?key=/World/people/1").body().path("records")))
        .containsExactly("/World/people/1", "/World/people/1/-/mail");
    assertThat(keys(api.get(UNDER + "?key=/World/people/1/-/mail").body().path("records")))
        .containsExactly("/World/people/1/-/mail");
  }

  @Test
  void showsWhatItCanOfAPageWithAnUnreadableRecord() {
    people("1");
    store.put(KvKey.fromString("/World/people/2"), new byte[] {1, 2, 3});

    JsonNode records = api.get(UNDER).body().path("records");

    assertThat(records.at("/0/value/name").asText()).isEqualTo("Ann");
    assertThat(records.get(1).has("value")).isFalse();
    assertThat(records.at("/1/problem").asText()).contains("test.Person");
  }

  @Test
  void removesWhatBeginsWithAPartialKeyAndTellsKafkaOfEach() {
    people("1", "1/-/mail", "2");

    Api.Answer removed = api.delete(UNDER + "?key=/World/people/1");

    assertThat(keys(removed.body().path("removed")))
        .containsExactly("/World/people/1", "/World/people/1/-/mail");
    assertThat(removed.body().path("atomic").asBoolean()).isTrue();
    assertThat(removed.body().path("more").asBoolean()).isFalse();
    assertThat(removed.body().at("/removed/0/token").asText()).startsWith("v1~");
    assertThat(server.producer().history()).hasSize(2);
    assertThat(stored()).containsExactly("/World/people/2");
    assertThat(api.delete(UNDER + "?key=/World/people/1").body().path("removed")).isEmpty();
  }

  @Test
  void leavesTheRecordsOfOtherRecordSetsAlone() throws IOException {
    people("1", "1/-/mail", "2", "2/-/mail");

    try (TestServer mails =
        TestServer.startWithKeys(store, KvKeySet.of(PREFIX, List.of("/-/mail")))) {
      Api ofMails = mails.api();
      assertThat(keys(ofMails.get(UNDER).body().path("records")))
          .containsExactly("/World/people/1/-/mail", "/World/people/2/-/mail");
      assertThat(keys(ofMails.delete(UNDER + "?key=/World/people/1").body().path("removed")))
          .containsExactly("/World/people/1/-/mail");
      for (Api.Answer refused :
          List.of(
              ofMails.get("/records/people?key=/World/people/1"),
              ofMails.delete("/records/people?key=/World/people/1"),
              ofMails.post(EXECUTE, operations(put("1", ""))),
              ofMails.post(EXECUTE, operations(delete("1", ""))))) {
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.body().at("/problems/0/message").asText()).contains("[/-/mail]");
      }
    }
    assertThat(stored())
        .containsExactly("/World/people/1", "/World/people/2", "/World/people/2/-/mail");
  }

  @Test
  void saysThatMoreIsLeftAndWhatWasNotDoneAtOnce() {
    people("1", "2", "3");

    Api.Answer some = api.delete(UNDER + "?key=/World/people&limit=2");
    Api.Answer rest = api.delete(UNDER + "?key=/World/people");

    assertThat(keys(some.body().path("removed"))).hasSize(2);
    assertThat(some.body().path("more").asBoolean()).isTrue();
    assertThat(some.body().path("atomic").asBoolean()).isFalse();
    assertThat(keys(rest.body().path("removed"))).hasSize(1);
    assertThat(rest.body().path("more").asBoolean()).isFalse();
    assertThat(rest.body().path("atomic").asBoolean()).isTrue();
    assertThat(stored()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "?key=/World, key",
    "?key=World, key",
    "?key=/World/people&limit=0, limit",
    "?key=/World/people&limit=1001, limit",
    "?key=/World/people&limit=x, limit"
  })
  void refusesPartialKeysOfOtherRecordsAndWrongLimits(String query, String field) {
    people("1");

    for (Api.Answer refused : List.of(api.get(UNDER + query), api.delete(UNDER + query))) {
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.body().path("problems").findValuesAsText("field")).containsExactly(field);
    }
    assertThat(stored()).hasSize(1);
  }

  @Test
  void namesAllWrongParametersAtOnce() {
    assertThat(
            api.get(UNDER + "?key=/World&limit=0&after=x")
                .body()
                .path("problems")
                .findValuesAsText("field"))
        .containsExactly("key", "after", "limit");
    assertThat(api.get(UNDER + "?key=/World/people/1&after=/World/people/2").status())
        .isEqualTo(400);
    assertThat(api.delete(UNDER).body().path("problems").findValuesAsText("field"))
        .containsExactly("key");
  }

  @ParameterizedTest
  @CsvSource({"UNAVAILABLE, 503", "REFUSED, 400", "MISCONFIGURED, 500"})
  void saysWhatIsRemovedWhenTheStoreFailsMidway(String failure, int status) throws IOException {
    people("1", "2");
    AtomicInteger executions = new AtomicInteger();
    KvStore failing =
        executing(
            execution -> {
              if (executions.incrementAndGet() > 1) {
                throw switch (failure) {
                  case "REFUSED" -> new KvStoreException.Refused("it is so");
                  case "MISCONFIGURED" -> new KvStoreException.Misconfigured("it is so");
                  default -> new KvStoreException.Unavailable("it is so");
                };
              }
              return execution.call();
            });
    try (TestServer half = TestServer.startWithRecords(failing, true)) {
      Api.Answer failed = half.api().delete(UNDER + "?key=/World/people");

      assertThat(failed.status()).isEqualTo(status);
      assertThat(failed.body().path("removed")).hasSize(1);
      assertThat(failed.body().path("detail").asText()).contains("it is so");
    }
    assertThat(stored()).hasSize(1);
  }

  /** Sent again, the client would take its own write for somebody else's. */
  @Test
  void saysThatAWriteMayBeDoneWhereTheStoreDidNotAnswer() throws IOException {
    people("3");
    KvStore silent =
        executing(
            execution -> {
              execution.call();
              throw new KvStoreException.Unavailable("it is so");
            });
    try (TestServer half = TestServer.startWithRecords(silent, true)) {
      Api.Answer conditional =
          half.api().post(EXECUTE, operations(put("1", ", \"ifAbsent\": true")));
      Api.Answer removal = half.api().delete("/records/people?key=/World/people/3");
      Api.Answer plain =
          half.api()
              .post(
                  "/records/people",
                  """
                  {"key": "/World/people/2",
                   "value": {"name": "Ann", "org": "Support", "joined": "2017-08-20"}}""");

      assertThat(List.of(conditional.status(), removal.status(), plain.status())).containsOnly(503);
      assertThat(conditional.header("Retry-After")).isNull();
      assertThat(removal.header("Retry-After")).isNull();
      assertThat(plain.header("Retry-After")).isEqualTo("5");
      assertThat(conditional.body().path("detail").asText())
          .contains("it is so", "not known whether it was written", "read the record");
    }
    assertThat(stored()).containsExactlyInAnyOrder("/World/people/1", "/World/people/2");
  }

  private KvStore executing(Executions executions) {
    return (KvStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, arguments) ->
                method.getName().equals("execute")
                    ? executions.execute(() -> method.invoke(store, arguments))
                    : method.invoke(store, arguments));
  }

  private interface Executions {
    Object execute(Callable<Object> execution) throws Exception;
  }

  @Test
  void executesAllOrNone() {
    people("1", "1/-/mail");

    Api.Answer done =
        api.post(
            EXECUTE,
            operations(
                put("1", ""),
                delete("1/-/mail", ", \"ifAbsent\": false"),
                delete("1/-/phone", "")));

    assertThat(done.status()).as(done.text()).isEqualTo(200);
    List<Boolean> changed = new ArrayList<>();
    done.body().path("results").forEach(result -> changed.add(result.path("changed").asBoolean()));
    assertThat(changed).containsExactly(true, true, false);
    assertThat(stored()).containsExactly("/World/people/1");
    assertThat(server.producer().history()).hasSize(2);

    Api.Answer refused =
        api.post(EXECUTE, operations(put("1/-/mail", ""), put("1", ", \"ifVersion\": \"0:1\"")));
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.problem()).isEqualTo("version-conflict");
    assertThat(refused.body().at("/problems/0/field").asText())
        .isEqualTo("operations[1].ifVersion");
    assertThat(refused.body().path("detail").asText())
        .contains("operations[1]", "/World/people/1", "nothing was written");
    assertThat(stored()).containsExactly("/World/people/1");
    assertThat(server.producer().history()).hasSize(2);
  }

  @Test
  void removesAndCreatesOnCondition() {
    people("1");
    String version = api.get("/records/people?key=/World/people/1").body().path("version").asText();

    Api.Answer done =
        api.post(
            EXECUTE,
            operations(
                delete("1", ", \"ifVersion\": \"%s\"".formatted(version)),
                put("1/-/mail", ", \"ifAbsent\": true")));

    assertThat(done.status()).as(done.text()).isEqualTo(200);
    assertThat(stored()).containsExactly("/World/people/1/-/mail");
  }

  @Test
  void namesEverythingThatIsWrongWithAnyOperation() {
    Api.Answer refused =
        api.post(
            EXECUTE,
            operations(
                put("1", ""),
                delete("2", ""),
                put("1", ", \"ifVersion\": \"0:1\", \"ifAbsent\": true"),
                "{\"op\": \"drop\", \"key\": \"/World/planets/1\"}",
                "{\"op\": \"put\", \"key\": \"/World/people/1/-/a.lob\"}",
                delete("1/-/b", ", \"value\": {}, \"ifAbsent\": true, \"when\": 1"),
                "{\"op\": \"put\", \"key\": \"/World/people/1/-/c\", \"value\": {\"name\": 1}}"));

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().path("problems").findValuesAsText("field"))
        .contains(
            "operations[1].key",
            "operations[2].key",
            "operations[2].ifAbsent",
            "operations[3].op",
            "operations[3].key",
            "operations[4].key",
            "operations[4].value",
            "operations[5].value",
            "operations[5].ifAbsent",
            "operations[5].when",
            "operations[6].value.name",
            "operations[6].value.org")
        .doesNotContain("operations[0].key");
    assertThat(stored()).isEmpty();
  }

  @Test
  void namesTheFieldsOfTheRecordThatIsNone() {
    Api.Answer refused =
        api.post(
            EXECUTE,
            operations(
                put("1", ""),
                "{\"op\": \"put\", \"key\": \"/World/people/1/-/c\", \"value\": {\"name\": 1}}"));

    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.body().path("problems").findValuesAsText("field"))
        .containsExactlyInAnyOrder(
            "operations[1].value.name", "operations[1].value.org", "operations[1].value.joined");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"operations\": []}",
        "{\"operations\": {}}",
        "{\"operations\": [1]}",
        "{\"operations\": [], \"more\": 1}"
      })
  void refusesWhatAreNoOperations(String body) {
    Api.Answer refused = api.post(EXECUTE, body);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().path("problems").findValuesAsText("field")).contains("operations");
  }
}
