package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * A record set that views can be defined on, as {@code record-sets} holds it.
 *
 * @param topic the primary-change topic
 * @param partitions of the topic
 * @param format {@code envelope} or {@code flat}
 * @param uniqueFields top-level fields that together identify a record; may be empty
 * @param schema the Avro schema of the records, as JSON
 * @param application consumer group of the streams app
 * @param fencedTargets targets whose sinks never replace newer rows, and so need rows that hold
 *     their revision; the same for all record sets of an application
 * @param connectTargets targets beside Indexview's own, served by Connect sinks of another origin;
 *     the same for all record sets of an application
 * @param changedAtMs ms since the epoch
 */
public record RecordSetInfo(
    String name,
    String topic,
    int partitions,
    String format,
    List<String> uniqueFields,
    String schema,
    String application,
    Set<String> fencedTargets,
    Set<String> connectTargets,
    long changedAtMs) {
  public RecordSetInfo {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(format, "format");
    uniqueFields = List.copyOf(uniqueFields);
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(application, "application");
    fencedTargets = Set.copyOf(fencedTargets);
    connectTargets = Set.copyOf(connectTargets);
  }

  public static RecordSetInfo of(GenericRecord record) {
    return new RecordSetInfo(
        record.get("name").toString(),
        record.get("topic").toString(),
        (Integer) record.get("partitions"),
        record.get("format").toString(),
        texts(record, "uniqueFields").toList(),
        record.get("schema").toString(),
        record.get("application").toString(),
        texts(record, "fencedTargets").collect(Collectors.toSet()),
        texts(record, "connectTargets").collect(Collectors.toSet()),
        (Long) record.get("changedAt"));
  }

  private static Stream<String> texts(GenericRecord record, String field) {
    return ((List<?>) record.get(field)).stream().map(Object::toString);
  }

  public GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(ControlSchemas.RECORD_SET);
    record.put("name", name);
    record.put("topic", topic);
    record.put("partitions", partitions);
    record.put("format", format);
    record.put("uniqueFields", uniqueFields);
    record.put("schema", schema);
    record.put("application", application);
    record.put("fencedTargets", List.copyOf(fencedTargets));
    record.put("connectTargets", List.copyOf(connectTargets));
    record.put("changedAt", changedAtMs);
    return record;
  }
}
