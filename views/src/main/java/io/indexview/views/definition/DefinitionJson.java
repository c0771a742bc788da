package io.indexview.views.definition;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;

/**
 * Writes definitions with every property spelled out, so that later defaults change nothing. Those
 * that came with later releases only where they are not the default, which is then for ever: a
 * definition whose text differs is built anew.
 */
final class DefinitionJson {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private DefinitionJson() {}

  static ObjectNode of(ViewDefinition definition) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("name", definition.name());
    json.put("source", definition.source());
    json.put("kind", DefinitionReader.word(definition.kind()));
    putTexts(json, "key", definition.key());
    if (definition.shardKey() instanceof ViewDefinition.ShardKey.Leading leading) {
      json.put("shardKey", leading.length());
    } else if (definition.shardKey() instanceof ViewDefinition.ShardKey.Fields fields) {
      putTexts(json, "shardKey", fields.names());
    }
    if (definition.include() != null) {
      putTexts(json, "include", definition.include());
    }
    if (definition.where() != null) {
      json.put("where", definition.where());
    }
    json.put("nulls", DefinitionReader.word(definition.nulls()));
    json.put("naming", DefinitionReader.word(definition.naming()));
    json.put("maxRowsPerRecord", definition.maxRowsPerRecord());
    json.put("target", definition.target().type());
    if (definition.target() instanceof Target.Kv kv) {
      json.put("layout", DefinitionReader.word(kv.layout()));
      if (kv.primaryKeyForm() != Target.PrimaryKeyForm.PATH) {
        json.put("primaryKeyForm", DefinitionReader.word(kv.primaryKeyForm()));
      }
      if (kv.layout() == Target.KvRows.LIST) {
        json.put("maxElements", kv.maxElements());
      }
      json.put("prefix", kv.prefix());
      json.put("metaPrefix", kv.metaPrefix());
    } else if (definition.target() instanceof Target.DynamoDb dynamoDb) {
      json.put("table", dynamoDb.table());
      ArrayNode indexes = json.putArray("indexes");
      for (Target.GlobalIndex index : dynamoDb.indexes()) {
        ObjectNode node = indexes.addObject();
        node.put("name", index.name());
        node.put("partitionKey", index.partitionKey());
        if (index.sortKey() != null) {
          node.put("sortKey", index.sortKey());
        }
      }
      json.put("swap", DefinitionReader.word(dynamoDb.swap()));
    }
    return json;
  }

  static String withVerification(String text, Duration interval) {
    ObjectNode json = (ObjectNode) tree(text);
    json.putObject("verification").put("interval", VerificationInterval.text(interval));
    return json.toString();
  }

  static ViewDefinition read(String text) {
    return read("view definition", tree(text));
  }

  private static JsonNode tree(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("view definition: not JSON: " + e.getOriginalMessage(), e);
    }
  }

  /**
   * @param subject begins messages
   */
  static ViewDefinition read(String subject, JsonNode json) {
    DefinitionReader reader = new DefinitionReader(json);
    ViewDefinition definition = reader.read(false);
    if (!reader.problems().isEmpty()) {
      throw new IllegalArgumentException(subject + ": " + reader.problems());
    }
    return definition;
  }

  private static void putTexts(ObjectNode json, String property, List<String> texts) {
    ArrayNode array = json.putArray(property);
    texts.forEach(array::add);
  }
}
