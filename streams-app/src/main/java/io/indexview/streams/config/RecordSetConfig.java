package io.indexview.streams.config;

import io.indexview.schemas.change.RecordFormat;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One record set of the application.
 *
 * @param topic its primary-change topic
 * @param schemaFile the record schema ({@code .avsc}); empty: the newest version of the subject
 *     {@code <topic>-value}
 * @param uniqueFields fields that together, and alone, identify a record; may be empty
 * @param completeness what says that the topic has every record
 */
public record RecordSetConfig(
    String name,
    String topic,
    RecordFormat format,
    Optional<Path> schemaFile,
    List<String> uniqueFields,
    Completeness completeness) {
  public RecordSetConfig {
    uniqueFields = List.copyOf(uniqueFields);
  }

  /** Name of the set's state store; part of the name of its changelog topic. */
  public String storeName() {
    return "records-" + name;
  }
}
