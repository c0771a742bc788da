package io.indexview.server.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.schemas.control.ViewState;
import io.indexview.server.People;
import io.indexview.server.ServedTest;
import io.indexview.server.api.Api;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ViewResourceTest extends ServedTest {
  private static final String BY_ORG = People.definition("by-org", "org");
  private static final String BY_NAME = People.definition("by-org", "name");

  private String create() {
    return api.put("/views/by-org", BY_ORG).header("ETag");
  }

  @Test
  void createsAView() {
    Api.Answer created = api.put("/views/by-org", BY_ORG);

    assertThat(created.status()).isEqualTo(201);
    assertThat(created.body().path("created").asBoolean()).isTrue();
    assertThat(created.header("ETag"))
        .isEqualTo("\"" + created.body().path("version").asLong() + "\"");
    assertThat(api.get("/views").body().path("views").path(0).path("name").asText())
        .isEqualTo("by-org");
  }

  @Test
  void takesYaml() {
    Api.Answer created =
        api.put(
            "/views/by-org",
            "name: by-org\nsource: people\nkey: [org]\ntarget: kv\n",
            "Content-Type",
            "application/yaml");

    assertThat(created.status()).isEqualTo(201);
    assertThat(api.get("/views/by-org").body().at("/definition/key/0").asText()).isEqualTo("org");
  }

  @Test
  void showsHowOftenAViewIsVerifiedAsItIsWritten() {
    create();
    String daily = BY_ORG.replaceFirst("\\{", "{\"verification\": {\"interval\": \"24h\"}, ");

    assertThat(api.put("/views/by-org", daily).status()).isEqualTo(200);

    JsonNode definition = api.get("/views/by-org").body().path("definition");
    assertThat(definition.at("/verification/interval").asText()).isEqualTo("1d");
    assertThat(api.put("/views/by-org?dryRun", definition.toString()).body().path("fields"))
        .as("what is shown can be applied")
        .isEmpty();
  }

  @Test
  void changesAViewAtTheExpectedVersionOnly() {
    String first = create();
    Api.Answer changed = api.put("/views/by-org", BY_NAME, "If-Match", first);
    Api.Answer late = api.put("/views/by-org", BY_ORG, "If-Match", first);

    assertThat(changed.status()).isEqualTo(200);
    assertThat(late.status()).isEqualTo(412);
    assertThat(late.problem()).isEqualTo("version-mismatch");
    assertThat(late.body().path("version").asLong())
        .isEqualTo(changed.body().path("version").asLong());
    assertThat(api.get("/views/by-org").body().at("/definition/key/0").asText()).isEqualTo("name");
  }

  @Test
  void createsOnlyWhatIsNotThereIfAskedTo() {
    assertThat(api.put("/views/by-org", BY_ORG, "If-None-Match", "*").status()).isEqualTo(201);

    assertThat(api.put("/views/by-org", BY_NAME, "If-None-Match", "*").status()).isEqualTo(412);
  }

  @Test
  void changesNothingInADryRun() {
    create();
    Api.Answer planned = api.put("/views/by-org?dryRun", BY_NAME);

    assertThat(planned.status()).isEqualTo(200);
    assertThat(planned.body().path("effect").asText()).isEqualTo("build");
    assertThat(planned.body().has("version")).isFalse();
    assertThat(api.get("/views/by-org").body().at("/definition/key/0").asText()).isEqualTo("org");
  }

  /** A mistyped dryRun would make the change. */
  @ParameterizedTest
  @CsvSource({"dryrun=true, dryrun", "dryRun=yes, dryRun", "dryRun=false&dryRun, dryRun"})
  void refusesParametersThatItDoesNotKnow(String query, String name) {
    create();
    Api.Answer refused = api.put("/views/by-org?" + query, BY_NAME);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().at("/problems/0/field").asText()).isEqualTo(name);
    assertThat(api.get("/views/by-org").body().at("/definition/key/0").asText()).isEqualTo("org");
  }

  @Test
  void namesEverythingThatIsWrongWithADefinition() {
    Api.Answer refused =
        api.put(
            "/views/by-org",
            """
            {"name": "by-org", "source": "people", "key": ["orgg", "cost"], "target": "kv",
             "nulls": "drop"}""");

    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.problem()).isEqualTo("invalid-definition");
    assertThat(refused.body().path("problems").findValuesAsText("field"))
        .anyMatch(field -> field.endsWith("key[0]"))
        .anyMatch(field -> field.endsWith("nulls"));
  }

  @Test
  void refusesADefinitionOfAnotherView() {
    Api.Answer refused = api.put("/views/by-name", BY_ORG);

    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.body().at("/problems/0/field").asText()).isEqualTo("name");
    assertThat(api.get("/views").body().path("views")).isEmpty();
  }

  @Test
  void refusesABodyThatIsNotOfItsType() {
    assertThat(api.put("/views/by-org", "name: by-org").status()).isEqualTo(400);
    Api.Answer form =
        api.put("/views/by-org", BY_ORG, "Content-Type", "application/x-www-form-urlencoded");
    assertThat(form.status()).isEqualTo(415);
    assertThat(form.body().path("detail").asText())
        .contains("Content-Type: application/json", "application/yaml");
  }

  @Test
  void takesABodyWithoutATypeForJson() {
    assertThat(api.send("PUT", "/views/by-org", BY_ORG).status()).isEqualTo(201);
    assertThat(api.send("PUT", "/views/by-org", "name: by-org").status()).isEqualTo(400);
    assertThat(api.send("PUT", "/views/by-org", null).status()).isEqualTo(400);
  }

  @Test
  void tellsStateAndProgressOfAView() {
    create();
    server.views().state("by-org", ViewState.State.BUILDING, "the build runs");
    Api.Answer building = api.get("/views/by-org");

    assertThat(building.body().path("state").asText()).isEqualTo("BUILDING");
    assertThat(building.body().path("reason").asText()).isEqualTo("the build runs");
    assertThat(building.body().at("/progress/done").asLong()).isEqualTo(150);
    assertThat(building.body().at("/progress/estimated").asLong()).isEqualTo(200);
    assertThat(building.body().at("/progress/partitions")).hasSize(2);
    assertThat(building.body().has("lagMs")).isFalse();
    assertThat(building.body().has("rows")).isFalse();
  }

  @Test
  void tellsWhatAReadyViewHoldsAndHowFreshItIs() {
    create();
    server.views().state("by-org", ViewState.State.READY, "");
    Api.Answer ready = api.get("/views/by-org");

    assertThat(ready.body().path("ready").asBoolean()).isTrue();
    assertThat(ready.body().path("rows").asLong()).isEqualTo(42);
    assertThat(ready.body().path("keyBytes").asLong()).isEqualTo(4_200);
    assertThat(ready.body().path("lagMs").asLong()).isEqualTo(250);
    assertThat(ready.body().path("servingGeneration").asInt()).isEqualTo(1);
    assertThat(ready.body().at("/generations/0/definition/key/0").asText()).isEqualTo("org");
  }

  @Test
  void saysByWhichUidTheMetadataIsTheViewsOwn() {
    create();
    assertThat(api.get("/views/by-org").body().has("uid")).as("not taken in yet").isFalse();

    server.views().state("by-org", ViewState.State.BUILDING, "the build runs");
    assertThat(api.get("/views/by-org").body().path("uid").asText()).isEqualTo("uid-1");
  }

  @Test
  void saysWhetherReadersSeeThatAViewIsReady() {
    create();
    server.views().state("by-org", ViewState.State.BUILDING, "the build runs");
    assertThat(api.get("/views/by-org").body().has("shown")).isFalse();

    server.views().state("by-org", ViewState.State.READY, "");
    assertThat(api.get("/views/by-org").body().path("shown").asBoolean()).isTrue();
    assertThat(api.get("/views/by-org").body().has("notShown")).isFalse();

    server.views().show(Visibility.pending("the sink has not written it"));
    JsonNode pending = api.get("/views/by-org").body();
    assertThat(pending.path("ready").asBoolean()).isTrue();
    assertThat(pending.path("shown").asBoolean(true)).isFalse();
    assertThat(pending.path("notShown").asText()).isEqualTo("the sink has not written it");

    server.views().show(Visibility.unknown("no access"));
    JsonNode unknown = api.get("/views/by-org").body();
    assertThat(unknown.has("shown")).isFalse();
    assertThat(unknown.path("notShown").asText()).isEqualTo("no access");
  }

  @Test
  void saysWhichViewsThereAreWhenOneIsNot() {
    create();
    Api.Answer missing = api.get("/views/by-oorg");

    assertThat(missing.status()).isEqualTo(404);
    assertThat(missing.problem()).isEqualTo("view-not-found");
    assertThat(missing.body().path("detail").asText()).contains("by-org");
  }

  @Test
  void dropsAView() {
    String tag = create();

    assertThat(api.delete("/views/by-org", "If-Match", "\"1\"").status()).isEqualTo(412);
    assertThat(api.delete("/views/by-org", "If-Match", tag).status()).isEqualTo(202);
    assertThat(api.delete("/views/by-org").status()).isEqualTo(404);
  }

  /** Also with a condition, which no version of it could meet. */
  @Test
  void saysOfAChangeOfAViewThatThereIsNone() {
    String tag = create();
    assertThat(api.delete("/views/by-org").status()).isEqualTo(202);

    for (String view : List.of("/views/by-org", "/views/by-name")) {
      assertThat(api.delete(view, "If-Match", tag).problem()).isEqualTo("view-not-found");
      assertThat(api.post(view + "/rebuild", null, "If-Match", tag).status()).isEqualTo(404);
      assertThat(api.post(view + "/rollback", null, "If-Match", tag).status()).isEqualTo(404);
    }
    assertThat(api.put("/views/by-name", BY_NAME, "If-Match", tag).status()).isEqualTo(412);
  }

  /** A request that nobody can read is refused for that, whatever there is. */
  @Test
  void saysOfAConditionThatItCannotBeReadBeforeItLooksForTheView() {
    for (String header : List.of("If-Match", "If-None-Match")) {
      assertThat(api.delete("/views/by-org", header, "1").status()).isEqualTo(400);
      assertThat(api.post("/views/by-org/rollback", null, header, "1").status()).isEqualTo(400);
    }
  }

  /** As one of a newer release. */
  @Test
  void saysOfAViewThatItsDefinitionCannotBeReadAndDropsIt() {
    String tag = create();
    server.views().unreadable("by-org");

    Api.Answer shown = api.get("/views/by-org");
    assertThat(shown.status()).isEqualTo(200);
    assertThat(shown.body().path("state").asText()).isEqualTo("BUILDING");
    Api.Answer refused = api.post("/views/by-org/rebuild", null);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.problem()).isEqualTo("unreadable-definition");
    assertThat(refused.body().path("detail").asText())
        .contains("by-org", "view-definitions-0@7", "upgrade this server", "apply the definition")
        .contains(shown.body().path("reason").asText());
    assertThat(api.post("/views/by-org/rollback", null).status()).isEqualTo(409);

    assertThat(api.delete("/views/by-org", "If-Match", tag).problem())
        .as("nobody knows its version")
        .isEqualTo("unreadable-definition");
    assertThat(api.delete("/views/by-org").status()).isEqualTo(202);
    assertThat(api.get("/views/by-org").status()).isEqualTo(404);
  }

  @Test
  void callsAViewWhoseDefinitionCannotBeReadNotNew() {
    create();
    server.views().unreadable("by-org");

    Api.Answer replaced = api.put("/views/by-org", BY_ORG);
    assertThat(replaced.status()).isEqualTo(200);
    assertThat(replaced.body().path("created").asBoolean()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"state", "changelog", "snapshot", "replay"})
  void rebuilds(String from) {
    create();
    Api.Answer rebuilt = api.post("/views/by-org/rebuild", "{\"from\": \"%s\"}".formatted(from));

    assertThat(rebuilt.status()).isEqualTo(202);
    assertThat(rebuilt.body().path("from").asText()).isEqualTo(from);
    assertThat(rebuilt.body().path("build").asLong()).isEqualTo(1);
  }

  @Test
  void rebuildsFromStateByDefault() {
    create();

    assertThat(api.post("/views/by-org/rebuild", null).body().path("from").asText())
        .isEqualTo("state");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"from\": \"moon\"}", "{\"form\": \"state\"}", "{\"from\": 1}"})
  void refusesARebuildThatItDoesNotUnderstand(String body) {
    create();
    Api.Answer refused = api.post("/views/by-org/rebuild", body);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body().at("/problems/0/field").asText()).matches("fr?o?r?m");
    assertThat(refused.body().at("/problems/0/message").asText()).contains("use ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{", "[]", "{} {}", "{\"from\": \"state\", \"from\": \"replay\"}"})
  void refusesABodyThatIsNoJsonObject(String body) {
    create();

    assertThat(api.post("/views/by-org/rebuild", body).status()).isEqualTo(400);
  }

  @Test
  void rollsBackWhileThereIsSomethingToRollBackTo() {
    create();
    Api.Answer nothing = api.post("/views/by-org/rollback", null);
    api.post("/views/by-org/rebuild", null);
    Api.Answer back = api.post("/views/by-org/rollback", null);

    assertThat(nothing.status()).isEqualTo(409);
    assertThat(nothing.problem()).isEqualTo("no-standby");
    assertThat(back.status()).isEqualTo(202);
    assertThat(back.body().path("build").asLong()).isZero();
  }
}
