package io.indexview.connect.common.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.junit.jupiter.api.Test;

class MetadataWriterTest {
  private static final ViewGeneration KV = ViewStates.generation("v", "key: [org]\ntarget: kv", 1);
  private static final ViewGeneration DYNAMODB =
      ViewStates.generation("v", "key: [org]\ntarget: dynamodb\ntable: people", 2);

  private final InMemoryMetadata metadata = new InMemoryMetadata();
  private final ManualClock clock = new ManualClock();
  private final MetadataWriter writer = new MetadataWriter(metadata, "kv", clock);

  @Test
  void passesOverViewsOfOtherTargets() {
    apply(ViewStates.state("v", 1, State.READY, Map.of(DYNAMODB, Role.SERVING)));

    assertThat(metadata.locations).isEmpty();
  }

  @Test
  void putsAStateWithoutGenerationsWhereTheViewWasDescribed() {
    apply(ViewStates.state("v", 1, State.BUILDING, Map.of(KV, Role.BUILDING)));
    apply(ViewStates.state("v", 2, State.DELETING, Map.of()));
    apply(ViewStates.state("unknown", 3, State.BUILDING, Map.of()));

    assertThat(metadata.locations).containsOnlyKeys("v");
    assertThat(metadata.locations.get("v").version()).isEqualTo(2);
  }

  @Test
  void leavesWhereALateTaskPutAnEarlierStateOfTheViewThatSaysNoPlace() {
    metadata.locations.put("before", ViewMetadata.of(building(1)));
    metadata.locations.put("v", ViewMetadata.of(building(2)));

    apply(ViewStates.state("v", 3, State.DELETING, Map.of()));

    assertThat(metadata.locations).containsOnlyKeys("v");
    assertThat(metadata.locations.get("v").version()).isEqualTo(3);
  }

  @Test
  void leavesWhereAnotherTaskPutTheViewMeanwhile() {
    apply(building(1));
    writer.forget();
    metadata.locations.put("meanwhile", ViewMetadata.of(building(2)));

    apply(building(3));

    assertThat(metadata.locations).containsOnlyKeys("v");
  }

  private static ViewState building(long version) {
    return ViewStates.state("v", version, State.BUILDING, Map.of(KV, Role.BUILDING));
  }

  @Test
  void announcesAViewBeforeItSaysThatItServes() {
    List<State> seen = new ArrayList<>();
    metadata.before =
        () -> metadata.locations.values().stream().map(ViewMetadata::state).forEach(seen::add);

    apply(ViewStates.state("v", 1, State.READY, Map.of(KV, Role.SERVING)));

    assertThat(seen).startsWith(State.BUILDING).endsWith(State.READY);
  }

  private List<String> heldOffLater() {
    clock.pass(Duration.ofSeconds(20));
    return writer.heldOff();
  }

  @Test
  void saysWhatAnEarlierInstallationLeft() {
    metadata.floors.put("v", 9L);
    apply(ViewStates.state("v", 1, State.BUILDING, Map.of(KV, Role.BUILDING)));
    apply(ViewStates.state("v", 2, State.READY, Map.of(KV, Role.SERVING)));

    assertThat(writer.heldOff()).isEmpty();
    clock.setBack(Duration.ofDays(1));
    assertThat(heldOffLater())
        .singleElement()
        .asString()
        .contains("View v", "version 2", "the floor of v holds version 9", "earlier installation");
    assertThat(heldOffLater()).as("said once").isEmpty();
    assertThat(metadata.locations).isEmpty();
  }

  @Test
  void saysThatAnEarlierInstallationLeftAViewThatLives() {
    metadata.locations.put("v", ViewMetadata.of(building(9)));
    apply(ViewStates.state("v", 2, State.READY, Map.of(KV, Role.SERVING)));

    assertThat(writer.heldOff()).isEmpty();
    assertThat(heldOffLater()).singleElement().asString().contains("v holds version 9");
  }

  /** As when an installation that has the same uid, since its topics are a copy, goes on. */
  @Test
  void saysWhatHoldsItOffThoughTheVersionThereRisesAllTheTime() {
    for (long version = 9; version < 12; version++) {
      metadata.locations.put("v", ViewMetadata.of(building(version)));
      apply(building(2));
      assertThat(writer.heldOff()).isEmpty();
      clock.pass(Duration.ofSeconds(7));
    }

    assertThat(writer.heldOff()).singleElement().asString().contains("v holds version 11");
    metadata.locations.put("v", ViewMetadata.of(building(12)));
    apply(building(2));
    assertThat(heldOffLater()).as("said once").isEmpty();
  }

