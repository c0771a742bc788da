package io.indexview.streams.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.Freezing;
import io.indexview.views.definition.ViewDefinitionParser;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each kind of event is taken by a branch: without one the controller ends once it comes. */
class ControlEventKindsTest {
  private static final String VIEW = "by-org";
  private static final ViewSpec SPEC =
      new ViewSpec(
          VIEW,
          new ViewDefinitionParser().parse("by-org.yaml", People.BY_ORG).toJson(),
          7,
          BuildRequest.FIRST,
          1,
          Optional.empty());

  private final Reconciler reconciler =
      new Reconciler(
          new ControllerSettings(
              Duration.ofMinutes(10),
              new Topics(Topics.DEFAULT_PREFIX),
              Map.of("kv", "connect-kv")),
          List.of(),
          Map.of());
  private final Action.Freeze freeze;

  ControlEventKindsTest() {
    reconciler.apply(new ControlEvent.Desired(SPEC), 1);
    freeze = (Action.Freeze) reconciler.wanted().values().iterator().next();
    reconciler.apply(frozen(), 1);
  }

  private Finding.Frozen frozen() {
    return Freezing.frozen(freeze, People.RECORD_SET, 1);
  }

  /** The records of a sealed hierarchy. */
  private static Stream<Class<?>> records(Class<?> kind) {
    return kind.isSealed()
        ? Stream.of(kind.getPermittedSubclasses()).flatMap(ControlEventKindsTest::records)
        : Stream.of(kind);
  }

  static Stream<Class<?>> kinds() {
    return records(ControlEvent.class).distinct();
  }

  private List<ControlEvent> samples() {
    return List.of(
        new ControlEvent.Desired(SPEC),
        new ControlEvent.Dropped(VIEW),
        new ControlEvent.Unreadable(VIEW, "no JSON"),
        new ControlEvent.Reported(
            new TaskProgress("people", 0, VIEW, 1, Phase.BUILT, 9, 9, 9, 9, 0, "", 2)),
        new ControlEvent.Repaired(new RepairProgress(VIEW, 1, 0, "v1-a", 0, 2)),
        new ControlEvent.ReportOver("people|0|by-org|1"),
        new ControlEvent.Verified(new RowsVerified(VIEW, 1, "v1", 3, 2)),
        new ControlEvent.Continued(VIEW, 9, "uid"),
        new ControlEvent.RemovalLost(VIEW, 5),
        new ControlEvent.ViewPublicationsLost(VIEW),
        new ControlEvent.Ticked(VIEW),
        Finding.Done.of(freeze),
        Finding.Refused.of(freeze, "no topic"),
        frozen(),
        Finding.Waiting.of(freeze, "the registry"),
        new Finding.TopicFound(VIEW, 5, "topic"),
        new Finding.DeadLettersFollowed(VIEW, 1, "id"),
        new Finding.RowRejected(VIEW, 1, 0, 3, new Finding.RejectedRow("row", 0, 4, "too large")),
        new Finding.RowSuperseded(VIEW, 1, "row", 4),
        new Finding.ChangesMissed(VIEW, 1, "trimmed"),
        new Finding.SchemaChecked(VIEW, 1, ""),
        new Finding.FreshnessProven(VIEW, 1, 2, OptionalLong.of(1), ""),
        new Finding.PublicationsLost(),
        new Finding.RecordSetBroken("people", 2, "trimmed"),
        new Finding.Lost(new EventsLost("people", 2, "trimmed")),
        new Finding.RecordSetHindered("people", "it is set aside"),
        new Finding.RecordSetWhole("people", 2));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void takesEachKindOfEvent(Class<?> kind) {
    List<ControlEvent> ofKind = samples().stream().filter(kind::isInstance).toList();
    assertThat(ofKind).as("samples of %s", kind).hasSize(1);

    assertThatCode(
            () -> {
              reconciler.apply(ofKind.get(0), 2);
              reconciler.tick(2);
            })
        .doesNotThrowAnyException();
  }
}
