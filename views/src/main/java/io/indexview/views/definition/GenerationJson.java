package io.indexview.views.definition;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.schemas.change.RecordFormat;
import java.util.List;
import java.util.Locale;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;

/** Generations as JSON. */
final class GenerationJson {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private GenerationJson() {}

  static String write(ViewGeneration generation) {
    RecordSet recordSet = generation.recordSet();
    ObjectNode json = JSON.createObjectNode();
    json.put("encodingVersion", generation.encodingVersion());
    json.put("uid", generation.uid());
    json.put("number", generation.number());
    json.set("definition", DefinitionJson.of(generation.definition()));
    json.put("viewTopic", generation.viewTopic());
    json.put("storeName", generation.storeName());
    ObjectNode set = json.putObject("recordSet");
    set.put("name", recordSet.name());
    set.put("topic", recordSet.topic());
    set.put("format", word(recordSet.format()));
    recordSet.uniqueFields().forEach(set.putArray("uniqueFields")::add);
    // A text of its own: registries may reformat JSON, never the content of a text.
    set.put("schema", recordSet.schema().toString());
    return json.toString();
  }

  static ViewGeneration read(String text) {
    JsonNode json = tree(text);
    int version = require(json, "encodingVersion").asInt();
    if (version < 1 || version > ViewGeneration.ENCODING_VERSION) {
      throw new IllegalArgumentException(
          ("view generation: encodingVersion %d is not known to this release, which knows 1 to %d;"
                  + " upgrade this part of Indexview")
              .formatted(version, ViewGeneration.ENCODING_VERSION));
    }
    ViewDefinition definition =
        DefinitionJson.read("view generation: definition", require(json, "definition"));
    return new ViewGeneration(
        json.path("uid").asText(),
        require(json, "number").asInt(),
        version,
        definition,
        recordSet(require(json, "recordSet")),
        require(json, "viewTopic").asText(),
        require(json, "storeName").asText());
  }

  private static JsonNode tree(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("view generation: not JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static RecordSet recordSet(JsonNode json) {
    List<String> uniqueFields =
        require(json, "uniqueFields").valueStream().map(JsonNode::asText).toList();
    try {
      return new RecordSet(
          require(json, "name").asText(),
          require(json, "topic").asText(),
          format(require(json, "format").asText()),
          uniqueFields,
          new Schema.Parser().parse(require(json, "schema").asText()));
    } catch (AvroRuntimeException e) {
      throw new IllegalArgumentException(
          "view generation: recordSet.schema is no Avro schema: " + e.getMessage(), e);
    }
  }

  private static RecordFormat format(String text) {
    for (RecordFormat format : RecordFormat.values()) {
      if (word(format).equals(text)) {
        return format;
      }
    }
    throw new IllegalArgumentException(
        "view generation: recordSet.format \"%s\" is not known to this release; upgrade this part of Indexview"
            .formatted(text));
  }

  private static String word(RecordFormat format) {
    return format.name().toLowerCase(Locale.ROOT);
  }

  private static JsonNode require(JsonNode json, String property) {
    JsonNode value = json.path(property);
    if (value.isMissingNode() || value.isNull()) {
      throw new IllegalArgumentException("view generation: " + property + " is missing");
    }
    return value;
  }
}