  /** As after the loss of a cluster: the rows of the former installation are beside these. */
  @Test
  void neverReplacesTheViewOfAnotherInstallation() {
    List<ViewState> others =
        List.of(
            ViewStates.state("v", 3, State.READY, Map.of(KV, Role.SERVING)),
            ViewStates.state("v", 3, State.DEGRADED, Map.of(KV, Role.SERVING)),
            ViewStates.state("v", 3, State.DELETING, Map.of(KV, Role.RETIRING)),
            ViewStates.state("v", 3, State.BUILDING, Map.of()),
            building(3));
    for (ViewState other : others) {
      ViewMetadata left = ofAnotherInstallation(other);
      for (long version : List.of(1L, 3L, 9L)) {
        metadata.locations.put("v", left);

        apply(building(version));
        apply(ViewStates.state("v", version + 1, State.READY, Map.of(KV, Role.SERVING)));
        apply(ViewStates.state("v", version + 2, State.DELETING, Map.of()));

        assertThat(metadata.locations).containsOnly(Map.entry("v", left));
      }
      writer.apply(ViewStateChange.gone("v", Optional.empty()));
      assertThat(metadata.locations).containsOnly(Map.entry("v", left));
    }
    assertThat(metadata.floors).isEmpty();
  }

  @Test
  void saysThatAnotherInstallationHasTheViewUntilThatIsRemoved() {
    metadata.locations.put("v", ofAnotherInstallation(building(3)));
    apply(building(8));

    assertThat(writer.heldOff()).isEmpty();
    assertThat(heldOffLater())
        .singleElement()
        .asString()
        .contains("View v", "version 8", "v describes", "another installation");

    metadata.locations.remove("v");
    apply(building(9));
    assertThat(metadata.locations.get("v")).isEqualTo(ViewMetadata.of(building(9)));
    assertThat(heldOffLater()).isEmpty();
  }

  /** A view that is dropped leaves its number. */
  @Test
  void saysWhatElseIsInTheWay() {
    metadata.locations.put("v", ofAnotherInstallation(building(3)));
    apply(building(8));
    writer.heldOff();
    assertThat(heldOffLater()).singleElement().asString().contains("another installation");
    metadata.locations.remove("v");
    metadata.floors.put("v", 57L);

    apply(building(9));

    assertThat(writer.heldOff()).isEmpty();
    assertThat(heldOffLater()).singleElement().asString().contains("holds version 57");
    assertThat(heldOffLater()).isEmpty();
  }

  /** Readers who know both places could not tell which of the two they want. */
  @Test
  void doesNotAppearBesideTheViewOfAnotherInstallationElsewhere() {
    ViewMetadata left = ofAnotherInstallation(building(1));
    metadata.locations.put("elsewhere", left);

    apply(building(3));
    apply(ViewStates.state("v", 4, State.READY, Map.of(KV, Role.SERVING)));

    assertThat(metadata.locations).containsOnly(Map.entry("elsewhere", left));
    assertThat(writer.heldOff()).isEmpty();
    assertThat(heldOffLater())
        .singleElement()
        .asString()
        .contains("View v", "version 4", "elsewhere describes", "another installation");

    metadata.locations.clear();
    apply(ViewStates.state("v", 5, State.READY, Map.of(KV, Role.SERVING)));
    assertThat(metadata.locations).containsOnlyKeys("v");
    assertThat(heldOffLater()).isEmpty();
  }

  /** What is there must not stay READY when the view is not. */
  @Test
  void keepsTheViewTrueWhenAnotherInstallationPutsOneElsewhere() {
    apply(building(2));
    ViewMetadata left = ofAnotherInstallation(building(1));
    metadata.locations.put("elsewhere", left);
    writer.forget();

    apply(building(3));
    apply(ViewStates.state("v", 4, State.DELETING, Map.of()));

    assertThat(metadata.locations)
        .containsEntry("elsewhere", left)
        .containsOnlyKeys("elsewhere", "v");
    assertThat(metadata.locations.get("v").version()).isEqualTo(4);
    assertThat(metadata.floors).isEmpty();
  }

  /** Else readers would find that one alone. */
  @Test
  void staysWhereItIsWhileTheNextPlaceIsOfAnotherInstallation() {
    ViewGeneration moved = ViewStates.generation("v", "key: [cost]\nnaming: hash\ntarget: kv", 2);
    ViewMetadata left = ofAnotherInstallation(building(1));
    apply(building(3));
    metadata.locations.put(moved.baseName(), left);

    apply(ViewStates.state("v", 4, State.READY, Map.of(moved, Role.SERVING)));

    assertThat(metadata.locations)
        .containsEntry(moved.baseName(), left)
        .containsEntry("v", ViewMetadata.of(building(3)));
    assertThat(metadata.floors).isEmpty();
  }

  private static ViewGeneration hashed(String view) {
    return ViewStates.generation(view, "key: [org]\nnaming: hash\ntarget: kv", 1);
  }

  /** The rows of both lie in one place. */
  @Test
  void neverReplacesAnotherViewThatHasTheSamePlace() {
    String place = hashed("w").baseName();
    for (ViewState other :
        List.of(
            ViewStates.state("w", 3, State.READY, Map.of(hashed("w"), Role.SERVING)),
            ViewStates.state("w", 3, State.DELETING, Map.of(hashed("w"), Role.RETIRING)))) {
      ViewMetadata there = ViewMetadata.of(other);
      metadata.locations.put(place, there);

      apply(ViewStates.state("v", 1, State.BUILDING, Map.of(hashed("v"), Role.BUILDING)));
      apply(ViewStates.state("v", 9, State.READY, Map.of(hashed("v"), Role.SERVING)));

      assertThat(metadata.locations).containsOnly(Map.entry(place, there));
    }
    assertThat(writer.heldOff()).isEmpty();
    assertThat(heldOffLater())
        .singleElement()
        .asString()
        .contains("View v", "version 9", place + " describes view w", "naming: plain");
  }

