package io.indexview.server.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.read.IndexViewReader.GenerationGoneException;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.read.PageTokens.InvalidPageTokenException;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.ReadOptions.Consistency;
import io.indexview.client.read.ReadOptions.NotReady;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.client.token.FreshnessGate.NotVisibleException;
import io.indexview.client.token.FreshnessToken;
import io.indexview.client.token.FreshnessToken.InvalidFreshnessTokenException;
import io.indexview.schemas.control.ViewState;
import io.indexview.server.FakeReader;
import io.indexview.server.People;
import io.indexview.server.ServedTest;
import io.indexview.server.TestServer;
import io.indexview.server.api.Api;
import java.time.Duration;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RowResourceTest extends ServedTest {
  private static final String ROWS = "/views/by-org/rows";
  private static final FreshnessToken TOKEN = new FreshnessToken(People.TOPIC, 1, 5);

  private static GenericRecord ann() {
    return new GenericRecordBuilder(People.SCHEMA)
        .set("name", "Ann")
        .set("org", "Support")
        .set("joined", (int) LocalDate.of(2017, 8, 20).toEpochDay())
        .build();
  }

  @Test
  void tellsRows() {
    Map<String, Object> key = new LinkedHashMap<>();
    key.put("org", "Support");
    key.put("joined", LocalDate.of(2017, 8, 20));
    key.put("email", null);
    server
        .reader()
        .answer(
            (query, options) ->
                FakeReader.page(
                    List.of(
                        new RowPage.Row(
                            key,
                            "/World/people/1",
                            Map.of("cost", 5L),
                            OptionalLong.of(7),
                            Optional.of(ann()))),
                    "more"));
    Api.Answer answer = api.get(ROWS + "?org=Support&fetch");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body().at("/rows/0").toString())
        .isEqualTo(
            "{\"key\":{\"org\":\"Support\",\"joined\":\"2017-08-20\",\"email\":null},"
                + "\"primaryKey\":\"/World/people/1\",\"values\":{\"cost\":5},\"revision\":7,"
                + "\"record\":{\"name\":\"Ann\",\"email\":null,\"org\":\"Support\","
                + "\"joined\":\"2017-08-20\",\"cost\":0}}");
    assertThat(answer.body().path("next").asText()).isEqualTo("more");
    assertThat(answer.body().path("state").asText()).isEqualTo("READY");
    assertThat(answer.body().at("/leftOut/unreadable").asInt(-1)).isZero();
  }

  @Test
  void asksForWhatTheRequestSays() {
    api.get(
        ROWS
            + "?org=Research%20%26%20Development&address.city=K%C3%B6ln&key.limit=3&isNull=email"
            + "&from=a&to=b&desc&limit=7&page=token&index=by-date");
    ViewQuery query = server.reader().query();

    assertThat(query)
        .isEqualTo(
            ViewQuery.of("by-org")
                .where("address.city", "Köln")
                .where("limit", "3")
                .where("org", "Research & Development")
                .where("email", null)
                .where(ViewQuery.Range.between(null, "a", "b"))
                .inDescendingOrder()
                .withLimit(7)
                .from("token")
                .by("by-date"));
    assertThat(server.reader().options()).isEqualTo(ReadOptions.DEFAULT);
  }

  @Test
  void asksForPrefixes() {
    api.get(ROWS + "?prefix=Su&desc=false");

    assertThat(server.reader().query().condition()).isEqualTo(new ViewQuery.Prefix(null, "Su"));
    assertThat(server.reader().query().descending()).isFalse();
    assertThat(server.reader().query().limit()).isEqualTo(ViewQuery.DEFAULT_LIMIT);
  }

  @Test
  void readsTheWayTheRequestSays() {
    api.get(
        ROWS
            + "?policy=wait&timeout=3s&consistency=absolute&fetch=true&maxStaleness=30s&atLeast="
            + TOKEN);

    assertThat(server.reader().options())
        .isEqualTo(
            new ReadOptions(
                new NotReady.Wait(Duration.ofSeconds(3)),
                Consistency.ABSOLUTE,
                Optional.of(TOKEN),
                Duration.ofSeconds(3),
                Optional.of(Duration.ofSeconds(30)),
                true));
  }

  @ParameterizedTest
  @CsvSource({"1500, 1500", "20ms, 20", "5s, 5000", "1m, 60000"})
  void takesTimeouts(String text, long millis) {
    api.get(ROWS + "?atLeast=" + TOKEN + "&timeout=" + text);

    assertThat(server.reader().options().timeout()).hasMillis(millis);
  }

  @ParameterizedTest
  @CsvSource({
    "limit=0, limit",
    "limit=1001, limit",
    "limit=99999999999, limit",
    "limit=ten, limit",
    "timeout=61s, timeout",
    "timeout=-1, timeout",
    "timeout=soon, timeout",
    "policy=hope, policy",
    "consistency=total, consistency",
    "desc=down, desc",
    "fetch=1, fetch",
    "atLeast=now, atLeast",
    "prefix=a&from=b, prefix",
    "org=a&org=b, org",
    "limit=1&limit=2, limit"
  })
  void refusesParametersThatItDoesNotUnderstand(String query, String name) {
    Api.Answer refused = api.get(ROWS + "?" + query);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().path("problems").findValuesAsText("field")).containsExactly(name);
    assertThat(server.reader().query()).isNull();
  }

  @Test
  void namesEveryParameterThatIsWrong() {
    assertThat(
            api.get(ROWS + "?limit=0&policy=x&timeout=x&consistency=x&atLeast=x&desc=x&fetch=x")
                .body()
                .path("problems")
                .findValuesAsText("field"))
        .containsExactlyInAnyOrder(
            "limit", "policy", "timeout", "consistency", "atLeast", "desc", "fetch");
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(
            new ViewNotReadyException("by-org", ViewState.State.BUILDING, "40 %"),
            503,
            "not-ready"),
        Arguments.of(
            new NotVisibleException("by-org", TOKEN, Duration.ofSeconds(1), "the sink"),
            504,
            "freshness-timeout"),
        Arguments.of(new GenerationGoneException("by-org", 3), 410, "generation-gone"),
        Arguments.of(
            new InvalidQueryException("by-org", List.of("field x: no key field")),
            400,
            "bad-request"),
        Arguments.of(new InvalidPageTokenException("it is none"), 400, "bad-request"),
        Arguments.of(new InvalidFreshnessTokenException("of other records"), 400, "bad-request"),
        Arguments.of(
            new TooManyRowsException("by-org", 10_000, List.of("org")), 400, "too-many-rows"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void saysWhyThereAreNoRows(RuntimeException failure, int status, String problem) {
    server
        .reader()
        .answer(
            (query, options) -> {
              throw failure;
            });
    Api.Answer answer = api.get(ROWS);

    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.problem()).isEqualTo(problem);
  }

  @Test
  void tellsStateReasonAndWhenToComeBackOfAViewThatIsNotReady() {
    server
        .reader()
        .answer(
            (query, options) -> {
              throw new ViewNotReadyException("by-org", ViewState.State.DEGRADED, "a bad row");
            });
    Api.Answer answer = api.get(ROWS);

    assertThat(answer.body().path("state").asText()).isEqualTo("DEGRADED");
    assertThat(answer.body().path("reason").asText()).isEqualTo("a bad row");
    assertThat(answer.header("Retry-After")).isEqualTo("5");
  }

  /** Waits that take all threads would keep everybody else out, health checks too. */
  @Test
  void answersOthersWhileManyWait() throws Exception {
    CountDownLatch allWait = new CountDownLatch(TestServer.MAX_WAITING);
    CountDownLatch over = new CountDownLatch(1);
    server
        .reader()
        .answer(
            (query, options) -> {
              if (options.atLeast().isPresent()) {
                allWait.countDown();
                await(over);
              }
              return FakeReader.page(List.of(), null);
            });
    List<CompletableFuture<Integer>> waits =
        IntStream.range(0, TestServer.MAX_WAITING)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> api.get(ROWS + "?atLeast=" + TOKEN).status()))
            .toList();
    try {
      await(allWait);
      Api.Answer oneTooMany = api.get(ROWS + "?atLeast=" + TOKEN);

      assertThat(oneTooMany.status()).isEqualTo(503);
      assertThat(oneTooMany.problem()).isEqualTo("busy");
      assertThat(api.get(ROWS).status()).isEqualTo(200);
      assertThat(api.get("/health/ready").status()).isEqualTo(200);
    } finally {
      over.countDown();
    }
    assertThat(waits).allSatisfy(wait -> assertThat(wait.get()).isEqualTo(200));
    assertThat(api.get(ROWS + "?atLeast=" + TOKEN).status()).isEqualTo(200);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
