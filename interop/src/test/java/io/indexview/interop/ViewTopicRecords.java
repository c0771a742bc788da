package io.indexview.interop;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.Topics;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.verification.RowContent;
import io.indexview.verification.TargetReader;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;

/** The rows of one generation of a view, from the record to what Connect hands to a sink. */
final class ViewTopicRecords {
  private final String registry = UUID.randomUUID().toString();
  private final AvroConverter keys = new AvroConverter();
  private final AvroConverter values = new AvroConverter();
  private final SimpleHeaderConverter headers = new SimpleHeaderConverter();
  private final ViewGeneration generation;
  private final CompiledView view;
  private final int keyId;
  private final int valueId;
  private long offset;

  ViewTopicRecords(RecordSet recordSet, String definition, int number) {
    generation =
        ViewGeneration.freeze(
            new ViewDefinitionParser().parse("view.yaml", definition),
            number,
            recordSet,
            new Topics(Topics.DEFAULT_PREFIX));
    view = CompiledView.compile(generation, recordSet.schema());
    InMemorySchemaRegistry schemas = InMemorySchemaRegistry.shared(registry);
    keyId = schemas.register(topic() + "-key", view.keySchema());
    valueId = schemas.register(topic() + "-value", view.valueSchema());
    Map<String, String> config = Map.of(RegistryConfig.URL_CONFIG, "mock://" + registry);
    keys.configure(config, true);
    values.configure(config, false);
    headers.configure(Map.of("converter.type", "header"));
  }

  String topic() {
    return generation.viewTopic();
  }

  ViewGeneration generation() {
    return generation;
  }

  /** What the target should hold of a record. */
  List<RowContent> derived(
      TargetReader target, GenericRecord record, String primaryKey, long revision)
      throws DerivationException {
    return view.rows(record, primaryKey).stream()
        .map(row -> target.derived(view.keyOf(row), view.valueOf(row, revision), revision))
        .toList();
  }

  List<SinkRecord> upserts(GenericRecord record, String primaryKey, long revision)
      throws DerivationException {
    return view.rows(record, primaryKey).stream()
        .map(row -> record(row, row.value(valueId, revision), revision))
        .toList();
  }

  List<SinkRecord> tombstones(GenericRecord record, String primaryKey, long revision)
      throws DerivationException {
    return view.rows(record, primaryKey).stream().map(row -> record(row, null, revision)).toList();
  }

  private SinkRecord record(ViewRow row, byte[] value, long revision) {
    SchemaAndValue rowKey = keys.toConnectData(topic(), row.key(keyId));
    SchemaAndValue rowValue = values.toConnectData(topic(), value);
    SinkRecord record =
        new SinkRecord(
            topic(),
            0,
            rowKey.schema(),
            rowKey.value(),
            rowValue.schema(),
            rowValue.value(),
            offset++);
    for (Header header : new RowHeaders().of(revision, generation.number())) {
      record
          .headers()
          .add(header.key(), headers.toConnectHeader(topic(), header.key(), header.value()));
    }
    return record;
  }
}
