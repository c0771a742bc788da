package io.indexview.schemas.control;

import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.serde.ControlSchemas;
import java.util.Objects;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * A generation as {@code view-generations} holds it.
 *
 * @param definition as canonical JSON
 * @param viewTopicId Kafka's id of the topic that was created for it; empty: not known
 * @param createdAtMs ms since the epoch
 * @param build of the spec that it was frozen for
 * @param stopped whether tasks have to stop writing it, and to report so
 */
public record PublishedGeneration(
    String view,
    int generation,
    String definition,
    String recordSet,
    String sourceTopic,
    String viewTopic,
    String viewTopicId,
    SchemaIds schemas,
    int encodingVersion,
    long createdAtMs,
    BuildRequest build,
    boolean stopped) {
  public PublishedGeneration {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(definition, "definition");
    Objects.requireNonNull(recordSet, "recordSet");
    Objects.requireNonNull(sourceTopic, "sourceTopic");
    Objects.requireNonNull(viewTopic, "viewTopic");
    Objects.requireNonNull(viewTopicId, "viewTopicId");
    Objects.requireNonNull(schemas, "schemas");
    Objects.requireNonNull(build, "build");
  }

  /**
   * Ids in the registry.
   *
   * @param reader the record schema that it reads with
   * @param key its key schema carries the frozen generation
   */
  public record SchemaIds(int reader, int key, int value) {}

  /** Key on the topic. */
  public static String key(String view, int generation) {
    return view + "|" + generation;
  }

  public String key() {
    return key(view, generation);
  }

  /** Returns a copy that tells the tasks to stop writing the generation. */
  public PublishedGeneration toStopped() {
    return new PublishedGeneration(
        view,
        generation,
        definition,
        recordSet,
        sourceTopic,
        viewTopic,
        viewTopicId,
        schemas,
        encodingVersion,
        createdAtMs,
        build,
        true);
  }

  public static PublishedGeneration of(GenericRecord record) {
    return new PublishedGeneration(
        record.get("view").toString(),
        (Integer) record.get("generation"),
        record.get("definition").toString(),
        record.get("recordSet").toString(),
        record.get("sourceTopic").toString(),
        record.get("viewTopic").toString(),
        record.get("viewTopicId").toString(),
        new SchemaIds(
            (Integer) record.get("readerSchemaId"),
            (Integer) record.get("keySchemaId"),
            (Integer) record.get("valueSchemaId")),
        (Integer) record.get("encodingVersion"),
        (Long) record.get("createdAt"),
        new BuildRequest(
            (Long) record.get("buildNumber"), BuildMode.of(record.get("buildMode").toString())),
        (Boolean) record.get("stopped"));
  }

  public GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_GENERATION);
    record.put("view", view);
    record.put("generation", generation);
    record.put("definition", definition);
    record.put("recordSet", recordSet);
    record.put("sourceTopic", sourceTopic);
    record.put("viewTopic", viewTopic);
    record.put("viewTopicId", viewTopicId);
    record.put("readerSchemaId", schemas.reader());
    record.put("keySchemaId", schemas.key());
    record.put("valueSchemaId", schemas.value());
    record.put("encodingVersion", encodingVersion);
    record.put("createdAt", createdAtMs);
    record.put("buildNumber", build.number());
    record.put("buildMode", build.mode().text());
    record.put("stopped", stopped);
    return record;
  }
}
