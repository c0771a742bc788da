package io.indexview.schemas.change;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.WireFormat;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.common.errors.SerializationException;

/**
 * Reads the values of one primary-change topic into change events. Of an envelope it decodes {@code
 * op} and {@code source.order} alone and steps over the rest; the record stays a slice of the
 * message. Not safe for use by several threads.
 */
public final class ChangeEventReader implements EventReader {
  private final SchemaRegistry registry;
  private final RecordFormat format;
  private final boolean tombstonesDelete;
  private final Map<Integer, EnvelopePlan> plans = new HashMap<>();
  private final Map<Integer, FlatPlan> flatPlans = new HashMap<>();
  private BinaryDecoder decoder;

  /** Reads a topic where a tombstone is a delete if the format is flat, and else says nothing. */
  public ChangeEventReader(SchemaRegistry registry, RecordFormat format) {
    this(registry, format, format == RecordFormat.FLAT);
  }

  /**
   * @param tombstonesDelete whether a message without a value is a delete; else it says nothing
   */
  public ChangeEventReader(SchemaRegistry registry, RecordFormat format, boolean tombstonesDelete) {
    this.registry = Objects.requireNonNull(registry, "registry");
    this.format = Objects.requireNonNull(format, "format");
    this.tombstonesDelete = tombstonesDelete;
  }

  @Override
  public String encoding() {
    return "avro";
  }

  @Override
  public byte[] key(byte[] key) {
    return key;
  }

  @Override
  public Optional<ChangeEvent> read(byte[] value, long recordTimestampMs)
      throws MalformedEventException {
    if (value == null) {
      return tombstonesDelete
          ? Optional.of(
              new ChangeEvent(Op.DELETE, recordTimestampMs, Origin.Unordered.INSTANCE, null))
          : Optional.empty();
    }
    int schemaId = schemaId(value);
    return Optional.of(
        format == RecordFormat.ENVELOPE
            ? readEnvelope(schemaId, value, recordTimestampMs)
            : readFlat(schemaId, value, recordTimestampMs));
  }

  private static int schemaId(byte[] value) throws MalformedEventException {
    try {
      return WireFormat.schemaId(value);
    } catch (SerializationException e) {
      throw new MalformedEventException("value: " + e.getMessage(), e);
    }
  }

  private ChangeEvent readFlat(int schemaId, byte[] value, long timestampMs)
      throws MalformedEventException {
    int length = value.length - WireFormat.HEADER_LENGTH;
    if (isDeletion(flatPlan(schemaId), value, length)) {
      return new ChangeEvent(Op.DELETE, timestampMs, Origin.Unordered.INSTANCE, null);
    }
    FramedValue record = new FramedValue(schemaId, value, WireFormat.HEADER_LENGTH, length);
    return new ChangeEvent(Op.READ, timestampMs, Origin.Unordered.INSTANCE, record);
  }

  private FlatPlan flatPlan(int schemaId) throws MalformedEventException {
    FlatPlan known = flatPlans.get(schemaId);
    if (known != null) {
      return known;
    }
    try {
      FlatPlan plan = FlatPlan.of(registry.byId(schemaId));
      flatPlans.put(schemaId, plan);
      return plan;
    } catch (RegistryException.NotFound | RegistryException.Rejected e) {
      throw unusableSchema(schemaId, e);
    }
  }

  private boolean isDeletion(FlatPlan plan, byte[] value, int length) {
    if (!plan.mayDelete()) {
      return false;
    }
    decoder = DecoderFactory.get().binaryDecoder(value, WireFormat.HEADER_LENGTH, length, decoder);
    try {
      return plan.isDeletion(decoder);
    } catch (IOException | RuntimeException | StackOverflowError e) {
      // No record of its schema, which whoever decodes it says.
      return false;
    }
  }

  private ChangeEvent readEnvelope(int schemaId, byte[] value, long timestampMs)
      throws MalformedEventException {
    EnvelopePlan plan = plan(schemaId);
    int length = value.length - WireFormat.HEADER_LENGTH;
    decoder = DecoderFactory.get().binaryDecoder(value, WireFormat.HEADER_LENGTH, length, decoder);
    EnvelopeFields fields;
    try {
      fields = plan.read(decoder, value.length);
    } catch (IOException | RuntimeException e) {
      throw new MalformedEventException(
          "value: the bytes are not what schema %d (%s) says".formatted(schemaId, plan.name()), e);
    } catch (StackOverflowError e) {
      throw new MalformedEventException(
          "value: a record of schema %d (%s) that is nested too deeply"
              .formatted(schemaId, plan.name()),
          e);
    }
    return fields.toEvent(schemaId, value, timestampMs);
  }

  private EnvelopePlan plan(int schemaId) throws MalformedEventException {
    EnvelopePlan known = plans.get(schemaId);
    if (known != null) {
      return known;
    }
    try {
      EnvelopePlan plan = EnvelopePlan.of(registry.byId(schemaId));
      plans.put(schemaId, plan);
      return plan;
    } catch (RegistryException.NotFound | RegistryException.Rejected e) {
      throw unusableSchema(schemaId, e);
    } catch (IllegalArgumentException e) {
      throw new MalformedEventException(
          "value: schema id %d: %s".formatted(schemaId, e.getMessage()), e);
    }
  }

  /** The registry's answer about an id is final, whether it has no schema or one of no use here. */
  private static MalformedEventException unusableSchema(int schemaId, RegistryException e) {
    return new MalformedEventException(
        e instanceof RegistryException.NotFound
            ? "value: the registry knows no schema of id %d; does the producer use another registry?"
                .formatted(schemaId)
            : "value: schema id %d: %s".formatted(schemaId, e.getMessage()),
        e);
  }
}
