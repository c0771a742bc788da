package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.BY_ORG;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.streams.controller.rules.Finding;
import org.junit.jupiter.api.Test;

class LeftOutRecordSetsTest {
  private final Installation all = new Installation();
  private final LeftOutRecordSets watch = new LeftOutRecordSets(all.context());

  @Test
  void tellsNothingOfRecordSetsThatAreConfigured() {
    all.generations.put(BY_ORG.key(), BY_ORG);
    all.advance(watch);

    assertThat(all.findings).isEmpty();
  }

  @Test
  void tellsOnceOfOneThatHasViewsAndIsNotConfigured() {
    PublishedGeneration ofCars =
        new PublishedGeneration(
            "cars-by-colour",
            1,
            "{}",
            "cars",
            "indexview.changes.cars",
            "indexview.view.kv.cars-by-colour.1",
            "",
            new PublishedGeneration.SchemaIds(7, 8, 9),
            1,
            Installation.NOW_MS,
            BuildRequest.FIRST,
            false);
    all.generations.put(BY_ORG.key(), BY_ORG);
    all.generations.put(ofCars.key(), ofCars);
    all.advance(watch);
    all.advance(watch);

    assertThat(all.findings)
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.RecordSetHindered.class,
            hindered -> {
              assertThat(hindered.recordSet()).isEqualTo("cars");
              assertThat(hindered.reason()).contains("record.sets", "put it back");
            });
  }
}
