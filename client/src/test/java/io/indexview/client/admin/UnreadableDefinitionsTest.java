package io.indexview.client.admin;

import static io.indexview.client.admin.ControlPlane.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.admin.ViewChange.Effect;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.SpecLog;
import io.indexview.schemas.control.SpecLog.UnreadableSpec;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState.State;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Definitions that the app, or this process, cannot read: those of another release. */
class UnreadableDefinitionsTest extends ViewAdminScenario {
  @Test
  void triesADefinitionAgainThatCouldNotBeRead() {
    ViewSpec first = admin.apply("view.yaml", BY_ORG, ANY).after().orElseThrow();
    ViewSpec second = admin.apply("view.yaml", BY_ORG_AND_NAME, ANY).after().orElseThrow();
    plane.unreadableAfter(first);

    ViewChange change = admin.apply("view.yaml", BY_ORG_AND_NAME, ANY);

    assertThat(change.effect()).isEqualTo(Effect.RETRY);
    assertThat(change.after().orElseThrow().version()).isEqualTo(second.version() + 1);
  }

  @Test
  void saysOfANewViewThatItsDefinitionCannotBeRead() {
    apply(BY_ORG);
    plane.unreadable("by-org", 0);

    assertThat(admin.list())
        .singleElement()
        .satisfies(
            status -> {
              assertThat(status.phase()).isEqualTo(State.DEGRADED);
              assertThat(status.reason()).contains("cannot be read: no such id");
              assertThat(admin.get(status.view()).reason()).isEqualTo(status.reason());
            });
    assertThat(admin.apply("view.yaml", BY_ORG, ANY).effect()).isEqualTo(Effect.RETRY);
  }

  /** The newest one may be right, and nobody there to read it. */
  @Test
  void saysWhetherTheAppRunsThatCouldNotReadAnEarlierDefinition() {
    apply(BY_ORG);
    plane.unreadable("by-org", 0);
    apply(BY_ORG);

    assertThat(admin.get("by-org").reason())
        .contains("cannot be read: no such id", "nobody is in consumer group app");
  }

  @Test
  void showsAViewThatIsDroppedAsSuchWhoseDefinitionTheAppCannotRead() {
    plane.unreadableAfter(apply(BY_ORG));
    admin.drop("by-org", ANY);

    assertThat(admin.get("by-org").phase()).isEqualTo(State.DELETING);
  }

  @Test
  void showsWhatTheAppSaysOfADefinitionThatCannotBeReadHere() {
    plane.unreadableSpec("of-a-newer-server");
    plane.unreadable("of-a-newer-server", 0);
    assertThat(admin.get("of-a-newer-server").phase()).isEqualTo(State.DEGRADED);

    plane.state("of-a-newer-server", State.READY, 1);
    assertThat(admin.get("of-a-newer-server").phase()).isEqualTo(State.READY);
    assertThat(admin.get("of-a-newer-server").reason()).contains("cannot be read here");
    assertThatThrownBy(
            () ->
                admin.awaitReady(
                    "of-a-newer-server", OptionalLong.empty(), Duration.ZERO, status -> {}))
        .isInstanceOf(ViewAdmin.NotReadyException.class)
        .hasMessageContaining("cannot be read here");
  }

  @Test
  void refusesWhatNeedsADefinitionThatCannotBeReadHere() {
    plane.unreadableSpec("by-org");

    assertThat(admin.get("by-org").phase()).isEqualTo(State.BUILDING);
    assertThat(admin.list()).extracting(ViewStatus::view).containsExactly("by-org");
    String why = admin.get("by-org").reason();
    assertThat(why)
        .contains(
            "record test.view-definitions-0@0", "upgrade this server", "apply the definition");
    assertThatThrownBy(() -> admin.rebuild("by-org", BuildMode.STATE, ANY))
        .isInstanceOf(UnreadableSpec.class)
        .hasMessage("View \"by-org\": " + why);
    assertThatThrownBy(() -> admin.rollback("by-org", ANY)).isInstanceOf(UnreadableSpec.class);

    assertThatThrownBy(() -> admin.serving("by-org"))
        .isInstanceOf(NotVerifiableException.class)
        .hasMessageContaining("upgrade this server");
    OptionalLong absent = OptionalLong.of(SpecLog.ABSENT);
    assertThatThrownBy(() -> admin.apply("v", BY_ORG, absent)).isInstanceOf(UnreadableSpec.class);
    ViewChange change = admin.apply("view.yaml", BY_ORG, ANY);
    assertThat(change.isNew()).isFalse();
    assertThat(change.cost())
        .contains(
            "replaces a definition that cannot be read here (record test.view-definitions-0@0");
    assertThat(admin.get("by-org").spec()).isPresent();
    assertThat(admin.diff("view.yaml", BY_ORG).unreadable()).isEmpty();
  }

  @Test
  void dropsAViewWhoseDefinitionCannotBeReadHere() {
    applyAndServe(BY_ORG, 1);
    plane.unreadableSpec("by-org");

    OptionalLong one = OptionalLong.of(NOW);
    assertThatThrownBy(() -> admin.drop("by-org", one)).isInstanceOf(UnreadableSpec.class);
    admin.drop("by-org", ANY);

    assertThat(admin.get("by-org").phase()).isEqualTo(State.DELETING);
    assertThatThrownBy(() -> admin.drop("by-org", ANY)).isInstanceOf(ViewNotFoundException.class);
  }
}
