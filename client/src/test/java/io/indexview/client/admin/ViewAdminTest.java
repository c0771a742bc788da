package io.indexview.client.admin;

import static io.indexview.client.admin.ControlPlane.NOW;
import static io.indexview.client.admin.ControlPlane.standing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.indexview.client.admin.ViewAdmin.NoStandbyException;
import io.indexview.client.admin.ViewChange.Effect;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.SpecLog;
import io.indexview.schemas.control.SpecLog.VersionConflict;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.definition.InvalidViewException;
import io.indexview.views.definition.Problem;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.junit.jupiter.api.Test;

class ViewAdminTest extends ViewAdminScenario {
  @Test
  void followsANewViewUntilItServes() {
    ViewChange change = admin.apply("view.yaml", BY_ORG, ANY);

    assertThat(change.effect()).isEqualTo(Effect.BUILD);
    assertThat(change.before()).isEmpty();
    ViewStatus wanted = admin.get("by-org");
    assertThat(wanted.phase()).isEqualTo(State.BUILDING);
    assertThat(wanted.ready()).isFalse();
    assertThat(wanted.reason())
        .startsWith("waiting for the streams app to take in the definition;");

    assertThatThrownBy(() -> admin.serving("by-org"))
        .isInstanceOf(NotVerifiableException.class)
        .hasMessage("view \"by-org\" is BUILDING: no generation serves");

    ViewSpec spec = change.after().orElseThrow();
    plane.generation(spec, 1);
    plane.state("by-org", State.BUILDING, spec.version(), standing(1, Role.BUILDING));
    assertThat(admin.get("by-org").ready()).isFalse();
    assertThat(admin.get("by-org").rows()).isEmpty();

    plane.state("by-org", State.READY, spec.version(), standing(1, Role.SERVING));
    ViewStatus served = admin.list().get(0);
    assertThat(served.ready()).isTrue();
    assertThat(served.reason()).isEmpty();
    assertThat(served.rows()).hasValue(10);
    assertThat(served.keyBytes()).hasValue(200);
  }

  /** It may be without lease, or have an older definition of the name to take away. */
  @Test
  void saysWhetherTheAppRunsThatSaysNothingOfASpec() {
    apply(BY_ORG);
    assertThat(admin.get("by-org").reason())
        .contains("nobody is in consumer group app; start it, or its /health/ready says");
    assertThat(admin.list().get(0).reason()).isEqualTo(admin.get("by-org").reason());

    plane.withRecordSet("orders", "other", Set.of());
    plane.occupied.add("other");
    assertThat(admin.get("by-org").reason()).contains("nobody is in consumer group app;");

    plane.occupied.add("app");
    assertThat(admin.get("by-org").reason())
        .contains("it is running", "/health/ready")
        .doesNotContain("?");
    assertThat(admin.list().get(0).reason()).isEqualTo(admin.get("by-org").reason());

    plane.groupsHidden = new GroupAuthorizationException("app");
    assertThat(admin.get("by-org").reason()).contains("is it running?");
  }

  @Test
  void tellsEverythingThatIsWrongAtOnce() {
    apply(BY_ORG);
    String wrong =
        """
        name: By Org
        source: people
        key: [orq, cost, cost]
        nulls: maybe
        target: kv
        """;

    InvalidViewException refused =
        catchThrowableOfType(
            InvalidViewException.class, () -> admin.apply("view.yaml", wrong, ANY));
    assertThat(refused.problems())
        .extracting(Problem::field)
        .contains("name", "key[0]", "key[2]", "nulls");
    assertThat(admin.list()).hasSize(1);
  }

  @Test
  void refusesRowsThatTheSinkOfTheirTargetCannotFence() {
    plane.withPeople(Set.of("kv"));

    assertThatThrownBy(() -> admin.diff("view.yaml", BY_ORG))
        .isInstanceOf(InvalidViewException.class)
        .hasMessageContaining("layout \"key-only\": holds no revision")
        .hasMessageContaining("target.kv.sink.mode");
    assertThat(apply(BY_ORG + "layout: key-value\n").view()).isEqualTo("by-org");
  }

