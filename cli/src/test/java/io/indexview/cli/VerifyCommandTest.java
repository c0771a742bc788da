package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.cli.api.ExitCodes;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Case;
import io.indexview.schemas.control.ViewVerification.Counts;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.server.TestServer;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VerifyCommandTest {
  private static final Counts RIGHT = new Counts(9, 9, 0, 0, 0, 0, 0, 0, 0);
  private static final Counts WRONG = new Counts(9, 8, 1, 0, 0, 0, 0, 0, 0);
  private static final Counts REPAIRED = new Counts(9, 8, 1, 0, 0, 0, 0, 0, 1);

  private TestServer server;
  private Cli cli;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start();
    cli = Cli.of(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static ViewVerification over(String id, Status status, String step, Counts counts) {
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
        "by-org",
        id,
        status,
        0,
        counts.repaired() > 0,
        1_000,
        new Run("w", 1, 2, 3, 1, step, counts, cases));
  }

  @Test
  void waitsForTheEndAndSaysThatAllIsRight() {
    CompletableFuture<Cli.Run> running =
        CompletableFuture.supplyAsync(
            () -> cli.run("views", "verify", "by-org", "--rows-per-second", "10"));
    Awaitility.await().until(() -> !server.verifications().list("by-org").isEmpty());
    assertThat(server.verifications().list("by-org").get(0).rowsPerSecond()).isEqualTo(10);

    server.verifications().put(over("id-0", Status.DONE, "", RIGHT));

    Cli.Run run = running.join();
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("id-0", "done", "unjudged");
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

  @Test
  void repairs() {
    assertThat(cli.run("views", "verify", "by-org", "--repair", "--no-wait").exitCode()).isZero();
    assertThat(server.verifications().list("by-org").get(0).repair()).isTrue();

    server.verifications().put(over("id-0", Status.DONE, "", REPAIRED));

    Cli.Run run = cli.run("views", "verify", "by-org", "--last");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("missing, repaired", "/IDX/a/-/b");
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
    assertThat(run.out()).contains("failed, its disk is full");
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
