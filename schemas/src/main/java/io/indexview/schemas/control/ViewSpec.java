package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * What is wanted of a view, as {@code view-definitions} holds it.
 *
 * @param definition as canonical JSON
 * @param version counts the changes; the ETag
 * @param changedAtMs ms since the epoch
 * @param verificationInterval from one verification to the next, zero: never by itself; empty: as
 *     the servers say. No generation depends on it
 */
public record ViewSpec(
    String view,
    String definition,
    long version,
    BuildRequest build,
    long changedAtMs,
    Optional<Duration> verificationInterval) {
  public ViewSpec {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(definition, "definition");
    Objects.requireNonNull(build, "build");
    Objects.requireNonNull(verificationInterval, "verificationInterval");
  }

  public static ViewSpec of(GenericRecord record) {
    return new ViewSpec(
        record.get("view").toString(),
        record.get("definition").toString(),
        (Long) record.get("version"),
        new BuildRequest(
            (Long) record.get("buildNumber"), BuildMode.of(record.get("buildMode").toString())),
        (Long) record.get("changedAt"),
        Optional.ofNullable((Long) record.get("verificationIntervalMs")).map(Duration::ofMillis));
  }

  public GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_DEFINITION);
    record.put("view", view);
    record.put("definition", definition);
    record.put("version", version);
    record.put("changedAt", changedAtMs);
    record.put("buildNumber", build.number());
    record.put("buildMode", build.mode().text());
    record.put("verificationIntervalMs", verificationInterval.map(Duration::toMillis).orElse(null));
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