  @Test
  void namesTheRecordSetsForAnUnknownOne() {
    String unknown = BY_ORG.replace("source: people", "source: persons-of-interest");

    assertThatThrownBy(() -> admin.diff("view.yaml", unknown))
        .isInstanceOf(InvalidViewException.class)
        .hasMessageContaining("use one of people");
    assertThat(admin.recordSets()).singleElement().matches(set -> set.name().equals("people"));
  }

  @Test
  void refusesATableThatAnotherViewWrites() {
    String first = BY_ORG.replace("target: kv", "target: dynamodb\ntable: shared-table");
    apply(first);

    String second = first.replace("name: by-org", "name: other");
    assertThatThrownBy(() -> apply(second))
        .isInstanceOf(InvalidViewException.class)
        .hasMessageContaining("view \"by-org\"");
    assertThatThrownBy(() -> apply(second.replace("shared-table", "test-views")))
        .hasMessageContaining("metadata");
    assertThat(apply(second.replace("shared-table", "own-table")).view()).isEqualTo("other");
  }

  @Test
  void refusesATableWhoseRowsAreNotGoneYet() {
    String first = BY_ORG.replace("target: kv", "target: dynamodb\ntable: shared-table");
    applyAndServe(first, 1);
    admin.drop("by-org", ANY);
    String second = first.replace("name: by-org", "name: other");

    assertThatThrownBy(() -> apply(second)).hasMessageContaining("generation 1 of view \"by-org\"");

    plane.generationGone("by-org", 1);
    assertThat(apply(second).view()).isEqualTo("other");
  }

  @Test
  void refusesAHashedNameThatAnotherViewHas() {
    String hashed = BY_ORG + "naming: hash\n";
    apply(hashed);

    assertThatThrownBy(() -> apply(hashed.replace("name: by-org", "name: other")))
        .isInstanceOf(InvalidViewException.class)
        .hasMessageContaining("view \"by-org\"");
  }

  @Test
  void changesOnlyTheVersionThatItWasMeantFor() {
    ViewSpec first =
        admin.apply("v", BY_ORG, OptionalLong.of(SpecLog.ABSENT)).after().orElseThrow();

    OptionalLong stale = OptionalLong.of(first.version() - 1);
    assertThatThrownBy(() -> admin.apply("v", BY_ORG_AND_NAME, stale))
        .isInstanceOf(VersionConflict.class);
    assertThatThrownBy(() -> admin.drop("by-org", stale)).isInstanceOf(VersionConflict.class);
    assertThatThrownBy(() -> admin.rebuild("by-org", BuildMode.STATE, stale))
        .isInstanceOf(VersionConflict.class);
    OptionalLong right = OptionalLong.of(first.version());
    assertThat(admin.apply("v", BY_ORG_AND_NAME, right).after().orElseThrow().version())
        .isEqualTo(first.version() + 1);
  }

  @Test
  void tellsWhatADefinitionChangesAndCosts() {
    applyAndServe(BY_ORG, 1);

    ViewChange same = admin.diff("view.yaml", BY_ORG);
    assertThat(same.effect()).isEqualTo(Effect.NONE);
    assertThat(same.fields()).isEmpty();

    ViewChange other = admin.diff("view.yaml", BY_ORG_AND_NAME);
    assertThat(other.effect()).isEqualTo(Effect.BUILD);
    assertThat(other.cost()).contains("the old one serves");
    assertThat(other.fields())
        .containsExactly(new ViewChange.Field("key", "[\"org\"]", "[\"org\",\"name\"]"));
    assertThat(other.after()).isEmpty();
    assertThat(admin.get("by-org").spec().orElseThrow().version()).isEqualTo(NOW);
  }

  @Test
  void triesARefusedDefinitionAgain() {
    ViewSpec first = admin.apply("view.yaml", BY_ORG, ANY).after().orElseThrow();
    plane.refused(first);

    ViewChange change = admin.apply("view.yaml", BY_ORG, ANY);

    assertThat(change.effect()).isEqualTo(Effect.RETRY);
    assertThat(change.cost())
        .isEqualTo(
            "it was refused, and is tried again: a new generation is built from all records");
    ViewSpec second = change.after().orElseThrow();
    assertThat(second.version()).isEqualTo(first.version() + 1);
    assertThat(second.definition()).isEqualTo(first.definition());
    assertThat(second.build()).isEqualTo(first.build());
    assertThat(admin.apply("view.yaml", BY_ORG, ANY).effect())
        .as("nobody has looked at it yet")
        .isEqualTo(Effect.NONE);
  }

