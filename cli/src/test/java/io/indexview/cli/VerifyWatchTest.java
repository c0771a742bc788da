package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.cli.api.ExitCodes;
import io.indexview.client.admin.NotVerifiableException;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Run;
import io.indexview.schemas.control.ViewVerification.Status;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.errors.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A watch, by what the server answers to the requests of its verifications. */
class VerifyWatchTest extends ServedScenario {
  private static final Duration SOON = Duration.ofMinutes(1);

  private CompletableFuture<Cli.Run> watch() {
    return CompletableFuture.supplyAsync(() -> cli.run("views", "verify", "by-org", "--watch"));
  }

  private void awaitAsked(int count) {
    Awaitility.await().atMost(SOON).until(() -> server.verifications().all().size() == count);
  }

  private static ViewVerification ofSomebodyElse(Status status) {
    return new ViewVerification(
        "by-org",
        "other",
        status,
        new VerificationOptions(Limits.NONE, VerificationOptions.ALL, true, false, false),
        1_000,
        Run.NONE);
  }

  @Test
  void doesNotShowWhatOneFoundThatSomebodyElseAskedFor() {
    CompletableFuture<Cli.Run> running = watch();
    awaitAsked(1);
    server.verifications().failNext(new TimeoutException("no broker"));
    server.verifications().failNext(new NotVerifiableException("other is not over"));
    server.verifications().put(ofSomebodyElse(Status.RUNNING));
    ViewVerification own = server.verifications().list("by-org").get(0);
    server.verifications().put(own.with(Status.DONE, Run.NONE));
    Awaitility.await().atMost(SOON).until(server.verifications()::hasFailed);
    server.verifications().put(ofSomebodyElse(Status.DONE));
    awaitAsked(3);
    server.verifications().forget("by-org");

    Cli.Run run = running.join();
    assertThat(run.err()).contains("no broker", "is not over");
    assertThat(run.out().lines()).hasSize(1);
  }

  @Test
  void endsWhereItsFirstRequestMeetsAnOutage() {
    server.verifications().failNext(new TimeoutException("no broker"));

    assertThat(watch())
        .succeedsWithin(SOON)
        .extracting(Cli.Run::exitCode)
        .isEqualTo(ExitCodes.UNAVAILABLE);
  }
}
