package io.indexview.streams.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.SpecLog.Wanted;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.streams.People;
import io.indexview.streams.generation.Preparation.LoadedViews;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewDefinitionParser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FileSpecsTest {
  private static final ViewDefinition BY_ORG = definition(People.BY_ORG);
  private static final ViewDefinition CHANGED =
      definition(People.BY_ORG.replace("[name]", "[name, age]"));

  private final Map<String, ViewSpec> specs = new HashMap<>();
  private final Map<String, PublishedGeneration> generations = new HashMap<>();
  private final Map<String, ViewState> states = new HashMap<>();
  private final Map<String, Wanted> requested = new LinkedHashMap<>();

  private static ViewDefinition definition(String yaml) {
    return new ViewDefinitionParser().parse("test.yaml", yaml);
  }

  private void apply(ViewDefinition... views) {
    new FileSpecs(
            new Topics("indexview"),
            (view, decision) -> requested.put(view, decision.apply(Map.copyOf(specs))))
        .apply(
            new LoadedViews(List.of(views), Map.of("people", People.RECORD_SET)),
            new FileSpecs.Standing(specs, generations, states));
  }

  private void standingSpec(ViewDefinition view, long build) {
    specs.put(
        view.name(),
        new ViewSpec(
            view.name(),
            view.toJson(),
            7,
            new BuildRequest(build, BuildMode.STATE),
            0,
            Optional.ofNullable(view.verificationInterval())));
  }

  private PublishedGeneration published(ViewDefinition view, int number, long build) {
    PublishedGeneration published =
        new PublishedGeneration(
            view.name(),
            number,
            view.toJson(),
            "people",
            People.TOPIC,
            "topic." + number,
            "",
            new PublishedGeneration.SchemaIds(1, 2, 3),
            1,
            0,
            new BuildRequest(build, BuildMode.STATE),
            false);
    generations.put(published.key(), published);
    return published;
  }

  private void state(String view, String target, Role... roles) {
    state(view, target, "", roles);
  }

  private void state(String view, String target, String reason, Role... roles) {
    List<ViewState.Generation> all = new ArrayList<>();
    Stream.of(roles)
        .forEach(
            role ->
                all.add(
                    new ViewState.Generation(
                        all.size() + 1,
                        role,
                        0,
                        "",
                        OptionalLong.empty(),
                        OptionalLong.empty(),
                        OptionalLong.empty())));
    states.put(
        view,
        new ViewState(
            view,
            "uid-1",
            1,
            0,
            ViewState.State.READY,
            7,
            reason,
            "people",
            target,
            "",
            all,
            List.of(),
            ViewState.Freshness.UNKNOWN));
  }

  private static Wanted wanted(ViewDefinition view, long build) {
    return new Wanted(
        view.toJson(),
        new BuildRequest(build, BuildMode.STATE),
        Optional.ofNullable(view.verificationInterval()));
  }

  private List<String> refused(ViewDefinition... views) {
    InvalidConfigException refused =
        catchThrowableOfType(InvalidConfigException.class, () -> apply(views));
    assertThat(requested).isEmpty();
    return refused.problems();
  }

  @Test
  void specsForANewView() {
    apply(BY_ORG);

    assertThat(requested).containsOnly(Map.entry("by-org", wanted(BY_ORG, 0)));
  }

  @Test
  void changesAViewThatDiffers() {
    standingSpec(BY_ORG, 2);
    published(BY_ORG, 1, 2);
    state("by-org", "kv", Role.SERVING);

    apply(CHANGED);

    assertThat(requested).containsOnly(Map.entry("by-org", wanted(CHANGED, 2)));
  }

  @Test
  void triesARefusedViewAgain() {
    standingSpec(BY_ORG, 2);
    state("by-org", "kv", ViewState.REFUSED + "no such property");

    apply(BY_ORG);

    assertThat(requested.get("by-org").again()).isTrue();
  }

  /** A text of a record, say, that a reason quotes. */
  @Test
  void leavesAViewAsItIsWhoseReasonOnlyQuotesARefusal() {
    standingSpec(BY_ORG, 2);
    state("by-org", "kv", "the sink rejected 1 rows; for one: " + ViewState.REFUSED + "no");

    apply(BY_ORG);

    assertThat(requested.get("by-org").again()).isFalse();
  }

  @Test
  void asksForNoRebuildAgainThatWasRefused() {
    standingSpec(BY_ORG, 5);
    published(BY_ORG, 1, 2);
    state("by-org", "kv", ViewState.REFUSED + "no source can be asked", Role.SERVING);

    apply(BY_ORG);

    assertThat(requested.get("by-org").again()).isFalse();
  }

  @Test
  void leavesARebuiltViewAsItIs() {
    standingSpec(BY_ORG, 5);

    apply(BY_ORG);

    assertThat(requested).containsOnly(Map.entry("by-org", wanted(BY_ORG, 5)));
  }

  @Test
  void takesHowOftenAViewIsVerifiedFromItsFile() {
    ViewDefinition daily = definition(People.BY_ORG + "\nverification: {interval: 1d}\n");
    standingSpec(BY_ORG, 5);

    apply(daily);
    assertThat(requested).containsOnly(Map.entry("by-org", wanted(daily, 5)));
    assertThat(requested.get("by-org").definition()).isEqualTo(BY_ORG.toJson());

    standingSpec(daily, 5);
    apply(BY_ORG);
    assertThat(requested).containsOnly(Map.entry("by-org", wanted(BY_ORG, 5)));
  }

  @Test
  void knowsADefinitionThatIsWrittenInAnotherWay() {
    String spaced = BY_ORG.toJson().replace(",", ", ");
    specs.put("by-org", new ViewSpec("by-org", spaced, 7, BuildRequest.FIRST, 0, Optional.empty()));

    apply(BY_ORG);

    assertThat(requested.get("by-org").definition()).isEqualTo(spaced);
  }

  @Test
  void goesBackToAGenerationThatStandsBy() {
    standingSpec(CHANGED, 4);
    published(BY_ORG, 1, 3);
    published(CHANGED, 2, 4);
    state("by-org", "kv", Role.STANDBY, Role.SERVING);

    apply(BY_ORG);

    assertThat(requested).containsOnly(Map.entry("by-org", wanted(BY_ORG, 3)));
  }

  @Test
  void doesNotDropAViewWithoutFile() {
    standingSpec(BY_ORG, 0);

    apply();

    assertThat(requested).isEmpty();
  }

  @Test
  void doesNotBringBackAViewThatWasDropped() {
    published(BY_ORG, 1, 0);
    state("by-org", "kv", Role.RETIRING);

    apply();

    assertThat(requested).isEmpty();
  }

  @Test
  void refusesNamesThatOthersHaveAndSaysAllOfThem() {
    String table = "target: dynamodb\ntable: Orgs\n";
    String people = "source: people\nkind: index\nkey: [org]\n";
    standingSpec(definition("name: owner\n" + people + table), 0);

    assertThat(
            refused(
                definition("name: a\n" + people + table),
                definition("name: b\n" + people + "target: dynamodb\ntable: indexview-views\n")))
        .hasSize(2)
        .anyMatch(problem -> problem.startsWith("view \"a\": table \"Orgs\""))
        .anyMatch(problem -> problem.startsWith("view \"b\": table \"indexview-views\""));
  }
}