  @Test
  void changesHowOftenAViewIsVerifiedWithoutABuild() {
    ViewSpec first = applyAndServe(BY_ORG, 1);
    String daily = BY_ORG + "\nverification: {interval: 24h}\n";

    ViewChange change = admin.apply("view.yaml", daily, ANY);
    assertThat(change.effect()).isEqualTo(Effect.UPDATE);
    assertThat(change.fields())
        .containsExactly(new ViewChange.Field("verification", "", "{\"interval\":\"1d\"}"));
    ViewSpec second = change.after().orElseThrow();
    assertThat(second.version()).isEqualTo(first.version() + 1);
    assertThat(second.definition()).isEqualTo(first.definition());
    assertThat(second.build()).isEqualTo(first.build());
    assertThat(second.verificationInterval()).contains(Duration.ofDays(1));
    assertThat(admin.diff("view.yaml", daily).effect()).isEqualTo(Effect.NONE);

    assertThat(admin.rebuild("by-org", BuildMode.STATE, ANY).verificationInterval())
        .contains(Duration.ofDays(1));
    assertThat(admin.rollback("by-org", ANY).verificationInterval()).contains(Duration.ofDays(1));
    assertThat(admin.apply("view.yaml", BY_ORG, ANY).after().orElseThrow().verificationInterval())
        .isEmpty();
  }

  @Test
  void saysThatABuildInPlaceCannotBeReadMeanwhile() {
    String inPlace = BY_ORG.replace("target: kv", "target: dynamodb\nswap: in-place");
    assertThat(admin.diff("v", inPlace).effect()).isEqualTo(Effect.BUILD);
    applyAndServe(inPlace, 1);

    assertThat(admin.diff("v", inPlace.replace("[org]", "[org, name]")).effect())
        .isEqualTo(Effect.BUILD_UNSERVED);
  }

  @Test
  void saysThatABuildInPlaceCannotBeReadMeanwhileAlsoWhereItIsTriedAgain() {
    String inPlace = BY_ORG.replace("target: kv", "target: dynamodb\nswap: in-place");
    applyAndServe(inPlace, 1);
    String changed = inPlace.replace("[org]", "[org, name]");
    plane.refused(apply(changed), standing(1, Role.SERVING));

    ViewChange change = admin.diff("v", changed);
    assertThat(change.effect()).isEqualTo(Effect.RETRY);
    assertThat(change.cost()).contains("tried again", "cannot be read until then");
  }

  @Test
  void takesAGenerationThatStandsByInsteadOfBuildingItAgain() {
    applyAndServe(BY_ORG, 1);
    ViewSpec second = apply(BY_ORG_AND_NAME);
    plane.generation(second, 2);
    plane.state(
        "by-org",
        State.READY,
        second.version(),
        standing(1, Role.STANDBY),
        standing(2, Role.SERVING));

    ViewChange back = admin.diff("v", BY_ORG);
    assertThat(back.effect()).isEqualTo(Effect.SWITCH);
    assertThat(back.cost()).contains("generation 1");

    plane.state(
        "by-org",
        State.READY,
        second.version(),
        standing(1, Role.RETIRING),
        standing(2, Role.SERVING));
    assertThat(admin.diff("v", BY_ORG).effect()).isEqualTo(Effect.BUILD);
  }

  @Test
  void rebuildsUnderANumberThatNoGenerationHas() {
    applyAndServe(BY_ORG, 1);
    ViewSpec second = admin.rebuild("by-org", BuildMode.CHANGELOG, ANY);
    assertThat(second.build().number()).isOne();
    assertThat(second.build().mode()).isEqualTo(BuildMode.CHANGELOG);
    plane.generation(second, 2);
    plane.state(
        "by-org",
        State.READY,
        second.version(),
        standing(1, Role.STANDBY),
        standing(2, Role.SERVING));

    ViewSpec back = admin.rollback("by-org", ANY);
    assertThat(back.build().number()).isZero();

    // Number 1 stands by now: it would be switched to, not built.
    assertThat(admin.rebuild("by-org", BuildMode.STATE, ANY).build().number()).isEqualTo(2);
  }

