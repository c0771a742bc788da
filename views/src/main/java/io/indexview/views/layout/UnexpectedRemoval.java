package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The command to a sink to remove what lies among the rows of a generation and is none of them. It
 * is a record of the view's topic, written by a task of the streams app in its transaction, so it
 * comes to the one program that writes the target, and its offset is committed when it is done.
 *
 * <p>The sink reads each key again, and removes what is there only if it is exactly what was found,
 * is no row of the generation still, and nobody has written it since that read: by the store's
 * version, or by a condition that no row of the generation meets. Whatever the sink itself wrote
 * meanwhile fails the first or the last of these. So it does no harm to obey it twice, late, or in
 * another sink than the one that it was meant for.
 *
 * <p>A tombstone goes, too, if the sink itself has kept it for as long as it is to: by the sink's
 * own retention in the KV store, in DynamoDB when its time to live is over. What the command says
 * of it does not matter.
 *
 * @param generation whose rows they are not
 */
public record UnexpectedRemoval(ViewGeneration generation, List<UnexpectedRow> rows) {
  /** Name of the command in {@code ViewTopicControl}. */
  public static final String COMMAND = "remove-unexpected";

  private static final ObjectMapper JSON = JsonMapper.builder().build();

  public UnexpectedRemoval {
    Objects.requireNonNull(generation, "generation");
    rows = List.copyOf(rows);
  }

  public String toJson() {
    ObjectNode json = JSON.createObjectNode();
    json.put("generation", generation.toJson());
    ArrayNode array = json.putArray("rows");
    rows.forEach(row -> array.addObject().put("id", row.id()).put("digest", row.digest()));
    return json.toString();
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static UnexpectedRemoval fromJson(String text) {
    try {
      JsonNode json = JSON.readTree(text);
      List<UnexpectedRow> rows = new ArrayList<>();
      for (JsonNode row : json.path("rows")) {
        rows.add(new UnexpectedRow(row.path("id").asText(), row.path("digest").asText()));
      }
      return new UnexpectedRemoval(ViewGeneration.fromJson(json.path("generation").asText()), rows);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
    }
  }
}
