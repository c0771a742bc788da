package io.indexview.streams.config;

import io.indexview.schemas.change.RecordFormat;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
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

  /** Name of the store of what tasks remember beside it; likewise. */
  public String memoryStoreName() {
    return "builds-" + name;
  }

  /** What says that every primary record of a record set has reached its topic. */
  public enum Completeness {
    /** Its source, on {@code source-states}: it looked at everything, and Kafka has it all. */
    SOURCE_STATES,
    /** Nobody: what the topic holds when it is asked counts as everything. */
    TOPIC;

    /** As in the configuration. */
    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Completeness of(String text) {
      return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
  }
}
