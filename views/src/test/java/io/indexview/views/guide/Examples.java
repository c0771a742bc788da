package io.indexview.views.guide;

import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.KvContent;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Lays out the records of the guide by its views. */
final class Examples {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ORIGIN = "airports.yaml";
  private static final long REVISION = 1_503_221_400_123L;

  private final RecordSet airports;
  private final Map<String, GenericRecord> records = new LinkedHashMap<>();

  Examples(String schema, String recordsByKey) throws JsonProcessingException {
    airports =
        new RecordSet(
            "airports",
            "indexview.changes.airports",
            RecordFormat.ENVELOPE,
            List.of("airportId"),
            new Schema.Parser().parse(schema));
    JSON.readTree(recordsByKey)
        .properties()
        .forEach(
            entry ->
                records.put(
                    entry.getKey(), (GenericRecord) avro(airports.schema(), entry.getValue())));
  }

  private static Object avro(Schema schema, JsonNode json) {
    return switch (schema.getType()) {
      case UNION -> json.isNull() ? null : avro(schema.getTypes().get(1), json);
      case INT -> json.intValue();
      case DOUBLE -> json.doubleValue();
      case STRING -> json.textValue();
      case ARRAY -> json.valueStream().map(each -> avro(schema.getElementType(), each)).toList();
      case MAP -> {
        Map<String, Object> entries = new LinkedHashMap<>();
        json.properties()
            .forEach(
                entry ->
                    entries.put(entry.getKey(), avro(schema.getValueType(), entry.getValue())));
        yield entries;
      }
      case RECORD -> {
        GenericRecord record = new GenericData.Record(schema);
        schema
            .getFields()
            .forEach(f -> record.put(f.name(), avro(f.schema(), json.path(f.name()))));
        yield record;
      }
      default -> throw new IllegalArgumentException("the guide has no " + schema.getType());
    };
  }

  /** The rows of all records, a line each. */
  String rows(String definition) {
    ViewGeneration generation =
        ViewGeneration.freeze(
            new ViewDefinitionParser().parse(ORIGIN, definition),
            1,
            airports,
            new Topics(Topics.DEFAULT_PREFIX));
    CompiledView view = CompiledView.compile(generation, airports.schema());
    List<String> items = new ArrayList<>();
    Map<KvPath, byte[]> stored = new LinkedHashMap<>();
    records.forEach(
        (primaryKey, record) -> {
          try {
            for (ViewRow row : view.rows(record, primaryKey)) {
              GenericRecord key = view.keyOf(row);
              GenericRecord value = view.valueOf(row, REVISION);
              if (generation.definition().target() instanceof Target.DynamoDb) {
                items.add(json(DynamoDbLayout.of(generation).item(key::get, value::get, REVISION)));
              } else {
                store(KvLayout.of(generation), key, value, stored);
              }
            }
          } catch (DerivationException e) {
            throw new IllegalArgumentException(e);
          }
        });
    stored.forEach((path, value) -> items.add(line(path, value)));
    return String.join("\n", items);
  }

  private static void store(
      KvLayout layout, GenericRecord key, GenericRecord value, Map<KvPath, byte[]> stored) {
    byte[] change = layout.value(key::get, value::get, REVISION);
    stored.merge(layout.path(key::get), change, (current, last) -> withLast(layout, current, last));
  }

  private static byte[] withLast(KvLayout layout, byte[] current, byte[] last) {
    KvContent content = layout.content(current, 0, Integer.MAX_VALUE);
    content.merge(last, REVISION, false);
    return content.value().orElseThrow();
  }

  private static String line(KvPath path, byte[] stored) {
    String text =
        "/%s/-/%s".formatted(String.join("/", path.major()), String.join("/", path.minor()));
    return stored.length == 0 ? text : text + "\n    " + new String(stored, StandardCharsets.UTF_8);
  }

  private static String json(Map<String, Object> item) {
    try {
      return JSON.writeValueAsString(item);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an item of the guide is always JSON", e);
    }
  }

  /** The message that refuses a view. */
  String problems(String definition) {
    Throwable refusal =
        catchThrowable(
            () ->
                new ViewDefinitionParser()
                    .parseAll(Map.of(ORIGIN, definition), Map.of("airports", airports)));
    return refusal.getMessage();
  }
}