  /** As when a view is given another name: the former one is dropped first. */
  @Test
  void takesThePlaceOfAnotherViewThatIsOver() {
    apply(ViewStates.state("w", 3, State.READY, Map.of(hashed("w"), Role.SERVING)));
    apply(ViewStates.state("v", 1, State.BUILDING, Map.of(hashed("v"), Role.BUILDING)));
    apply(ViewStates.state("w", 4, State.DELETING, Map.of(hashed("w"), Role.RETIRING)));
    apply(ViewStates.state("w", 5, State.DELETING, Map.of()));

    apply(ViewStates.state("v", 2, State.READY, Map.of(hashed("v"), Role.SERVING)));
    apply(ViewStates.state("w", 3, State.READY, Map.of(hashed("w"), Role.SERVING)));
    writer.apply(ViewStateChange.gone("w", Optional.empty()));

    assertThat(metadata.locations.values()).extracting(ViewMetadata::view).containsExactly("v");
    assertThat(heldOffLater()).isEmpty();
  }

  private static ViewMetadata ofAnotherInstallation(ViewState state) {
    String json = ViewMetadata.of(state).toJson();
    return ViewMetadata.fromJson(json.replace(state.uid(), "uid-of-another"));
  }

  @Test
  void saysNothingWhileOldStatesAreReadAgain() {
    apply(ViewStates.state("v", 8, State.READY, Map.of(KV, Role.SERVING)));
    apply(ViewStates.state("v", 3, State.BUILDING, Map.of(KV, Role.BUILDING)));
    clock.pass(Duration.ofSeconds(20));
    assertThat(writer.heldOff()).as("the batch took long").isEmpty();
    apply(ViewStates.state("v", 8, State.READY, Map.of(KV, Role.SERVING)));
    assertThat(heldOffLater()).isEmpty();

    apply(ViewStates.state("v", 9, State.DELETING, Map.of()));
    writer.apply(ViewStateChange.gone("v", Optional.empty()));
    apply(ViewStates.state("v", 8, State.READY, Map.of(KV, Role.SERVING)));
    assertThat(writer.heldOff()).isEmpty();
    writer.apply(ViewStateChange.gone("v", Optional.empty()));
    assertThat(heldOffLater()).isEmpty();
  }

  @Test
  void dropsNoViewThatLivesForAnOldTombstone() {
    apply(ViewStates.state("v", 5, State.READY, Map.of(KV, Role.SERVING)));

    writer.apply(ViewStateChange.gone("v", Optional.empty()));

    assertThat(metadata.locations).containsOnlyKeys("v");
  }

  /** As when the states were read before the task began. */
  @Test
  void dropsNoViewOfAnotherInstallationForATombstoneOfItsOwn() {
    ViewState going = ViewStates.state("v", 5, State.DELETING, Map.of());
    ViewMetadata other = ofAnotherInstallation(going);
    metadata.locations.put("v", other);

    writer.apply(ViewStateChange.gone("v", Optional.of(going.uid())));
    assertThat(metadata.locations).containsOnly(Map.entry("v", other));
    assertThat(metadata.floors).isEmpty();

    writer.apply(ViewStateChange.gone("v", Optional.of(other.uid())));
    assertThat(metadata.locations).isEmpty();
  }

  @Test
  void givesWayForAWhileWhenAnotherTaskWritesAllTheTime() {
    apply(ViewStates.state("v", 1, State.READY, Map.of(KV, Role.SERVING)));
    metadata.before =
        () ->
            metadata.locations.computeIfPresent(
                "v", (location, current) -> ViewMetadata.fromJson(current.toJson()));

    assertThatThrownBy(
            () -> apply(ViewStates.state("v", 2, State.DELETING, Map.of(KV, Role.RETIRING))))
        .isInstanceOf(RetriableException.class);
  }

  @Test
  void refusesAGenerationOfANewerRelease() {
    ViewState.Generation newer =
        new ViewState.Generation(
            3,
            Role.BUILDING,
            0,
            KV.toJson().replace("\"encodingVersion\":1", "\"encodingVersion\":99"),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty());
    ViewState state =
        new ViewState(
            "v",
            "uid-1",
            1,
            1,
            State.BUILDING,
            1,
            "",
            "people",
            "kv",
            "g",
            List.of(newer),
            List.of(),
            ViewState.Freshness.UNKNOWN);

    assertThatThrownBy(() -> apply(state))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("view v")
        .hasMessageContaining("encodingVersion 99")
        .hasMessageContaining("upgrade");
  }

  private void apply(ViewState state) {
    writer.apply(ViewStateChange.of(state));
  }
}
