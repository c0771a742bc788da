package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.cli.api.ExitCodes;
import io.indexview.client.admin.SourceStatus;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SourceCommandsTest extends ServedScenario {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  @Test
  void listsAndRetiresSources() {
    assertThat(cli.run("sources", "list").out()).contains("No source has reported yet");
    server
        .sources()
        .add(
            new SourceStatus(
                "s3 old",
                "files",
                2,
                1,
                NOW,
                Optional.of(NOW.minusSeconds(3600)),
                Optional.empty(),
                Optional.empty(),
                Optional.of("may not read a.txt"),
                Optional.empty(),
                Optional.of("the store is too old")));
    assertThat(cli.run("sources", "list").out())
        .contains("s3 old", "files", "2026-01-02T03:04:05Z", "2026-01-02T02:04:05Z")
        .contains("s3 old, files: may not read a.txt")
        .contains("s3 old, files: changes are found by scans: the store is too old");
    assertThat(cli.run("sources", "list", "--output=json").out()).contains("\"scanned\" : 1");

    Cli.Run retired = cli.run("sources", "retire", "s3 old");
    assertThat(retired.exitCode()).as(retired.err()).isZero();
    assertThat(retired.out()).contains("s3 old is retired");
    assertThat(server.sources().list()).isEmpty();
  }

  @Test
  void tellsThatEverythingWasPublishedAgain() {
    String[] command = {"sources", "published-again", "people", "--since", "2026-01-02T03:04:05Z"};
    Cli.Run run = cli.run(command);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("since 2026-01-02T03:04:05Z");
    assertThat(server.sources().publishedAgain())
        .singleElement()
        .matches(one -> one.endsWith(" 2026-01-02T03:04:05Z"));

    command[2] = "nobody";
    assertThat(cli.run(command).exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    command[4] = "yesterday";
    Cli.Run refused = cli.run(command);
    assertThat(refused.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(refused.err())
        .contains("'yesterday' is no time; write 2026-01-02T03:04:05Z")
        .doesNotContain("java.");
  }

  @Test
  void saysWhatThereIsInstead() {
    Cli.Run unknown = cli.run("sources", "retire", "kv");

    assertThat(unknown.exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(unknown.err()).contains("no source \"kv\"");
    assertThat(cli.run("sources").exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.run("sources", "retire").exitCode()).isEqualTo(ExitCodes.USAGE);
  }
}
