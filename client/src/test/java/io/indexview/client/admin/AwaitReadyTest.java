package io.indexview.client.admin;

import static io.indexview.client.admin.ControlPlane.standing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.client.admin.ViewAdmin.NotReadyException;
import io.indexview.client.admin.ViewAdmin.SupersededException;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** Waiting until a view serves what is wanted of it, for its readers too. */
class AwaitReadyTest extends ViewAdminScenario {
  private Visibility visibility = Visibility.SHOWN;

  @Override
  ViewAdmin admin(ControlPlane controlled) {
    return controlled.admin(state -> visibility);
  }

  @Test
  void waitsUntilWhatIsWantedServes() {
    applyAndServe(BY_ORG, 1);
    ViewSpec second = apply(BY_ORG_AND_NAME);
    plane.state("by-org", State.READY, second.version(), standing(1, Role.SERVING));
    List<ViewStatus> seen = new ArrayList<>();

    ViewStatus ready =
        admin.awaitReady(
            "by-org",
            OptionalLong.of(second.version()),
            Duration.ofMinutes(1),
            status -> {
              seen.add(status);
              plane.generation(second, 2);
              plane.state(
                  "by-org",
                  State.READY,
                  second.version(),
                  standing(1, Role.STANDBY),
                  standing(2, Role.SERVING));
            });

    assertThat(seen).hasSizeGreaterThanOrEqualTo(2);
    assertThat(seen.get(0).ready()).isFalse();
    assertThat(ready.ready()).isTrue();
  }

  /** The sink writes what readers see after the state says READY. */
  @Test
  void waitsUntilReadersSeeIt() {
    applyAndServe(BY_ORG, 1);
    visibility = Visibility.pending("the sink has not written it");
    List<ViewStatus> seen = new ArrayList<>();

    ViewStatus ready =
        admin.awaitReady(
            "by-org",
            ANY,
            Duration.ofMinutes(1),
            status -> {
              seen.add(status);
              visibility = Visibility.SHOWN;
            });

    assertThat(seen).hasSize(2);
    assertThat(seen.get(0).ready()).isTrue();
    assertThat(seen.get(0).readable()).isFalse();
    assertThat(ready.readable()).isTrue();
    assertThat(admin.get("by-org").visibility()).contains(Visibility.SHOWN);
  }

  @Test
  void saysThatReadersDoNotSeeIt() {
    applyAndServe(BY_ORG, 1);
    visibility = Visibility.pending("the sink has not written it");

    assertThatThrownBy(() -> admin.awaitReady("by-org", ANY, Duration.ZERO, status -> {}))
        .isInstanceOf(NotReadyException.class)
        .hasMessageContaining("READY and is not shown to readers")
        .hasMessageContaining("the sink has not written it");
  }

  @Test
  void goesByTheStateWhereNobodyCanLookAtTheTarget() {
    applyAndServe(BY_ORG, 1);
    visibility = Visibility.unknown("no access");

    ViewStatus ready = admin.awaitReady("by-org", ANY, Duration.ZERO, status -> {});

    assertThat(ready.visibility()).contains(visibility);
    assertThat(TargetStates.NONE.visibility(ready.state().orElseThrow()).reason())
        .contains("target kv is not configured here");
  }

  @Test
  void asksNoTargetOfAViewThatIsNotReady() {
    apply(BY_ORG);

    assertThat(admin.get("by-org").visibility()).isEmpty();
    assertThat(admin.list().get(0).visibility()).isEmpty();
  }

  @Test
  void looksAgainWhenTheClusterDoesNotAnswer() {
    applyAndServe(BY_ORG, 1);
    plane.failNextScan(new TimeoutException("a leader moves"));

    assertThat(admin.awaitReady("by-org", ANY, Duration.ofMinutes(1), status -> {}).ready())
        .isTrue();
  }

  @Test
  void tellsTheClustersFailureWhenTheTimeIsOver() {
    applyAndServe(BY_ORG, 1);
    plane.failNextScan(new TimeoutException("a leader moves"));
    assertThatThrownBy(() -> admin.awaitReady("by-org", ANY, Duration.ZERO, status -> {}))
        .isInstanceOf(TimeoutException.class);

    plane.failNextScan(new TopicAuthorizationException("not for you"));
    assertThatThrownBy(() -> admin.awaitReady("by-org", ANY, Duration.ofMinutes(1), status -> {}))
        .isInstanceOf(TopicAuthorizationException.class);
  }

  @Test
  void givesUpWaitingAndSaysWhy() {
    apply(BY_ORG);
    assertThatThrownBy(() -> admin.awaitReady("by-org", ANY, Duration.ZERO, status -> {}))
        .isInstanceOf(NotReadyException.class)
        .hasMessageContaining("BUILDING")
        .hasMessageContaining("nobody is in consumer group app");
    assertThatThrownBy(
            () ->
                admin.awaitReady(
                    "by-org", ANY, Duration.ofMinutes(1), status -> admin.drop("by-org", ANY)))
        .isInstanceOf(ViewNotFoundException.class);
  }

  /** READY with something else is not what the change asked for. */
  @Test
  void waitsForTheVersionThatAChangeReturned() {
    ViewSpec first = applyAndServe(BY_ORG, 1);
    OptionalLong next = OptionalLong.of(first.version() + 1);

    assertThatThrownBy(() -> admin.awaitReady("by-org", next, Duration.ZERO, status -> {}))
        .isInstanceOf(NotReadyException.class);
    assertThat(admin.awaitReady("by-org", ANY, Duration.ZERO, status -> {}).ready()).isTrue();
  }

  @Test
  void doesNotTakeALaterChangeForTheOneItWaitsFor() {
    ViewSpec first = applyAndServe(BY_ORG, 1);
    ViewSpec second = apply(BY_ORG_AND_NAME);
    plane.generation(second, 2);
    plane.state("by-org", State.READY, second.version(), standing(2, Role.SERVING));

    assertThatThrownBy(
            () ->
                admin.awaitReady(
                    "by-org",
                    OptionalLong.of(first.version()),
                    Duration.ofMinutes(1),
                    status -> {}))
        .isInstanceOf(SupersededException.class)
        .hasMessageContaining("version " + second.version() + " is wanted now");
  }
}
