package io.indexview.streams.generation;

import io.indexview.schemas.change.DebeziumTypes;
import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.change.json.JsonEventReader;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.config.RecordSetConfig.Encoding;
import io.indexview.views.definition.RecordSet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.SchemaParseException;

/** The record schemas of the record sets: from files, or the newest ones of the registry. */
final class RecordSchemas {
  private final SchemaRegistry registry;
  private final Function<String, List<byte[]>> newestValues;

  /**
   * @param newestValues of a topic: where values bring schemas of their own the first one is found
   *     there
   */
  RecordSchemas(SchemaRegistry registry, Function<String, List<byte[]>> newestValues) {
    this.registry = registry;
    this.newestValues = newestValues;
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
      return Optional.of(ofFile(recordSet));
    }
    return registered(recordSet)
        .map(SchemaRegistry.Registered::schema)
        .map(
            schema ->
                recordSet.format() == RecordFormat.ENVELOPE
                    ? EnvelopeSchemas.writerSchema(schema)
                    : schema)
        .map(DebeziumTypes::withLogicalTypes);
  }

  private Optional<SchemaRegistry.Registered> registered(RecordSetConfig recordSet) {
    String subject = Subjects.value(recordSet.topic());
    Optional<SchemaRegistry.Registered> latest = registry.latest(subject);
    return latest.isEmpty() && recordSet.encoding() == Encoding.JSON && isFound(recordSet)
        ? registry.latest(subject)
        : latest;
  }

  /** Whether a value on the topic brings a schema; the reader registers it. */
  private boolean isFound(RecordSetConfig recordSet) {
    JsonEventReader reader =
        new JsonEventReader(registry, recordSet.topic(), recordSet.format(), Optional.empty());
    MalformedEventException problem = null;
    for (byte[] value : newestValues.apply(recordSet.topic())) {
      try {
        if (value != null) {
          reader.register(value);
          return true;
        }
      } catch (MalformedEventException e) {
        problem = e;
      }
    }
    if (problem != null) {
      throw new IllegalArgumentException(
          "the newest events of topic %s do not say what the fields of records are: %s"
              .formatted(recordSet.topic(), problem.getMessage()),
          problem);
    }
    return false;
  }

  /**
   * The schema that a record set's file has.
   *
   * @throws IllegalArgumentException if it is of no use for the record set's encoding
   */
  static Schema ofFile(RecordSetConfig recordSet) throws IOException {
    Schema schema = parse(recordSet.schemaFile().orElseThrow());
    if (recordSet.encoding() == Encoding.JSON) {
      JsonEventReader.problem(schema)
          .ifPresent(
              problem -> {
                throw new IllegalArgumentException(problem);
              });
    }
    return schema;
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
