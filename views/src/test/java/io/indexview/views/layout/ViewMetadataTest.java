package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.views.Samples;
import io.indexview.views.definition.ViewGeneration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ViewMetadataTest {
  private static final String KV = "key: [org]\ntarget: kv";
  private static final String DYNAMODB = "key: [org]\ntarget: dynamodb\ntable: people";

  @Test
  void readsBackWhatItWrites() {
    ViewMetadata metadata = metadata(of(1, Role.SERVING, KV), of(2, Role.BUILDING, KV));

    assertThat(ViewMetadata.fromJson(metadata.toJson())).isEqualTo(metadata);
    assertThat(ViewMetadata.fromItem(metadata.toItem())).isEqualTo(metadata);
  }

  @Test
  void namesTheServingTableInTheItem() {
    assertThat(metadata(of(3, Role.SERVING, DYNAMODB)).toItem())
        .containsEntry("id", "view#v")
        .containsEntry("version", 7L)
        .containsEntry("state", "DEGRADED")
        .containsEntry("servingTable", "people-g3");
    assertThat(metadata(of(3, Role.BUILDING, DYNAMODB)).toItem()).doesNotContainKey("servingTable");
  }

  @Test
  void liesWhereTheServingGenerationSaysElseTheNewest() {
    assertThat(placing(of(2, Role.SERVING, KV), of(3, Role.BUILDING, KV))).isEqualTo(2);
    assertThat(placing(of(2, Role.RETIRING, KV), of(3, Role.BUILDING, KV))).isEqualTo(3);
    assertThat(placing(of(2, Role.STANDBY, KV), of(3, Role.SERVING, DYNAMODB))).isEqualTo(2);
    assertThat(metadata(of(3, Role.SERVING, DYNAMODB)).placing("kv")).isEmpty();
  }

  private static int placing(ViewState.Generation... generations) {
    return metadata(generations).placing("kv").orElseThrow().number();
  }

  @Test
  void tellsWhoseMetadataATextIs() {
    assertThat(ViewMetadata.viewIn(metadata(of(1, Role.SERVING, KV)).toJson())).contains("v");
    assertThat(ViewMetadata.viewIn("{\"view\":\"v\",\"state\":\"PAUSED\"}")).contains("v");
    assertThat(List.of("", "{", "{}", "[]", "\"v\"", "{\"view\":1}"))
        .allSatisfy(text -> assertThat(ViewMetadata.viewIn(text)).isEmpty());
  }

  @Test
  void refusesWhatIsNoMetadata() {
    for (String text : List.of("", "{", "{}", "[]", "{\"state\":\"GONE\"}")) {
      assertThatThrownBy(() -> ViewMetadata.fromJson(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> ViewMetadata.fromItem(Map.of("id", "view#v")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("document");
  }

  @Test
  void saysWhichFieldIsOfANewerRelease() {
    String newer = metadata(of(1, Role.SERVING, KV)).toJson().replace("DEGRADED", "PAUSED");

    assertThatThrownBy(() -> ViewMetadata.fromJson(newer))
        .hasMessage("field \"state\" is \"PAUSED\", which this release does not know");
  }

  private static ViewMetadata metadata(ViewState.Generation... generations) {
    return ViewMetadata.of(
        new ViewState(
            "v",
            "uid-1",
            7,
            1_500_000_000_000L,
            ViewState.State.DEGRADED,
            4,
            "2 records have no rows",
            "people",
            "kv",
            "connect-kv",
            List.of(generations),
            List.of(),
            new ViewState.Freshness(OptionalLong.of(1_500_000_000_500L), "the sink")));
  }

  private static ViewState.Generation of(int number, Role role, String yaml) {
    ViewGeneration generation =
        ViewGeneration.freeze(
            Samples.definition("name: v\nsource: people\n" + yaml),
            number,
            Samples.PEOPLE,
            new Topics(Topics.DEFAULT_PREFIX));
    return new ViewState.Generation(
        number,
        role,
        0,
        generation.toJson(),
        OptionalLong.empty(),
        OptionalLong.empty(),
        OptionalLong.empty());
  }
}
