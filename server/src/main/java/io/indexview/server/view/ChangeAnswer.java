package io.indexview.server.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.admin.ViewChange;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.server.json.Json;
import java.util.List;
import java.util.Locale;

/**
 * What applying a definition changed, or would change.
 *
 * @param version that stands then; null: nothing was made
 * @param created whether there was no such view
 * @param cost what the change means, in words
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ChangeAnswer(
    String name,
    Long version,
    boolean created,
    boolean dryRun,
    String effect,
    String cost,
    List<Field> fields) {

  /**
   * A property that differs.
   *
   * @param before null: not there
   * @param after null: not there
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Field(String name, JsonNode before, JsonNode after) {}

  static ChangeAnswer of(ViewChange change) {
    return new ChangeAnswer(
        change.view(),
        change.after().map(ViewSpec::version).orElse(null),
        change.before().isEmpty(),
        change.after().isEmpty(),
        change.effect().name().toLowerCase(Locale.ROOT).replace('_', '-'),
        change.cost(),
        change.fields().stream()
            .map(field -> new Field(field.name(), value(field.before()), value(field.after())))
            .toList());
  }

  private static JsonNode value(String json) {
    return json.isEmpty() ? null : Json.tree(json);
  }
}
