package io.indexview.views.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RequestedBuildTest {
  private static final ViewSpec SPEC =
      new ViewSpec(
          "by-org", "{old}", 7, new BuildRequest(3, BuildMode.SNAPSHOT), 0, Optional.empty());

  private static PublishedGeneration generation(int number, String definition, long build) {
    return new PublishedGeneration(
        "by-org",
        number,
        definition,
        "people",
        "changes",
        "topic." + number,
        "",
        new PublishedGeneration.SchemaIds(1, 2, 3),
        1,
        0,
        new BuildRequest(build, BuildMode.STATE),
        false);
  }

  @Test
  void beginsWithTheFirstBuild() {
    assertThat(RequestedBuild.of("{new}", null, List.of(), List.of()))
        .isEqualTo(BuildRequest.FIRST);
  }

  @Test
  void keepsTheNumberThatNoGenerationOfTheDefinitionHad() {
    List<PublishedGeneration> standing = List.of(generation(1, "{old}", 3));

    assertThat(RequestedBuild.of("{new}", SPEC, standing, standing))
        .isEqualTo(new BuildRequest(3, BuildMode.STATE));
  }

  @Test
  void takesTheBuildThatStands() {
    List<PublishedGeneration> standing =
        List.of(generation(2, "{old}", 3), generation(1, "{new}", 1));

    assertThat(RequestedBuild.of("{new}", SPEC, standing, standing).number()).isEqualTo(1);
  }

  @Test
  void doesNotMeanRowsThatAreOnTheirWayOut() {
    PublishedGeneration serving = generation(2, "{old}", 3);
    PublishedGeneration retiring = generation(1, "{new}", 3);

    assertThat(RequestedBuild.of("{new}", SPEC, List.of(serving), List.of(retiring, serving)))
        .isEqualTo(new BuildRequest(4, BuildMode.STATE));
  }

  @Test
  void countsARebuildAboveEverything() {
    assertThat(RequestedBuild.unused(SPEC, List.of(generation(1, "{older}", 9)))).isEqualTo(10);
  }
}
