package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.cli.api.ExitCodes;
import io.indexview.client.admin.NotVerifiableException;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.SourceScan;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.control.ViewVerification.Tombstones;
import io.indexview.schemas.control.ViewVerification.Unexpected;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.errors.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerifyCommandTest extends ServedScenario {
  private static final Counts RIGHT =
      new Counts(9, 9, 0, 0, 0, Unexpected.NONE, Tombstones.NONE, 0, 0, 0);
  private static final Counts WRONG =
      new Counts(9, 8, 1, 0, 0, Unexpected.NONE, Tombstones.NONE, 0, 0, 0);
  private static final Counts UNEXPECTED =
      new Counts(9, 4, 0, 0, 0, new Unexpected(2, 0, 3, 0), Tombstones.NONE, 0, 0, 0);
  private static final Counts EXPIRED =
      new Counts(9, 9, 0, 0, 0, Unexpected.NONE, new Tombstones(1_009, 7, 5), 0, 0, 3);
  private static final Counts REPAIRED =
      new Counts(9, 8, 1, 0, 0, Unexpected.NONE, Tombstones.NONE, 0, 1, 0);

  private static ViewVerification over(String id, Status status, String step, Counts counts) {
    return over("by-org", id, status, step, counts);
  }

  private static ViewVerification over(
      String view, String id, Status status, String step, Counts counts) {
    return over(view, id, status, step, counts, List.of());
  }

  private static ViewVerification over(
      String view,
      String id,
      Status status,
      String step,
      Counts counts,
      List<NotLookedFor> notLookedFor) {
    Case missing =
        new Case(
            Kind.MISSING,
            "/IDX/a/-/b",
            "/p/1",
            OptionalLong.of(5),
            OptionalLong.empty(),
            "lost",
            counts.repaired() > 0);
    List<Case> cases = counts.wrong() > 0 ? List.of(missing) : List.of();
    return new ViewVerification(
        view,
        id,
        status,
        new VerificationOptions(
            Limits.NONE, VerificationOptions.ALL, false, counts.repaired() > 0, false),
        1_000,
        new Run(
            "w",
            1,
            2,
            3,
            1,
            9,
            step,
            counts,
            cases,
            List.of(
                new SourceScan("kv", "people", 3, 4, 5, 6, ""),
                SourceScan.refused("s3", "queue", "lists once")),
            notLookedFor));
  }

  @Test
  void waitsForTheEndAndSaysThatAllIsRight() {
    CompletableFuture<Cli.Run> running =
        CompletableFuture.supplyAsync(
            () -> cli.run("views", "verify", "by-org", "--rows-per-second", "10", "--with-source"));
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> !server.verifications().list("by-org").isEmpty());
    assertThat(server.verifications().list("by-org").get(0).options().limits().rows())
        .isEqualTo(10);

    assertThat(server.verifications().list("by-org").get(0).options().withSource()).isTrue();

    server.verifications().put(over("id-0", Status.DONE, "", RIGHT));

    Cli.Run run = running.join();
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("id-0 of view by-org, generation 1: done, in 2 ms", "unjudged")
        .contains(
            "rests on scan 3 of kv, people: 6 records",
            "rests on no scan of s3, queue: lists once");
  }

  @Test
  void showsWhatIsWrongAndFails() {
    server.verifications().put(over("last", Status.DONE, "", WRONG));

    Cli.Run run = cli.run("views", "verify", "by-org", "--last");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(run.out()).contains("missing", "/IDX/a/-/b", "/p/1", "lost");
    assertThat(cli.run("views", "verify", "by-org", "--last", "--output=json").out())
        .contains("\"expectedRevision\" : 5");
  }

  private CompletableFuture<Cli.Run> start(String... arguments) {
    return CompletableFuture.supplyAsync(() -> cli.run(arguments));
  }

  private void awaitAsked(int count) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> server.verifications().all().size() == count);
  }

  @Test
  void verifiesSeveralViewsAtOnceAndFailsIfOneIsWrong() {
    CompletableFuture<Cli.Run> running =
        start("views", "verify", "by-org", "by-day", "by-org", "--sample", "5");
    awaitAsked(2);
    assertThat(server.verifications().all())
        .allMatch(asked -> asked.options().samplePercent() == 5)
        .extracting(ViewVerification::view)
        .containsExactly("by-org", "by-day");

    server.verifications().put(over("by-org", "id-0", Status.DONE, "", WRONG));
    server.verifications().put(over("by-day", "id-1", Status.DONE, "", RIGHT));

    Cli.Run run = running.join();
    assertThat(run.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(run.out()).contains("id-0 of view by-org", "id-1 of view by-day");
    assertThat(run.err()).contains("by-org: requested", "by-day: requested");
  }

  @Test
  void verifiesTheOthersOfSeveralViewsWhenOneIsRefused() {
    server.verifications().put(over("by-org", "other", Status.RUNNING, "", RIGHT));
    CompletableFuture<Cli.Run> running = start("views", "verify", "by-org", "by-day");
    awaitAsked(2);

    server.verifications().put(over("by-day", "id-1", Status.DONE, "", RIGHT));

    Cli.Run run = running.join();
    assertThat(run.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(run.out()).contains("by-day").doesNotContain("by-org");
    assertThat(run.err()).contains("by-org: ", "is not over");
    assertThat(cli.run("views", "verify", "by-day", "never", "--last").exitCode())
        .isEqualTo(ExitCodes.NOT_FOUND);
  }

  @Test
  void tellsClassesOfWhatIsUnexpectedAndWhatItRestsOn() {
    server.verifications().put(over("last", Status.DONE, "", UNEXPECTED));

    assertThat(cli.run("views", "verify", "by-org", "--last").out())
        .contains(
            "2 undecodable, 0 of another generation, 3 without a revision",
            "all changes before 1970-01-01T00:00:00.009Z");
  }

  @Test
  void tellsTombstonesThatShouldBeGone() {
    server.verifications().put(over("last", Status.DONE, "", EXPIRED));

    Cli.Run run = cli.run("views", "verify", "by-org", "--last");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(
            "tombstones: 1,009, of which 7 should be gone; 5 removed",
            "belonging to no view: 3 names or metadata, in the places of all views");
    server.verifications().put(over("last", Status.DONE, "", RIGHT));
    assertThat(cli.run("views", "verify", "by-org", "--last").out())
        .doesNotContain("tombstones", "belonging to no view", "not looked for");
  }

  @Test
  void showsCasesOfEachKind() {
    List<Case> cases = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      Kind kind = i < 50 ? Kind.MISSING : Kind.UNDECODABLE;
      cases.add(
          new Case(
              kind, "/key/" + i, "", OptionalLong.empty(), OptionalLong.empty(), "why", false));
    }
    ViewVerification last = over("last", Status.DONE, "", WRONG);
    Run run = last.run();
    Run many =
        new Run(
            run.worker(),
            run.startedAtMs(),
            run.updatedAtMs(),
            run.endedAtMs(),
            run.generation(),
            run.visibleBeforeMs(),
            run.step(),
            run.counts(),
            cases,
            List.of(),
            List.of());
    server.verifications().put(last.with(Status.DONE, many));

    assertThat(cli.run("views", "verify", "by-org", "--last").out())
        .contains("/key/9 ", "/key/50 ", "/key/59 ", "40 more with --output json")
        .doesNotContain("/key/10 ", "/key/49 ");
  }

  @Test
  void saysHowManyCasesThereAreBesideThoseThatAreKept() {
    Counts many = new Counts(9, 4, 5_000, 0, 1, Unexpected.NONE, Tombstones.NONE, 0, 0, 0);
    server.verifications().put(over("last", Status.DONE, "", many));

    assertThat(cli.run("views", "verify", "by-org", "--last").out())
        .contains(
            "of 5,001 in all; the first ones of each kind are kept, as far as a record takes them");
    server.verifications().put(over("last", Status.DONE, "", WRONG));
    assertThat(cli.run("views", "verify", "by-org", "--last").out()).doesNotContain("in all");
  }

  @Test
  void tellsWhatItDidNotLookFor() {
    List<NotLookedFor> all = NotLookedFor.all("only one of all rows");
    server.verifications().put(over("by-org", "last", Status.DONE, "", RIGHT, all));
    assertThat(cli.run("views", "verify", "by-org", "--last").out())
        .contains("not looked for: orphaned-rows, orphaned-metadata (only one of all rows)");

    List<NotLookedFor> rows = List.of(new NotLookedFor(Kind.ORPHANED_ROWS, "whose is a table?"));
    server.verifications().put(over("by-org", "last", Status.DONE, "", EXPIRED, rows));
    assertThat(cli.run("views", "verify", "by-org", "--last").out())
        .contains(
            "belonging to no view: 3 names or metadata, in the places of all views",
            "not looked for: orphaned-rows (whose is a table?)")
        .doesNotContain("orphaned-metadata");
  }

  @Test
  void verifiesAllViewsThatTheServerCanRead() {
    server.verifications().cannotRead("by-cost");
    for (String view :
        List.of(
            "{name: by-org, target: kv,",
            "{name: by-cost, target: warehouse,",
            "{name: by-name, target: warehouse,")) {
      server
          .views()
          .apply("the-test.yaml", view + " source: people, key: [org]}", OptionalLong.empty());
    }

    Cli.Run run = cli.run("views", "verify", "--all", "--no-wait");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).contains("by-cost: ", "add it to connect.targets");
    assertThat(server.verifications().all())
        .extracting(ViewVerification::view)
        .containsExactlyInAnyOrder("by-name", "by-org");
    assertThat(cli.run("views", "verify", "by-cost").exitCode()).isEqualTo(ExitCodes.FAILED);
    for (String last : List.of("--cancel", "--last")) {
      Cli.Run shown = cli.run("views", "verify", "--all", last);
      assertThat(shown.exitCode()).as(shown.err()).isZero();
      assertThat(shown.err()).contains("by-cost: view by-cost was not verified yet");
      server
          .verifications()
          .all()
          .forEach(
              one ->
                  server
                      .verifications()
                      .put(over(one.view(), one.id(), Status.DONE, "", RIGHT, List.of())));
    }
    assertThat(cli.run("views", "verify", "by-cost", "--last").exitCode())
        .isEqualTo(ExitCodes.NOT_FOUND);
  }

  @Test
  void wantsNamesOrAll() {
    assertThat(cli.run("views", "verify").exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.run("views", "verify", "by-org", "--all").exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.run("views", "verify", "by-org", "--watch", "--no-wait").exitCode())
        .isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void refusesToRepairASample() {
    Cli.Run run = cli.run("views", "verify", "by-org", "--sample", "5", "--repair");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("samplePercent", "a repair compares all rows");
  }

  @Test
  void beginsAgainAfterEachEndWhileItWatches() {
    CompletableFuture<Cli.Run> running = start("views", "verify", "by-org", "--watch");
    awaitAsked(1);
    server.verifications().put(over("id-0", Status.DONE, "", RIGHT));
    awaitAsked(2);
    server
        .verifications()
        .put(over("by-org", "id-1", Status.DONE, "", WRONG, NotLookedFor.all("no quorum")));
    awaitAsked(3);
    server
        .verifications()
        .put(
            over(
                "by-org",
                "id-2",
                Status.DONE,
                "",
                RIGHT,
                List.of(new NotLookedFor(Kind.ORPHANED_ROWS, "whose is a table?"))));
    awaitAsked(4);
    server.verifications().put(over("id-3", Status.FAILED, "no disk", RIGHT));
    awaitAsked(5);
    server.verifications().forget("by-org");

    Cli.Run run = running.join();
    assertThat(run.exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    String at = "1970-01-01T00:00:00.003Z  by-org  ";
    String right = "  right 9, wrong 0, repaired 0, unexpected 0, unjudged 0";
    assertThat(run.out().lines())
        .containsExactly(
            at + "done" + right + ", orphaned 0, in 2 ms",
            at
                + "done  right 8, wrong 1, repaired 0, unexpected 0, unjudged 0, orphaned not looked for, in 2 ms",
            at + "done" + right + ", orphaned 0 (orphaned-rows not looked for), in 2 ms",
            at + "failed, no disk" + right + ", in 2 ms");
  }

  @Test
  void goesOnAfterAnOutageWhileItWatches() {
    CompletableFuture<Cli.Run> running = start("views", "verify", "by-org", "--watch");
    awaitAsked(1);
    server.verifications().failNext(new TimeoutException("no broker"));
    server.verifications().put(over("id-0", Status.DONE, "", RIGHT));
    awaitAsked(2);
    server.verifications().forget("by-org");

    Cli.Run run = running.join();
    assertThat(run.exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(run.err()).contains("by-org: ", "no broker");
  }

  /** The server took the request, and was stopped before it answered. */
  @ParameterizedTest
  @CsvSource({"--rows-per-second=7", "--sample=100", "--sample=5"})
  void showsWhatAVerificationFoundWhoseAnswerWasLostWhileItWatches(String how) {
    CompletableFuture<Cli.Run> running = start("views", "verify", "by-org", how, "--watch");
    awaitAsked(1);
    server.verifications().loseNextAnswer(new TimeoutException("no broker"));
    server.verifications().put(over("id-0", Status.DONE, "", RIGHT));
    awaitAsked(2);
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> server.verifications().isRead("id-1"));
    server.verifications().put(over("id-1", Status.DONE, "", WRONG));
    awaitAsked(3);
    server.verifications().forget("by-org");

    Cli.Run run = running.join();
    assertThat(run.exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(run.err()).contains("by-org: ", "no broker").doesNotContain("is not over");
    assertThat(run.out().lines())
        .satisfiesExactly(
            first -> assertThat(first).contains("right 9, wrong 0"),
            lost -> assertThat(lost).contains("right 8, wrong 1"));
  }

  /** It is a server of views that refuses it, so what fails then is an outage. */
  @Test
  void goesOnAfterAnOutageBehindARefusalWhileItWatches() {
    server.verifications().failNext(new NotVerifiableException("no generation serves"));
    server.verifications().failNext(new TimeoutException("no broker"));
    watchesOn("by-org", "no generation serves");
  }

  @Test
  void goesOnAfterAnOutageBehindTheListOfAllViewsWhileItWatches() {
    server
        .views()
        .apply(
            "the-test.yaml",
            "{name: by-org, target: kv, source: people, key: [org]}",
            OptionalLong.empty());
    server.verifications().failNext(new TimeoutException("no broker"));
    watchesOn("--all", "no broker");
  }

  private void watchesOn(String what, String message) {
    CompletableFuture<Cli.Run> running = start("views", "verify", what, "--watch");
    awaitAsked(1);
    server.verifications().forget("by-org");

    Cli.Run run = running.join();
    assertThat(run.exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(run.err()).contains("by-org: ", message, "no broker");
  }

  @Test
  void repairs() {
    assertThat(cli.run("views", "verify", "by-org", "--repair", "--no-wait").exitCode()).isZero();
    assertThat(server.verifications().list("by-org").get(0).options().repair()).isTrue();

    server.verifications().put(over("id-0", Status.DONE, "", REPAIRED));

    Cli.Run run = cli.run("views", "verify", "by-org", "--last");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("missing, repaired", "/IDX/a/-/b");
  }

  @ParameterizedTest
  @CsvSource({
    "by-org --repair=all, true",
    "--repair=all by-org, true",
    "by-org --repair=wrong, false",
    "--repair by-org, false"
  })
  void removesWhatIsUnexpectedOnlyIfItIsSaid(String arguments, boolean all) {
    Cli.Run run = cli.run(("views verify --no-wait " + arguments).split(" "));

    assertThat(run.exitCode()).as(run.err()).isZero();
    VerificationOptions asked = server.verifications().list("by-org").get(0).options();
    assertThat(asked.repair()).isTrue();
    assertThat(asked.removeUnexpected()).isEqualTo(all);
  }

  @Test
  void refusesOtherRepairs() {
    Cli.Run run = cli.run("views", "verify", "by-org", "--repair=most");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("most", "wrong, all");
  }

  @Test
  void refusesToRepairWhatIsOver() {
    for (String other : List.of("--last", "--cancel")) {
      Cli.Run run = cli.run("views", "verify", "by-org", "--repair", other);

      assertThat(run.exitCode()).as(other).isEqualTo(ExitCodes.USAGE);
      assertThat(run.err()).contains(other, "--repair");
    }
  }

  @Test
  void saysWhyOneFailed() {
    server.verifications().put(over("last", Status.FAILED, "its disk is full", Counts.NONE));

    Cli.Run run = cli.run("views", "verify", "by-org", "--last");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.FAILED);
    assertThat(run.out()).contains("failed, its disk is full", "did not come to its end");

    server.verifications().put(over("last", Status.CANCELLED, "cancelled", Counts.NONE));
    assertThat(cli.run("views", "verify", "by-org", "--last").out())
        .contains("generation 1: cancelled, in 2 ms", "did not come to its end");
  }

  @Test
  void cancelsAndRefusesASecondOne() {
    assertThat(cli.run("views", "verify", "by-org", "--no-wait").exitCode()).isZero();
    assertThat(cli.run("views", "verify", "by-org").err()).contains("is not over");

    assertThat(cli.run("views", "verify", "by-org", "--cancel").out()).contains("cancelled");
  }

  @Test
  void knowsNoneYet() {
    Cli.Run run = cli.run("views", "verify", "by-org", "--last");

    assertThat(run.exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(run.err()).contains("by-org was not verified yet");
  }
}
