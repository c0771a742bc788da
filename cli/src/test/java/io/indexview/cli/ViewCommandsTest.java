package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.indexview.cli.api.ExitCodes;
import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.schemas.control.ViewState;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.errors.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command line through the real API. */
class ViewCommandsTest extends ServedScenario {
  @TempDir private Path directory;

  private String file(String view, String key) throws IOException {
    Path file = directory.resolve(view + ".yaml");
    Files.writeString(
        file, "name: %s\nsource: people\nkey: [%s]\ntarget: kv\n".formatted(view, key));
    return file.toString();
  }

  private void apply(String view, String key) throws IOException {
    assertThat(cli.run("views", "apply", "-f", file(view, key)).exitCode()).isZero();
  }

  @Test
  void appliesSeveralFiles() throws IOException {
    Cli.Run run =
        cli.run("views", "apply", "-f", file("by-org", "org"), "-f", file("by-name", "name"));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("by-org is new", "by-name is new");
    assertThat(cli.run("views", "list").out()).contains("by-org", "by-name", "BUILDING");
  }

  @Test
  void appliesTheFilesOfADirectory() throws IOException {
    file("by-org", "org");
    file("by-name", "name");
    Files.writeString(directory.resolve("notes.txt"), "no definition");
    Cli.Run run = cli.run("views", "apply", "-f", directory.toString());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("by-org is new", "by-name is new");
  }

  @Test
  void refusesADirectoryWithoutDefinitions() throws IOException {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    Cli.Run run = cli.run("views", "apply", "-f", empty.toString());

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains(empty.toString(), ".yaml");
  }

  @Test
  void appliesNothingIfOneFileIsWrong() throws IOException {
    Cli.Run run = cli.run("views", "apply", "-f", file("by-org", "org"), file("by-name", "nam"));

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("by-name.yaml", "key[0]", "nam");
    assertThat(cli.run("views", "list").out()).contains("There are no views");
  }

