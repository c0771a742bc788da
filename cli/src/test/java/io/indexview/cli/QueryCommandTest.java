package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.cli.api.ExitCodes;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.client.token.FreshnessGate.NotVisibleException;
import io.indexview.client.token.FreshnessToken;
import io.indexview.schemas.control.ViewState;
import io.indexview.server.FakeReader;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryCommandTest extends ServedScenario {
  private static final FreshnessToken TOKEN = new FreshnessToken("topic", 1, 5);

  private static RowPage.Row row(String org, String primaryKey) {
    return new RowPage.Row(
        Map.of("org", org), primaryKey, Map.of("cost", 5L), OptionalLong.of(7), Optional.empty());
  }

  @Test
  void asksForWhatTheCommandLineSays() {
    Cli.Run run =
        cli.run(
            "query",
            "by-org",
            "org=R & D=x",
            "limit=5",
            "--null",
            "email",
            "--from",
            "a",
            "--to",
            "b",
            "--desc",
            "--limit",
            "7",
            "--page",
            "token",
            "--fetch",
            "--at-least",
            TOKEN.toString(),
            "--timeout",
            "3s",
            "--max-staleness",
            "30s",
            "--stale",
            "--consistency",
            "absolute",
            "--index",
            "by-date");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(server.reader().query())
        .isEqualTo(
            ViewQuery.of("by-org")
                .where("limit", "5")
                .where("org", "R & D=x")
                .where("email", null)
                .where(ViewQuery.Range.between(null, "a", "b"))
                .inDescendingOrder()
                .withLimit(7)
                .from("token")
                .by("by-date"));
    assertThat(server.reader().options())
        .isEqualTo(
            new ReadOptions(
                new ReadOptions.NotReady.AllowStale(),
                ReadOptions.Consistency.ABSOLUTE,
                Optional.of(TOKEN),
                Duration.ofSeconds(3),
                Optional.of(Duration.ofSeconds(30)),
                true));
  }

  @Test
  void takesAStalenessOfWeeks() {
    Cli.Run run = cli.run("query", "by-org", "--max-staleness", "500h");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(server.reader().options().maxStaleness()).hasValue(Duration.ofHours(500));
  }

  @Test
  void printsATable() {
    server
        .reader()
        .answer((query, options) -> FakeReader.page(List.of(row("Support", "/people/1")), "more"));
    Cli.Run run = cli.run("query", "by-org", "--prefix", "S");

    assertThat(run.out().lines().map(String::strip))
        .containsExactly(
            "org      primary record  cost",
            "-------  --------------  ----",
            "Support  /people/1       5");
    assertThat(run.err()).contains("--page more");
  }

  /** A row could otherwise paint over the terminal, or more. */
  @Test
  void doesNotLetDataSteerTheTerminal() {
    server
        .reader()
        .answer(
            (query, options) ->
                FakeReader.page(List.of(row("\u001b[2J\u0007\n", "/people/1\u009b")), null));

    assertThat(cli.run("query", "by-org").out()).doesNotContain("\u001b", "\u0007", "\u009b");
  }

  @Test
  void readsAllPages() throws IOException {
    server
        .reader()
        .answer(
            (query, options) ->
                query.pageToken() == null
                    ? FakeReader.page(List.of(row("A", "/people/1")), "next")
                    : FakeReader.page(List.of(row("B", "/people/2")), null));
    Cli.Run table = cli.run("query", "by-org", "--all");
    Cli.Run json = cli.run("query", "by-org", "--all", "-o", "json");

    assertThat(table.out()).contains("/people/1", "/people/2");
    assertThat(table.err()).contains("2 rows");
    try (var pages =
        JsonMapper.builder().build().readerFor(Map.class).<Map<?, ?>>readValues(json.out())) {
      assertThat(pages.readAll()).hasSize(2);
    }
  }

  @Test
  void saysThatTheRowsMayBeWrong() {
    server
        .reader()
        .answer(
            (query, options) ->
                new RowPage(
                    List.of(row("A", "/people/1")),
                    null,
                    1,
                    ViewState.State.DEGRADED,
                    "a bad row",
                    Instant.EPOCH,
                    Optional.empty(),
                    new RowPage.LeftOut(1, 2_000, 3)));

    assertThat(cli.run("query", "by-org", "--stale", "--fetch").err())
        .contains("The view is DEGRADED: a bad row")
        .contains("1 rows left out: their primary records are gone")
        .contains("2,000 rows left out: their primary records no longer give them")
        .contains("3 rows left out: their primary records cannot be read");
  }

  @Test
  void tellsByItsExitCodeThatAViewIsNotReady() {
    server
        .reader()
        .answer(
            (query, options) -> {
              throw new ViewNotReadyException("by-org", ViewState.State.BUILDING, "40 %");
            });
    Cli.Run run = cli.run("query", "by-org");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.NOT_READY);
    assertThat(run.err()).contains("BUILDING: 40 %").hasLineCount(1);
  }

  @Test
  void tellsByItsExitCodeThatAWriteIsNotVisible() {
    server
        .reader()
        .answer(
            (query, options) -> {
              throw new NotVisibleException("by-org", TOKEN, Duration.ofSeconds(1), "the sink");
            });

    assertThat(cli.run("query", "by-org", "--at-least", TOKEN.toString()).exitCode())
        .isEqualTo(ExitCodes.NOT_READY);
  }

  @ParameterizedTest
  @CsvSource({
    "org, '\"org\" gives no field a value; write FIELD=VALUE'",
    "=x, FIELD=VALUE",
    "org=a org=b, 'field \"org\" is given twice; leave one out'",
    "--timeout=1s, --timeout goes with --at-least",
    "--at-least=x --wait=1s --timeout=1s, leave --timeout out",
    "--limit=many, 'many' is not an int",
    "--colour=red, Unknown option",
    "--stale --wait=1s, mutually exclusive",
    "--all --page=x, mutually exclusive",
    "--limit=0, limit",
    "--at-least=now, atLeast",
    "--consistency=total, consistency",
    "--wait=soon, 'soon' is no duration"
  })
  void refusesWrongUse(String arguments, String message) {
    String[] all = ("query by-org " + arguments).split(" ");
    Cli.Run run = cli.run(all);

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains(message);
    assertThat(run.err().lines()).hasSizeLessThan(5);
  }
}
