package io.indexview.streams.controller.actions;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.RecordSetCatalog;
import java.util.List;
import java.util.OptionalLong;
import org.apache.avro.Schema;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A record schema changes under a view that stands. */
class RecordSchemaWatchTest {
  private static final String NAME = "{\"name\":\"name\",\"type\":\"string\"},";

  private final Installation all = new Installation();
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private final RecordSchemaWatch watch =
      new RecordSchemaWatch(
          all.context(), new RecordSetCatalog(all.config().recordSets(), registry));

  @BeforeEach
  void stand() {
    stand(People.generation(People.BY_ORG).toJson());
  }

  private void stand(String description) {
    all.states.put(
        "by-org",
        new ViewState(
            "by-org",
            "uid-1",
            1,
            0,
            ViewState.State.READY,
            0,
            "",
            "people",
            "kv",
            Installation.SINK,
            List.of(
                new ViewState.Generation(
                    1,
                    ViewState.Role.SERVING,
                    0,
                    description,
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty())),
            List.of(),
            ViewState.Freshness.UNKNOWN));
  }

  private void register(String schema) {
    registry.register(
        People.TOPIC + "-value", EnvelopeSchemas.envelope(new Schema.Parser().parse(schema)));
  }

  private List<Finding> scan() {
    all.findings.clear();
    all.advance(watch);
    return List.copyOf(all.findings);
  }

  @Test
  void tellsWhatAViewCannotReadAndWhenItCanAgain() {
    String original = People.SCHEMA.toString();
    String without = original.replace(NAME, "");
    assertThat(without).isNotEqualTo(original);
    register(original);
    assertThat(scan()).containsExactly(new Finding.SchemaChecked("by-org", 1, ""));
    assertThat(scan()).isEmpty();

    register(without);
    assertThat(scan())
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.SchemaChecked.class,
            checked -> assertThat(checked.reason()).contains("include", "name"));
    assertThat(scan()).isEmpty();

    register(original.replace(NAME, NAME.replace("}", ",\"default\":\"\"}")));
    assertThat(scan()).containsExactly(new Finding.SchemaChecked("by-org", 1, ""));
  }

  @Test
  void doesNotMindFieldsThatTheViewDoesNotRead() {
    register(
        People.SCHEMA
            .toString()
            .replace(
                "\"fields\":[",
                "\"fields\":[{\"name\":\"more\",\"type\":\"string\",\"default\":\"\"},"));

    assertThat(scan()).containsExactly(new Finding.SchemaChecked("by-org", 1, ""));
  }

  @Test
  void saysNothingWhereNothingIsKnown() {
    assertThat(scan()).isEmpty();

    register(People.SCHEMA.toString());
    stand("{}");
    assertThat(scan()).isEmpty();
  }
}