  @Test
  void tellsEverythingThatIsWrongWithAllFiles() throws IOException {
    Path broken = Files.writeString(directory.resolve("broken.yaml"), "name: [");
    Path nameless = Files.writeString(directory.resolve("nameless.json"), "{}");
    Cli.Run run =
        cli.run(
            "views",
            "apply",
            "-f",
            file("by-name", "nam"),
            broken.toString(),
            nameless.toString(),
            directory.resolve("missing.yaml").toString());

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err())
        .contains(
            "by-name.yaml: The definition is not valid",
            "broken.yaml is neither JSON nor YAML",
            "(line 1, column",
            "nameless.json has no property",
            "there is no file " + directory.resolve("missing.yaml"))
        .doesNotContain("java", "\ufffd");
  }

  @Test
  void refusesWhatIsNoText() throws IOException {
    Path bytes = Files.write(directory.resolve("bytes.yaml"), new byte[] {(byte) 0xff, 1});

    assertThat(cli.run("views", "diff", "-f", bytes.toString()).err())
        .contains("bytes.yaml is no text in UTF-8");
  }

  @Test
  void refusesTwoDefinitionsOfOneView() throws IOException {
    String first = file("by-org", "org");
    Path second = directory.resolve("again.yaml");
    Files.writeString(second, Files.readString(Path.of(first)).replace("org]", "name]"));
    Cli.Run run = cli.run("views", "apply", "-f", first, "-f", second.toString());

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("by-org is defined twice", first, second.toString());
    assertThat(cli.run("views", "list").out()).contains("There are no views");
  }

  @Test
  void saysWhatWouldChange() throws IOException {
    apply("by-org", "org");
    Cli.Run diff = cli.run("views", "diff", "-f", file("by-org", "name"));
    Cli.Run dry = cli.run("views", "apply", "--dry-run", "-f", file("by-org", "name"));

    assertThat(diff.exitCode()).isZero();
    assertThat(diff.out()).contains("by-org exists: a new generation is built", "key:");
    assertThat(dry.out()).isEqualTo(diff.out());
    assertThat(cli.run("views", "show", "by-org").out()).contains("- org");
  }

  @Test
  void changesOnlyTheExpectedVersion() throws IOException {
    apply("by-org", "org");

    assertThat(cli.run("views", "apply", "--if-version=1", "-f", file("by-org", "name")).exitCode())
        .isEqualTo(ExitCodes.FAILED);
    assertThat(cli.run("views", "apply", "--if-absent", "-f", file("by-org", "name")).err())
        .contains("version");
    assertThat(cli.run("views", "drop", "by-org", "--if-version=1").exitCode())
        .isEqualTo(ExitCodes.FAILED);
  }

  @Test
  void showsAView() throws IOException {
    apply("by-org", "org");
    server.views().state("by-org", ViewState.State.BUILDING, "the build runs");
    Cli.Run run = cli.run("views", "show", "by-org");

    assertThat(run.out())
        .contains("BUILDING", "the build runs", "building", "partition", "name: by-org", "uid-1");
  }

  @Test
  void listsRowsSizeAndLag() throws IOException {
    apply("by-org", "org");
    server.views().state("by-org", ViewState.State.READY, "");

    assertThat(cli.run("views", "list").out()).contains("READY", "42", "4,200", "250 ms");
  }

  @ParameterizedTest
  @CsvSource({"json", "yaml", "JSON"})
  void printsWhatTheServerSays(String format) throws IOException {
    apply("by-org", "org");
    Cli.Run run = cli.run("views", "show", "by-org", "--output", format);

    JsonNode tree =
        (format.equals("yaml") ? new YAMLMapper() : JsonMapper.builder().build())
            .readTree(run.out());
    assertThat(tree.at("/definition/key/0").asText()).isEqualTo("org");
  }

  @Test
  void rebuildsAndRollsBack() throws IOException {
    apply("by-org", "org");

    Cli.Run late = cli.run("views", "rollback", "by-org");
    assertThat(late.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(late.err())
        .contains("generation.grace.ms", "views apply -f FILE", "views rebuild by-org");
    assertThat(cli.run("views", "rebuild", "by-org", "--from", "snapshot").out())
        .contains("from snapshot (build 1)");
    assertThat(cli.run("views", "rollback", "by-org").out()).contains("build 0");
    assertThat(cli.run("views", "rebuild", "by-org", "--from", "moon").exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.run("views", "rebuild", "by-org", "--from", "replay").out())
        .contains("from replay", "none came later than tombstone.retention.ms", "Checked is");
  }

  @Test
  void waitsUntilAViewIsReady() throws IOException {
    apply("by-org", "org");
    server.views().state("by-org", ViewState.State.BUILDING, "the build runs");
    Cli.Run late = cli.run("views", "wait", "by-org", "--timeout", "1ms");
    server.views().state("by-org", ViewState.State.READY, "");
    Cli.Run ready = cli.run("views", "wait", "by-org");

    assertThat(late.exitCode()).isEqualTo(ExitCodes.NOT_READY);
    assertThat(late.err()).contains("by-org  BUILDING  75 %  the build runs");
    assertThat(ready.exitCode()).isZero();
    assertThat(ready.err()).contains("by-org  READY");
  }

  @Test
  void saysHowLongTheGenerationBeforeStandsBy() throws IOException {
    apply("by-org", "org");
    long until = System.currentTimeMillis() + 90_000;
    server.views().standby("by-org", OptionalLong.empty());
    server
        .views()
        .atNextScans(() -> {}, () -> server.views().standby("by-org", OptionalLong.of(until)));
    Cli.Run run = cli.run("views", "wait", "by-org", "--timeout", "1m");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err())
        .contains("generation 2 stands by for 1.", "indexview views rollback by-org");
  }

  /** The view serves, whatever else is not known of it. */
  @Test
  void succeedsAlthoughNobodySaysHowLongTheGenerationBeforeStandsBy() throws IOException {
    apply("by-org", "org");
    for (Runnable meanwhile :
        List.<Runnable>of(
            () -> server.views().fail(new TimeoutException("no broker")),
            () -> server.views().drop("by-org", OptionalLong.empty()))) {
      server.views().standby("by-org", OptionalLong.empty());
      server.views().atNextScans(() -> {}, meanwhile);

      Cli.Run run = cli.run("views", "wait", "by-org", "--timeout", "1m");

      server.views().fail(null);
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.err()).contains("generation 2 stands by: `indexview views rollback by-org`");
    }
  }

  @Test
  void asksNoLongerThanTheTimeoutHowLongTheGenerationBeforeStandsBy() throws IOException {
    apply("by-org", "org");
    server.views().standby("by-org", OptionalLong.empty());
    AtomicInteger asked = new AtomicInteger();
    Runnable ask = asked::incrementAndGet;
    server.views().atNextScans(Collections.nCopies(100, ask).toArray(Runnable[]::new));

    Cli.Run run = cli.run("views", "wait", "by-org", "--timeout", "1ms");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(asked.get()).as("for the view, and once more at most").isBetween(1, 2);
  }

  /** A query right after the wait must not be refused. */
  @Test
  void waitsUntilReadersSeeIt() throws IOException {
    apply("by-org", "org");
    server.views().state("by-org", ViewState.State.READY, "");
    server.views().show(Visibility.pending("the sink has not written it"));
    Cli.Run late = cli.run("views", "wait", "by-org", "--timeout", "1ms");
    Cli.Run show = cli.run("views", "show", "by-org");

    assertThat(late.exitCode()).isEqualTo(ExitCodes.NOT_READY);
    assertThat(late.err()).contains("by-org  READY  the sink has not written it");
    assertThat(show.out()).contains("READY, not shown yet", "the sink has not written it");
  }

  @Test
  void saysThatTheServerCannotLookAtTheTarget() throws IOException {
    apply("by-org", "org");
    server.views().state("by-org", ViewState.State.READY, "");
    server.views().show(Visibility.unknown("target kv is not configured here"));
    Cli.Run ready = cli.run("views", "wait", "by-org");

    assertThat(ready.exitCode()).isZero();
    assertThat(ready.err()).contains("by-org  READY  target kv is not configured here");
  }

  @Test
  void asksAServerAgainThatDoesNotAnswerMeanwhile() throws IOException {
    apply("by-org", "org");
    server
        .views()
        .atNextScans(
            () -> server.views().state("by-org", ViewState.State.BUILDING, "the build runs"),
            () -> {
              throw new TimeoutException("a leader moves");
            },
            () -> server.views().state("by-org", ViewState.State.READY, ""));
    Cli.Run run = cli.run("views", "wait", "by-org");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).contains("by-org  BUILDING", "by-org  READY");
  }

  @Test
  void endsAtOnceIfTheServerNeverAnswered() throws IOException {
    apply("by-org", "org");
    server.views().fail(new TimeoutException("no broker"));

    assertThat(cli.run("views", "wait", "by-org").exitCode()).isEqualTo(ExitCodes.UNAVAILABLE);
  }

  @Test
  void waitsForWhatACommandAsksFor() throws IOException {
    Cli.Run run = cli.run("views", "apply", "--wait=1ms", "-f", file("by-org", "org"));

    assertThat(run.exitCode()).isEqualTo(ExitCodes.NOT_READY);
    assertThat(run.err()).contains("by-org  BUILDING");
  }

  /** READY with what somebody else wants is not what this command asked for. */
  @Test
  void saysThatTheViewWasChangedAgainWhileItWaited() throws IOException {
    apply("by-org", "org");
    server.views().state("by-org", ViewState.State.READY, "");
    server.views().changeBeforeNextScan("by-org");
    Cli.Run run = cli.run("views", "rebuild", "by-org", "--wait=1m");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(run.err()).contains("by-org was changed again: version");
  }

  @Test
  void refusesConditionsThatContradictEachOther() throws IOException {
    Cli.Run run =
        cli.run("views", "apply", "--if-absent", "--if-version=1", "-f", file("by-org", "org"));

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("mutually exclusive");
    assertThat(run.err().lines()).hasSizeLessThan(5);
  }

  @Test
  void dropsAView() throws IOException {
    apply("by-org", "org");
    apply("by-name", "name");

    assertThat(cli.run("views", "drop", "by-name", "-o", "json").out()).contains("\"DELETING\"");

    assertThat(cli.run("views", "drop", "by-org").out()).contains("by-org is being deleted");
    assertThat(cli.run("views", "drop", "by-org").exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
  }

  /** As one of a newer release. */
  @Test
  void saysWhyADefinitionCannotBeReadAndDropsTheView() throws IOException {
    apply("by-org", "org");
    server.views().unreadable("by-org");

    Cli.Run rebuild = cli.run("views", "rebuild", "by-org");
    assertThat(rebuild.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(rebuild.err()).contains("view-definitions-0@7", "upgrade this server");
    Cli.Run wait = cli.run("views", "wait", "by-org", "--timeout", "0ms");
    assertThat(wait.exitCode()).isEqualTo(ExitCodes.NOT_READY);
    assertThat(wait.err()).contains("view-definitions-0@7").doesNotContain("being deleted");

    assertThat(cli.run("views", "drop", "by-org").exitCode()).isEqualTo(ExitCodes.OK);
    assertThat(cli.run("views", "show", "by-org").exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
  }

  @Test
  void waitsForAViewThatIsDefinedAnewDuringItsDeletion() throws IOException {
    apply("by-org", "org");
    server.views().state("by-org", ViewState.State.DELETING, "waits until the rows are gone");
    server
        .views()
        .atNextScans(() -> {}, () -> server.views().state("by-org", ViewState.State.READY, ""));

    assertThat(cli.run("views", "wait", "by-org", "--timeout", "1m").exitCode())
        .isEqualTo(ExitCodes.OK);
  }

  @ParameterizedTest
  @CsvSource({"show", "drop", "rebuild", "rollback", "wait"})
  void saysThatThereIsNoSuchView(String command) {
    Cli.Run run = cli.run("views", command, "nothing");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(run.err()).contains("nothing").hasLineCount(1);
  }

  @Test
  void tellsTheStateOfAllInItsExitCode() throws IOException {
    apply("by-org", "org");
    Cli.Run building = cli.run("status");
    server.views().state("by-org", ViewState.State.READY, "");
    Cli.Run ready = cli.run("status");

    assertThat(building.exitCode()).isEqualTo(ExitCodes.NOT_READY);
    assertThat(building.out()).contains("people", "by-org", "BUILDING");
    assertThat(ready.exitCode()).isZero();
    assertThat(cli.run("status", "--watch=0s").exitCode()).isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void goesOnAfterAnOutageWhileItWatches() {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CompletableFuture<Integer> watching =
        CompletableFuture.supplyAsync(
            () ->
                Indexview.commandLine(List.of())
                    .setOut(new PrintWriter(out))
                    .setErr(new PrintWriter(err))
                    .execute("status", "--watch=100ms", "--server=" + server.address()));
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !out.toString().isEmpty());
    server.views().fail(new TimeoutException("no broker"));
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> err.toString().lines().filter(line -> line.contains("no broker")).count() > 1);

    server.views().fail(new IllegalStateException("a fault"));

    assertThat(watching.join()).isEqualTo(ExitCodes.FAILED);
  }

  @Test
  void watchesNothingWhereNobodyHasEverAnswered() {
    server.views().fail(new TimeoutException("no broker"));

    assertThat(cli.run("status", "--watch=100ms").exitCode()).isEqualTo(ExitCodes.UNAVAILABLE);
    assertThat(Cli.execute("views", "verify", "by-org", "--watch", "--server=http://localhost:1"))
        .extracting(Cli.Run::exitCode)
        .isEqualTo(ExitCodes.UNAVAILABLE);
  }

  @Test
  void saysThatTheServerCannotWork() {
    server.views().fail(new TimeoutException("no broker"));
    Cli.Run run = cli.run("views", "list");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.UNAVAILABLE);
    assertThat(run.err()).contains("no broker").hasLineCount(1);
  }
}
