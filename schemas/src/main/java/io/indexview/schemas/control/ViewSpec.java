package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.Objects;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * What is wanted of a view, as {@code view-definitions} holds it.
 *
 * @param definition as canonical JSON
 * @param version counts the changes; the ETag
 * @param changedAtMs ms since the epoch
 */
public record ViewSpec(
    String view, String definition, long version, BuildRequest build, long changedAtMs) {
  public ViewSpec {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(definition, "definition");
    Objects.requireNonNull(build, "build");
  }

  public static ViewSpec of(GenericRecord record) {
    return new ViewSpec(
        record.get("view").toString(),
        record.get("definition").toString(),
        (Long) record.get("version"),
        new BuildRequest(
            (Long) record.get("buildNumber"), BuildMode.of(record.get("buildMode").toString())),
        (Long) record.get("changedAt"));
  }

  public GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_DEFINITION);
    record.put("view", view);
    record.put("definition", definition);
    record.put("version", version);
    record.put("changedAt", changedAtMs);
    record.put("buildNumber", build.number());
    record.put("buildMode", build.mode().text());
    return record;
  }

  /**
   * Which build of a definition is wanted.
   *
   * @param number raised by a rebuild, set back by a rollback; from 0
   */
  public record BuildRequest(long number, BuildMode mode) {
    public static final BuildRequest FIRST = new BuildRequest(0, BuildMode.STATE);

    public BuildRequest {
      Objects.requireNonNull(mode, "mode");
    }
  }
}
