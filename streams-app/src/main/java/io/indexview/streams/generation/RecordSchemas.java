package io.indexview.streams.generation;

import io.indexview.schemas.change.DebeziumTypes;
import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.views.definition.RecordSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.SchemaParseException;

/** The record schemas of the record sets: from files, or the newest ones of the registry. */
final class RecordSchemas {
  private final SchemaRegistry registry;

  RecordSchemas(SchemaRegistry registry) {
    this.registry = registry;
  }

  /**
   * What is known now.
   *
   * @param recordSets by name; absent are those whose schema cannot be used, or that the registry
   *     does not have yet
   * @param problems each schema that cannot be used, and why
   */
  record Known(Map<String, RecordSet> recordSets, List<String> problems) {}

  Known known(List<RecordSetConfig> recordSets) {
    List<String> problems = new ArrayList<>();
    Map<String, RecordSet> known = new LinkedHashMap<>();
    for (RecordSetConfig recordSet : recordSets) {
      try {
        schema(recordSet).ifPresent(schema -> known.put(recordSet.name(), of(recordSet, schema)));
      } catch (IOException | SchemaParseException | IllegalArgumentException e) {
        problems.add("%s: %s".formatted(origin(recordSet), e.getMessage()));
      }
    }
    return new Known(known, problems);
  }

  private static RecordSet of(RecordSetConfig recordSet, Schema schema) {
    return new RecordSet(
        recordSet.name(), recordSet.topic(), recordSet.format(), recordSet.uniqueFields(), schema);
  }

  private Optional<Schema> schema(RecordSetConfig recordSet) throws IOException {
    if (recordSet.schemaFile().isPresent()) {
      return Optional.of(parse(recordSet.schemaFile().get()));
    }
    return registry
        .latest(Subjects.value(recordSet.topic()))
        .map(SchemaRegistry.Registered::schema)
        .map(
            schema ->
                recordSet.format() == RecordFormat.ENVELOPE
                    ? EnvelopeSchemas.writerSchema(schema)
                    : schema)
        .map(DebeziumTypes::withLogicalTypes);
  }

  private static Schema parse(Path file) throws IOException {
    try {
      return new Schema.Parser().parse(file.toFile());
    } catch (IOException e) {
      throw new IOException("cannot be read: " + e, e);
    }
  }

  /** Where the schema of a record set comes from, for messages. */
  static String origin(RecordSetConfig recordSet) {
    return recordSet
        .schemaFile()
        .map(file -> "record.set.%s.schema.file: %s".formatted(recordSet.name(), file))
        .orElseGet(() -> "subject " + Subjects.value(recordSet.topic()));
  }
}
