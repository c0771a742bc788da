package io.indexview.server.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
import io.indexview.server.ServedTest;
import io.indexview.server.api.Api;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class VerificationResourceTest extends ServedTest {
  private static final String PATH = "/views/by-org/verifications";

  private static final VerificationOptions REPAIR =
      new VerificationOptions(Limits.NONE, VerificationOptions.ALL, false, true, false);

  @Test
  void asksForOneAndSaysWhereItIs() {
    Api.Answer answer = api.post(PATH, "{\"rowsPerSecond\": 500}");

    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.header("Location")).endsWith(PATH + "/id-0");
    assertThat(answer.body().path("status").asText()).isEqualTo("requested");
    assertThat(answer.body().path("rowsPerSecond").asInt()).isEqualTo(500);
    assertThat(api.get(PATH + "/id-0").body().path("id").asText()).isEqualTo("id-0");
  }

  @Test
  void asksForARepair() {
    Api.Answer answer = api.post(PATH, "{\"repair\": true}");

    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.body().path("repair").asBoolean()).isTrue();
    assertThat(server.verifications().list("by-org").get(0).options().repair()).isTrue();
  }

  @Test
  void asksForASampleWithinLimits() {
    Api.Answer answer =
        api.post(
            PATH,
            "{\"samplePercent\": 2.5, \"bytesPerSecond\": 5000000000, \"readUnitsPerSecond\": 40, \"withSource\": true}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    assertThat(answer.body().path("samplePercent").asDouble()).isEqualTo(2.5);
    assertThat(answer.body().path("bytesPerSecond").asLong()).isEqualTo(5_000_000_000L);
    assertThat(answer.body().path("readUnitsPerSecond").asInt()).isEqualTo(40);
    assertThat(answer.body().has("rowsPerSecond")).isFalse();
    assertThat(server.verifications().list("by-org").get(0).options())
        .isEqualTo(
            new VerificationOptions(new Limits(0, 5_000_000_000L, 40), 2.5, true, false, false));
  }

  @Test
  void refusesWhatIsNoLimit() {
    for (String body :
        List.of(
            "{\"rowsPerSecond\": 0}",
            "{\"rowsPerSecond\": \"x\"}",
            "{\"bytesPerSecond\": 0.5}",
            "{\"readUnitsPerSecond\": -1}",
            "{\"samplePercent\": 0}",
            "{\"samplePercent\": 101}",
            "{\"samplePercent\": 5, \"repair\": true}",
            "{\"a\": 1}",
            "{\"repair\": 1}")) {
      assertThat(api.post(PATH, body).status()).as(body).isEqualTo(400);
    }
  }

  @Test
  void refusesASecondOneOfAView() {
    api.post(PATH, "");

    Api.Answer second = api.post(PATH, "");

    assertThat(second.status()).isEqualTo(409);
    assertThat(second.problem()).isEqualTo("not-verifiable");
  }

  @Test
  void tellsAViewOfASinkThatItDoesNotReadFromOthers() {
    server.verifications().cannotRead("by-org");

    Api.Answer answer = api.post(PATH, "");

    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.problem()).isEqualTo("target-not-readable");
  }

  @Test
  void tellsCountsAndCases() {
    server.verifications().put(done(List.of()));

    JsonNode found = api.get(PATH + "/done").body();

    assertThat(found.path("counts").path("wrong").asInt()).isEqualTo(1);
    assertThat(found.path("counts").path("right").asInt()).isEqualTo(7);
    assertThat(found.path("counts").path("repaired").asInt()).isEqualTo(1);
    assertThat(found.path("repair").asBoolean()).isTrue();
    assertThat(found.path("withSource").asBoolean()).isFalse();
    assertThat(found.path("visibleBefore").asText()).isEqualTo("1970-01-01T00:00:00.009Z");
    assertThat(found.path("counts").path("unexpected").path("total").asInt()).isZero();
    assertThat(found.path("counts").path("orphaned").asInt()).isEqualTo(8);
    assertThat(found.path("counts").path("tombstones").asInt()).isEqualTo(9);
    assertThat(found.path("counts").path("expiredTombstones").asInt()).isEqualTo(4);
    assertThat(found.path("counts").path("removedTombstones").asInt()).isEqualTo(2);
    JsonNode wrong = found.path("cases").path(0);
    assertThat(wrong.path("kind").asText()).isEqualTo("missing");
    assertThat(wrong.path("expectedRevision").asLong()).isEqualTo(5);
    assertThat(wrong.has("actualRevision")).isFalse();
    assertThat(wrong.path("repaired").asBoolean()).isTrue();
    assertThat(found.at("/sources/0/scan").asLong()).isEqualTo(3);
    assertThat(found.at("/sources/0").has("refused")).isFalse();
    assertThat(found.at("/sources/1/refused").asText()).isEqualTo("lists once");
    assertThat(found.at("/sources/1").has("scan")).isFalse();
    JsonNode listed = api.get(PATH).body().path("verifications").path(0);
    assertThat(listed.path("id").asText()).isEqualTo("done");
    assertThat(listed.has("cases")).isFalse();
  }

  private static ViewVerification done(List<NotLookedFor> notLookedFor) {
    Case missing =
        new Case(
            Kind.MISSING, "/a/-/b", "/p", OptionalLong.of(5), OptionalLong.empty(), "lost", true);
    Run run =
        new Run(
            "w",
            1,
            2,
            3,
            4,
            9,
            "",
            new Counts(7, 7, 1, 0, 0, Unexpected.NONE, new Tombstones(9, 4, 2), 0, 1, 8),
            List.of(missing),
            List.of(
                new SourceScan("kv", "people", 3, 4, 5, 6, ""),
                SourceScan.refused("s3", "queue", "lists once")),
            notLookedFor);
    return new ViewVerification("by-org", "done", Status.DONE, REPAIR, 1, run);
  }

  @Test
  void tellsWhatWasNotLookedFor() {
    server.verifications().put(done(List.of()));
    assertThat(api.get(PATH + "/done").body().has("notLookedFor")).isFalse();

    server
        .verifications()
        .put(done(List.of(new NotLookedFor(Kind.ORPHANED_ROWS, "whose is a table?"))));
    JsonNode some = api.get(PATH + "/done").body();
    assertThat(some.at("/counts/orphaned").asInt()).isEqualTo(8);
    assertThat(some.at("/notLookedFor/0/kind").asText()).isEqualTo("orphaned-rows");
    assertThat(some.at("/notLookedFor/0/reason").asText()).isEqualTo("whose is a table?");

    server.verifications().put(done(NotLookedFor.all("no quorum")));
    JsonNode none = api.get(PATH).body().at("/verifications/0");
    assertThat(none.path("counts").has("orphaned")).isFalse();
    assertThat(none.path("notLookedFor")).hasSize(2);
  }

  @Test
  void removesWhatIsUnexpectedInARepairOnly() {
    assertThat(api.post(PATH, "{\"repair\": true, \"removeUnexpected\": true}").status())
        .isEqualTo(202);
    assertThat(api.get(PATH + "/id-0").body().path("removeUnexpected").asBoolean()).isTrue();
    Api.Answer refused = api.post(PATH, "{\"removeUnexpected\": true, \"rowsPerSecond\": 0}");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().path("problems").findValuesAsText("field"))
        .containsExactlyInAnyOrder("removeUnexpected", "rowsPerSecond");
  }

  @Test
  void cancels() {
    api.post(PATH, "");

    assertThat(api.delete(PATH + "/id-0").status()).isEqualTo(202);

    assertThat(api.get(PATH + "/id-0").body().path("status").asText()).isEqualTo("cancelled");
  }

  @Test
  void knowsNothingOfOthers() {
    for (Api.Answer answer : List.of(api.get(PATH + "/x"), api.delete(PATH + "/x"))) {
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.problem()).isEqualTo("verification-not-found");
    }
  }
}
