package io.indexview.server;

import io.indexview.client.admin.SourceStatus;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.views.definition.RecordSet;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.Schema;

/** The record set that the tests' views are defined on. */
public final class People {
  public static final String NAME = "people";
  public static final String TOPIC = "indexview.changes.people";
  public static final Schema SCHEMA =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Person", "namespace": "test", "fields": [
                {"name": "name", "type": "string"},
                {"name": "email", "type": ["null", "string"], "default": null},
                {"name": "org", "type": "string"},
                {"name": "joined", "type": {"type": "int", "logicalType": "date"}},
                {"name": "cost", "type": "long", "default": 0}]}""");

  private People() {}

  static RecordSet recordSet() {
    return new RecordSet(NAME, TOPIC, RecordFormat.ENVELOPE, List.of(), SCHEMA);
  }

  static RecordSetInfo info() {
    return new RecordSetInfo(
        NAME,
        TOPIC,
        4,
        "envelope",
        List.of(),
        SCHEMA.toString(),
        "indexview",
        Set.of(),
        Set.of(),
        1_511_273_698_000L);
  }

  /** A source of them that reads their values so. */
  public static SourceStatus source(String name, ValueConfig values) {
    return new SourceStatus(
        name,
        TOPIC,
        1,
        1,
        Instant.EPOCH,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(values.published()),
        Optional.empty());
  }

  /** A definition as JSON. */
  public static String definition(String view, String... key) {
    return """
        {"name": "%s", "source": "people", "key": ["%s"], "target": "kv"}"""
        .formatted(view, String.join("\", \"", key));
  }
}
