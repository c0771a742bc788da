package io.indexview.client.read;

import io.indexview.client.read.StoredView.TestRow;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;

/** Views of people. */
final class People {
  static final Schema SCHEMA =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Person", "namespace": "test", "fields": [
                {"name": "name", "type": "string"},
                {"name": "org", "type": ["null", "string"], "default": null},
                {"name": "date", "type": {"type": "int", "logicalType": "date"}},
                {"name": "cost", "type": "long"}]}
              """);
  static final RecordSet SET =
      new RecordSet("people", "indexview.changes.people", RecordFormat.ENVELOPE, List.of(), SCHEMA);
  static final String BY_ORG = "key: [org, date]\nshardKey: 1\ntarget: kv\nlayout: key-value\n";

  private People() {}

  static ViewGeneration view(String name, int number, String yaml) {
    return ViewGeneration.freeze(
        new ViewDefinitionParser()
            .parse("test.yaml", "name: " + name + "\nsource: people\n" + yaml),
        number,
        SET,
        new Topics(Topics.DEFAULT_PREFIX));
  }

  static TestRow row(String org, String date, String primaryKey) {
    Map<String, Object> key = new LinkedHashMap<>();
    key.put("org", org);
    key.put("date", LocalDate.parse(date));
    return new TestRow(key, primaryKey, Map.of());
  }
}
