package io.indexview.streams.config;

import io.indexview.schemas.change.RecordFormat;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One record set of the application.
 *
 * @param topic its primary-change topic
 * @param encoding how its keys and values are written
 * @param schemaFile the record schema ({@code .avsc}); empty: the newest version of the subject
 *     {@code <topic>-value}
 * @param uniqueFields fields that together, and alone, identify a record; may be empty
 * @param completeness what says that the topic has every record
 * @param steppedOver offsets that an operator has the application step over, by partition
 * @param stateStore where its entries are
 */
public record RecordSetConfig(
    String name,
    String topic,
    RecordFormat format,
    Encoding encoding,
    Optional<Path> schemaFile,
    List<String> uniqueFields,
    Completeness completeness,
    Map<Integer, Set<Long>> steppedOver,
    StateStore stateStore) {
  public RecordSetConfig {
    uniqueFields = List.copyOf(uniqueFields);
    steppedOver = Map.copyOf(steppedOver);
  }

  /** Name of the set's state store; part of the name of its changelog topic. */
  public String storeName() {
    return "records-" + name;
  }

  /** Name of the store of what tasks remember beside it; likewise. */
  public String memoryStoreName() {
    return "builds-" + name;
  }

  /** How keys and values are written. */
  public enum Encoding {
    /** Avro in the Confluent wire format. */
    AVRO,
    /** JSON as Connect's JsonConverter writes it. */
    JSON
  }

  /** Where a record set's entries are; the changelog has them in both cases. */
  public enum StateStore {
    ROCKSDB,
    MEMORY
  }

  /** What says that every primary record of a record set has reached its topic. */
  public enum Completeness {
    /** Its source says so on {@code source-states}: it scanned everything, and Kafka has it all. */
    SOURCE_STATES,
    /** Nobody says so: what the topic holds when it is asked counts as everything. */
    TOPIC,
    /** The events of Debezium themselves: its snapshot is over. */
    DEBEZIUM;

    /** Whether a source speaks for the topic on {@code source-states}, and can be asked. */
    public boolean hasSource() {
      return this == SOURCE_STATES;
    }

    /** The name as it is written in the configuration. */
    String text() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Completeness of(String text) {
      return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
  }
}
