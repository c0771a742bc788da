package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.cli.api.ExitCodes;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.open.KvStores;
import io.indexview.server.TestServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordCommandsTest {
  private static final String KEY = "/World/people/1";
  private static final String ANN =
      "{\"name\": \"Ann\", \"org\": \"Support\", \"joined\": \"2017-08-20\"}";

  @TempDir private Path directory;

  private KvStore store;
  private TestServer server;
  private Cli cli;

  @BeforeEach
  void start() throws IOException {
    store = KvStores.open(KvStoreConfig.of("embedded:" + directory));
    server = TestServer.startWithRecords(store, true);
    cli = Cli.of(server);
  }

  @AfterEach
  void stop() {
    server.close();
    store.close();
  }

  @Test
  void putsGetsAndDeletes() {
    Cli.Run put = cli.run("records", "put", "people", KEY, ANN);
    Cli.Run get = cli.run("records", "get", "people", KEY);
    Cli.Run delete = cli.run("records", "delete", "people", KEY);

    assertThat(put.exitCode()).as(put.err()).isZero();
    assertThat(put.out()).contains("version  ", "token    v1~");
    assertThat(get.out()).contains("name: Ann", "joined: \"2017-08-20\"");
    assertThat(delete.exitCode()).isZero();
    assertThat(cli.run("records", "get", "people", KEY).exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(cli.run("records", "delete", "people", KEY).exitCode())
        .isEqualTo(ExitCodes.NOT_FOUND);
  }

  @Test
  void writesOnlyWhatIsExpected() {
    assertThat(cli.run("records", "put", "people", KEY, ANN, "--if-absent").exitCode()).isZero();
    Cli.Run conflict = cli.run("records", "put", "people", KEY, ANN, "--if-absent");

    assertThat(conflict.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(conflict.err()).contains(KEY);
    assertThat(cli.run("records", "put", "people", KEY, ANN, "--if-version=0:1").exitCode())
        .isEqualTo(ExitCodes.FAILED);
  }

  /** They would be another name, and nobody would know. */
  @Test
  void refusesStandardInputThatIsNoUtf8() {
    InputStream before = System.in;
    Cli.Run run;
    try {
      System.setIn(
          new ByteArrayInputStream(
              ANN.replace("Ann", "Z\u00fcrich").getBytes(StandardCharsets.ISO_8859_1)));
      run = cli.run("records", "put", "people", KEY, "-");
    } finally {
      System.setIn(before);
    }

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("the record", "no UTF-8").hasLineCount(1);
    assertThat(store.get(KvKey.fromString(KEY))).isEmpty();
  }

  @Test
  void refusesHalfACharacterThatWouldBeSentAsAQuestionMark() {
    Cli.Run run = cli.run("records", "put", "people", KEY, "{\"name\": \"Ann\\ud83d\"}");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("the record", "half a surrogate pair").hasLineCount(1);
    assertThat(store.get(KvKey.fromString(KEY))).isEmpty();
  }

  /** No double holds it: it would be another amount, and nobody would know. */
  @Test
  void sendsNumbersDigitByDigit() {
    for (String number :
        List.of("12345678901234567.89", "0.1234567890123456789", "100.00", "1e-400", "17")) {
      assertThat(
              RecordsCommand.JsonArgument.read("{\"cost\":" + number + "}", "the record", "")
                  .path("cost")
                  .decimalValue())
          .isEqualTo(new BigDecimal(number));
    }
    Cli.Run run = cli.run("records", "put", "people", KEY, "{\"cost\": 9007199254740993.5}");
    assertThat(run.err()).contains("cost \"9007199254740993.5\"");
  }

  @Test
  void refusesJsonThatSaysSomethingTwiceOrTooMuch() {
    for (String json :
        List.of("{\"name\": \"Ann\", \"name\": \"Bob\"}", "{\"cost\": 1e99999999999}")) {
      Cli.Run run = cli.run("records", "put", "people", KEY, json);

      assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCodes.USAGE);
      assertThat(run.err()).contains("the record").hasLineCount(1);
    }
  }

  @Test
  void namesEveryFieldThatIsWrong() {
    Cli.Run run = cli.run("records", "put", "people", KEY, "{\"name\": 1}");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err())
        .contains("name \"1\": use a text", "org: is missing", "joined: is missing");
    assertThat(store.get(KvKey.fromString(KEY))).isEmpty();
  }

  @Test
  void refusesWhatIsNoRecordKeyOrRecordSet() {
    for (String value : List.of("{", "[1]", "", "null", "7")) {
      Cli.Run run = cli.run("records", "put", "people", KEY, value);
      assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
      assertThat(run.err()).contains("write '{").hasLineCount(1);
    }
    assertThat(cli.run("records", "put", "people", "1", ANN).exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.run("records", "put", "planets", KEY, ANN).exitCode())
        .isEqualTo(ExitCodes.NOT_FOUND);
  }

  private static String put(String key) {
    return "{\"op\": \"put\", \"key\": \"%s\", \"value\": %s}".formatted(key, ANN);
  }

  @Test
  void executesAllOrNone() {
    String mail = KEY + "/-/mail";
    Cli.Run both =
        cli.run("records", "execute", "people", "[%s, %s]".formatted(put(KEY), put(mail)));
    Cli.Run none =
        cli.run(
            "records",
            "execute",
            "people",
            "[{\"op\": \"delete\", \"key\": \"%s\"}, {\"op\": \"delete\", \"key\": \"%s\", \"ifVersion\": \"0:1\"}]"
                .formatted(mail, KEY));
    Cli.Run wrong =
        cli.run("records", "execute", "people", "[%s, {\"op\": \"x\"}]".formatted(put(KEY)));

    assertThat(both.exitCode()).as(both.err()).isZero();
    assertThat(both.out()).contains(KEY, mail, "v1~");
    assertThat(none.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(none.err()).contains("operations[1].ifVersion", "nothing was written");
    assertThat(store.get(KvKey.fromString(mail))).isPresent();
    assertThat(wrong.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(wrong.err()).contains("operations[1].op \"x\"", "operations[1].key: is missing");
    assertThat(cli.run("records", "execute", "people", "{}").err()).contains("write '[{");
  }

  @Test
  void refusesMoreThanOneJsonValue() {
    Cli.Run two =
        cli.run(
            "records", "execute", "people", "[%s] [%s]".formatted(put(KEY), put(KEY + "/-/mail")));

    assertThat(two.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(two.err()).contains("is not JSON");
    assertThat(cli.run("records", "put", "people", KEY, ANN + "}").exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(store.get(KvKey.fromString(KEY))).isEmpty();
  }

  @Test
  void listsByAPartialKey() {
    for (String key : List.of("1", "1/-/mail", "10", "2")) {
      cli.run("records", "put", "people", "/World/people/" + key, ANN);
    }

    Cli.Run page = cli.run("records", "list", "people", "/World/people", "--limit=3");
    Cli.Run next =
        cli.run("records", "list", "people", "/World/people", "--after=/World/people/10");
    Cli.Run all = cli.run("records", "list", "people", "--limit=1", "--all", "-o", "json");
    Cli.Run below = cli.run("records", "list", "people", KEY);

    assertThat(page.out()).contains("/World/people/1/-/mail", "\"name\":\"Ann\"").hasLineCount(5);
    assertThat(page.err()).contains("More: --after /World/people/10");
    assertThat(next.out()).contains("/World/people/2").hasLineCount(3);
    assertThat(next.err()).isEmpty();
    assertThat(all.out().split("\"version\"", -1)).hasSize(5);
    assertThat(below.out()).hasLineCount(4);
    assertThat(cli.run("records", "list", "people", "/World").exitCode())
        .isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void removesByAPartialKeyOnlyWhenAsked() {
    for (String key : List.of("1", "1/-/mail", "2")) {
      cli.run("records", "put", "people", "/World/people/" + key, ANN);
    }

    Cli.Run unsure = cli.run("records", "multi-delete", "people", KEY);
    assertThat(unsure.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(unsure.err()).contains("--yes");
    assertThat(store.get(KvKey.fromString(KEY))).isPresent();

    Cli.Run one = cli.run("records", "multi-delete", "people", KEY, "--yes");
    assertThat(one.exitCode()).as(one.err()).isZero();
    assertThat(one.out()).contains("2 records removed, in one transaction");
    assertThat(store.get(KvKey.fromString(KEY))).isEmpty();

    cli.run("records", "put", "people", KEY, ANN);
    Cli.Run several = cli.run("records", "multi-delete", "people", "/World/people", "--yes");
    assertThat(several.out()).contains("2 records removed, in several transactions");
    assertThat(cli.run("records", "multi-delete", "people", KEY, "--yes").out())
        .contains("no record's key begins with " + KEY);
  }

  @Test
  void tellsWhatWasRemovedBeforeTheServerFailed() throws IOException {
    Map<KvKey, byte[]> records = new HashMap<>();
    for (int i = 0; i < 600; i++) {
      records.put(KvKey.fromString("/World/people/1/-/" + i), new byte[] {1});
      records.put(KvKey.fromString("/World/people/2/-/" + i), new byte[] {1});
    }
    store.putAll(records);
    AtomicInteger executions = new AtomicInteger();
    KvStore failing =
        (KvStore)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {KvStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("execute") && executions.incrementAndGet() > 1) {
                    throw new KvStoreException.Unavailable("no majority");
                  }
                  return method.invoke(store, arguments);
                });
    try (TestServer half = TestServer.startWithRecords(failing, true)) {
      half.producer().sendException = new IllegalStateException("no broker");

      Cli.Run run = Cli.of(half).run("records", "multi-delete", "people", "/World/people", "--yes");

      assertThat(run.exitCode()).isEqualTo(ExitCodes.UNAVAILABLE);
      assertThat(run.err())
          .containsSubsequence(
              "600 records removed before this",
              "600 of the changes are not in Kafka",
              "no majority");
    }
  }
}
