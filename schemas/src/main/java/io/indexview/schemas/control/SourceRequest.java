package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.Locale;
import java.util.Objects;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * Asks the sources of a primary-change topic for something, as {@code source-requests} holds it.
 *
 * @param number rises with each request of the kind. A source answers a snapshot with an ad-hoc
 *     snapshot whose request number is at least this, a scan by {@link SourceState#scanRequests}
 * @param requestedAtMs ms since the epoch
 */
public record SourceRequest(String topic, long number, long requestedAtMs, Kind kind) {
  private static final String SCAN = "|scan";

  public SourceRequest {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(kind, "kind");
  }

  /** Asks for an ad-hoc snapshot. */
  public SourceRequest(String topic, long number, long requestedAtMs) {
    this(topic, number, requestedAtMs, Kind.SNAPSHOT);
  }

  /** What is asked for. */
  public enum Kind {
    /** An ad-hoc snapshot: the source publishes every record again. */
    SNAPSHOT,
    /** A scan of everything, which publishes what differs. */
    SCAN
  }

  /** Key on the topic; sources of releases that know no scans do not look at theirs. */
  public String key() {
    return kind == Kind.SCAN ? scanKey(topic) : topic;
  }

  public static String scanKey(String topic) {
    return topic + SCAN;
  }

  public static SourceRequest of(GenericRecord record) {
    return new SourceRequest(
        record.get("topic").toString(),
        (Long) record.get("number"),
        (Long) record.get("requestedAt"),
        EnumFields.constant(Kind.class, "kind", record.get("kind")));
  }

  public GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(ControlSchemas.SOURCE_REQUEST);
    record.put("topic", topic);
    record.put("number", number);
    record.put("requestedAt", requestedAtMs);
    record.put("kind", kind.name().toLowerCase(Locale.ROOT));
    return record;
  }
}
