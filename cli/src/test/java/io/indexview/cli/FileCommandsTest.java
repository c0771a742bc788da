package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.cli.api.ExitCodes;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.server.FakeReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileCommandsTest extends ServedScenario {
  @Test
  void searchesFiles() {
    cli.run("files", "search", "--user", "USER001", "--date", "2017-08-20");
    assertThat(server.reader().query())
        .isEqualTo(
            ViewQuery.of("file-metadata")
                .where("uploadDate", "2017-08-20")
                .where("uploadUser", "USER001")
                .by("uploadUser-uploadDate-index"));

    cli.run("files", "search", "--bucket", "b", "--view", "files");
    assertThat(server.reader().query())
        .isEqualTo(
            ViewQuery.of("files")
                .where("bucketName", "b")
                .inDescendingOrder()
                .by("bucketName-size-index"));

    cli.run("files", "search", "--key", "a/b c.txt");
    assertThat(server.reader().query())
        .isEqualTo(ViewQuery.of("file-metadata").where("objectKey", "a/b c.txt"));
  }

  @Test
  void refusesSearchesThatMakeNoSense() {
    assertThat(cli.run("files", "search").exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.run("files", "search", "--bucket", "b", "--date", "2017-08-20").exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.run("files", "search", "--user", "u", "--bucket", "b").err())
        .contains("--user goes with --date alone");
    assertThat(cli.run("files", "search", "--key", "k", "--all", "--page", "t").err())
        .contains("mutually exclusive");
    Cli.Run run = cli.run("files", "search", "--user", "u", "--date", "yesterday");
    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("'yesterday' is no date").doesNotContain("java");
  }

  @Test
  void saysThatThereIsNoSuchFile() {
    assertThat(cli.run("files", "get", "nothing.txt").exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
  }

  @ParameterizedTest
  @CsvSource({
    "--endpoint=nonsense, --endpoint nonsense is no address",
    "--to=nowhere/copy.txt, there is no directory"
  })
  void refusesFetchesThatCannotEndWell(String option, String message) {
    Cli.Run run = cli.run("files", "get", "a.txt", "--bucket=b", "--region=eu-west-1", option);

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains(message).hasLineCount(1);
  }

  private static RowPage.Row row(String bucket, String key) {
    return new RowPage.Row(
        Map.of("objectKey", key),
        bucket + "/" + key,
        Map.of("bucketName", bucket),
        OptionalLong.of(7),
        Optional.empty());
  }

  private static void find(RowPage.Row... rows) {
    server.reader().answer((query, options) -> FakeReader.page(List.of(rows), null));
  }

  /** Which of them is meant, nobody but the user knows. */
  @Test
  void doesNotGuessTheBucketOfAFile() {
    find(row("pics", "a.txt"), row("docs", "a.txt"));
    Cli.Run run = cli.run("files", "get", "a.txt");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("a.txt is in several buckets: docs, pics", "--bucket");
  }

  @Test
  void saysThatTheViewDoesNotHoldBuckets() {
    find(
        new RowPage.Row(
            Map.of("objectKey", "a.txt"), "a.txt", Map.of(), OptionalLong.of(7), Optional.empty()));

    assertThat(cli.run("files", "get", "a.txt").err()).contains("does not hold the bucket");
  }

  @Test
  void findsAnObjectKeyInOneBucket() {
    find(row("pics", "a.txt"), row("docs", "a.txt"));
    Cli.Run both = cli.run("files", "search", "--key", "a.txt");
    Cli.Run one = cli.run("files", "search", "--key", "a.txt", "--bucket", "docs");

    assertThat(both.out()).contains("docs/a.txt", "pics/a.txt");
    assertThat(one.out()).contains("docs/a.txt").doesNotContain("pics");
    assertThat(one.err()).contains("1 row");
  }

  @Test
  void waitsOrTakesWhatThereIs() {
    cli.run("files", "search", "--user", "u", "--wait", "5s");
    assertThat(server.reader().options().notReady())
        .isEqualTo(new ReadOptions.NotReady.Wait(Duration.ofSeconds(5)));
    cli.run("files", "search", "--user", "u", "--stale");
    assertThat(server.reader().options().notReady())
        .isEqualTo(new ReadOptions.NotReady.AllowStale());
  }
}