  @Test
  void rollsBackToTheGenerationThatStandsBy() {
    ViewSpec first = applyAndServe(BY_ORG, 1);
    ViewSpec second = apply(BY_ORG_AND_NAME);
    plane.generation(second, 2);
    plane.state(
        "by-org",
        State.READY,
        second.version(),
        standing(1, Role.STANDBY),
        standing(2, Role.SERVING));

    ViewSpec back = admin.rollback("by-org", ANY);

    assertThat(back.definition()).isEqualTo(first.definition());
    assertThat(back.build()).isEqualTo(first.build());
    assertThat(back.version()).isEqualTo(second.version() + 1);
  }

  @Test
  void rollsBackToWhatServesWhileAnotherIsBuilt() {
    ViewSpec first = applyAndServe(BY_ORG, 1);
    ViewSpec second = apply(BY_ORG_AND_NAME);
    plane.generation(second, 2);
    plane.state(
        "by-org",
        State.READY,
        second.version(),
        standing(1, Role.SERVING),
        standing(2, Role.BUILDING));

    assertThat(admin.rollback("by-org", ANY).definition()).isEqualTo(first.definition());
  }

  @Test
  void refusesARollbackThatLeadsNowhere() {
    assertThatThrownBy(() -> admin.rollback("by-org", ANY))
        .isInstanceOf(ViewNotFoundException.class);
    ViewSpec first = applyAndServe(BY_ORG, 1);
    assertThatThrownBy(() -> admin.rollback("by-org", ANY)).isInstanceOf(NoStandbyException.class);
    plane.generation(ControlPlane.spec("by-org", first.definition(), 9), 2);
    plane.state(
        "by-org",
        State.READY,
        first.version(),
        standing(1, Role.SERVING),
        standing(2, Role.RETIRING));
    assertThatThrownBy(() -> admin.rollback("by-org", ANY)).isInstanceOf(NoStandbyException.class);
  }

  @Test
  void showsADroppedViewUntilItsRowsAreGone() {
    ViewSpec spec = applyAndServe(BY_ORG, 1);
    admin.drop("by-org", OptionalLong.of(spec.version()));

    assertThat(admin.get("by-org").phase()).isEqualTo(State.DELETING);
    assertThatThrownBy(() -> admin.drop("by-org", ANY)).isInstanceOf(ViewNotFoundException.class);
    ViewSpec again = apply(BY_ORG);
    assertThat(again.version()).isGreaterThanOrEqualTo(NOW);
    admin.drop("by-org", ANY);

    plane.stateGone("by-org");
    assertThatThrownBy(() -> admin.get("by-org"))
        .isInstanceOf(ViewNotFoundException.class)
        .hasMessageContaining("there are none yet");
  }

  @Test
  void namesTheViewsForAnUnknownOne() {
    apply(BY_ORG);
    assertThatThrownBy(() -> admin.drop("by-orq", ANY))
        .isInstanceOf(ViewNotFoundException.class)
        .hasMessageContaining("by-org");
  }

  @Test
  void knowsGenerationsOfWhichNoStateTells() {
    ViewGeneration frozen =
        ViewGeneration.freeze(
            new ViewDefinitionParser().parse("view.yaml", BY_ORG),
            3,
            new RecordSet(
                "people",
                ControlPlane.CHANGES,
                RecordFormat.ENVELOPE,
                List.of(),
                SchemaBuilder.record("Person").fields().requiredString("org").endRecord()),
            plane.topics);
    plane.generation(frozen);
    plane.unreadable("by-org", 0);
    assertThat(admin.known().generations()).containsExactly(frozen);
    assertThat(admin.known().names()).containsExactly("by-org");
    assertThat(admin.known().uids()).containsEntry("by-org", "uid-1");

    plane.unreadableState("of-a-newer-app");
    assertThatThrownBy(admin::known)
        .isInstanceOf(NotVerifiableException.class)
        .hasMessageContaining("of-a-newer-app");
  }
}
