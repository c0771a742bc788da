package io.indexview.connect.common.avro;

import io.apicurio.registry.serde.avro.NonRecordContainer;
import io.apicurio.registry.utils.converter.avro.AvroData;
import io.apicurio.registry.utils.converter.avro.AvroDataConfig;
import io.indexview.connect.common.errors.Occurrences;
import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.DebeziumTypes;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.views.encoding.PlainValues;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.SchemaParseException;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.storage.Converter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts between Connect data and Avro messages in the Confluent wire format, for keys and
 * values. Takes the keys of {@link RegistryConfig}.
 *
 * <p>A registry that does not answer, or refuses the converter, is a {@link RetriableException},
 * which the worker retries for {@code errors.retry.timeout}, without a word: so the log says once a
 * minute what is waited for. So is a schema id that the registry does not have, for states of
 * views: one that is passed over would count as shown to readers. Wrong bytes or data are a {@link
 * DataException}.
 */
public final class AvroConverter implements Converter, Versioned {
  private static final Logger LOGGER = LoggerFactory.getLogger(AvroConverter.class);
  private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);
  private static final int CACHED_SCHEMAS = 1_000;

  /**
   * Writes Avro schemas without traces of Connect: other readers see what a person would write. The
   * names of times that Avro has no type for are added.
   */
  private final AvroData toAvro = avroData(false);

  /** Reads the traces that are there: view sinks find their generation in them. */
  private final AvroData toConnect = avroData(true);

  private final Occurrences outages = new Occurrences(BETWEEN_LINES);
  private volatile boolean waits;
  private SchemaRegistry registry;

  /** Schemas that have their logical types, and whether nulls have to be read as such. */
  private final Map<org.apache.avro.Schema, Boolean> known = new WeakHashMap<>();

  private MessageWriter writer;
  private MessageReader reader;

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public ConfigDef config() {
    return RegistryConfig.configDef();
  }

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    registry = SchemaRegistries.create(configs);
    writer = new MessageWriter(registry, isKey);
    reader = new MessageReader(registry);
  }

  /** The Avro schema that a converter registers for data of a schema. */
  public static org.apache.avro.Schema written(Schema schema) {
    org.apache.avro.Schema written = avroData(false).fromConnectSchema(schema);
    addTimeTypes(schema, written, new HashSet<>());
    return written;
  }

  /**
   * Debezium tells types by the names of its schemas, which are not written. Dates and timestamps
   * get Avro's logical type in their place. Other times keep the name, or nobody would notice that
   * a column comes to have another unit.
   *
   * @param known full names of records that are seen to, as a record may hold itself
   */
  private static void addTimeTypes(
      Schema connect, org.apache.avro.Schema written, Set<String> known) {
    org.apache.avro.Schema avro = PlainValues.withoutNull(written);
    switch (avro.getType()) {
      case INT, LONG -> {
        if (connect.name() != null && DebeziumTypes.isTime(connect.name())) {
          DebeziumTypes.logicalType(connect.name())
              .ifPresentOrElse(
                  type -> type.addToSchema(avro),
                  () -> avro.addProp(DebeziumTypes.CONNECT_NAME, connect.name()));
        }
      }
      case ARRAY -> {
        if (connect.type() == Schema.Type.ARRAY) {
          addTimeTypes(connect.valueSchema(), avro.getElementType(), known);
        }
      }
      case MAP -> addTimeTypes(connect.valueSchema(), avro.getValueType(), known);
      case RECORD -> {
        if (known.add(avro.getFullName())) {
          for (Field field : connect.fields()) {
            addTimeTypes(field.schema(), avro.getFields().get(field.index()).schema(), known);
          }
        }
      }
      default -> {
        // Nothing in them has such a type.
      }
    }
  }

  @Override
  public byte[] fromConnectData(String topic, Schema schema, Object value) {
    if (value == null) {
      return null;
    }
    return translated(
        topic,
        () -> {
          // The same instance comes again and again.
          org.apache.avro.Schema written = toAvro.fromConnectSchema(schema);
          boolean nullsMatter = known.computeIfAbsent(written, first -> prepared(schema, first));
          Object read = nullsMatter ? StructWithNulls.of(value) : value;
          Object avro = toAvro.fromConnectData(schema, read);
          Object datum = avro instanceof NonRecordContainer<?> other ? other.getValue() : avro;
          return writer.write(topic, written, datum);
        });
  }

  /** Whether values of the schema may be null where it has a default. */
  private static boolean prepared(Schema schema, org.apache.avro.Schema written) {
    addTimeTypes(schema, written, new HashSet<>());
    // Of namespaces Avro does not say before that they are none; whoever reads it would.
    new org.apache.avro.Schema.Parser().parse(written.toString());
    return schema != null && StructWithNulls.matterFor(schema, new HashSet<>());
  }

  @Override
  public SchemaAndValue toConnectData(String topic, byte[] value) {
    if (value == null) {
      return SchemaAndValue.NULL;
    }
    return translated(
        topic,
        () -> {
          MessageReader.Message message = reader.read(topic, value);
          return toConnect.toConnectData(message.schema(), message.value());
        });
  }

  @Override
  public void close() {
    if (registry != null) {
      registry.close();
    }
  }

  private static AvroData avroData(boolean connectMetaData) {
    return new AvroData(
        new AvroDataConfig(
            Map.of(
                AvroDataConfig.SCHEMAS_CACHE_SIZE_CONFIG,
                CACHED_SCHEMAS,
                // Records keep their namespace, enums stay enums.
                AvroDataConfig.ENHANCED_AVRO_SCHEMA_SUPPORT_CONFIG,
                true,
                AvroDataConfig.CONNECT_META_DATA_CONFIG,
                connectMetaData)));
  }

  private <T> T translated(String topic, Supplier<T> conversion) {
    try {
      T converted = conversion.get();
      if (waits) {
        waits = false;
        LOGGER.info("Records of topic {} are converted again", topic);
      }
      return converted;
    } catch (RegistryException e) {
      if (!e.isOutage()) {
        throw new DataException("topic " + topic + ": " + e.getMessage(), e);
      }
      throw waiting(topic, e, "see to it that it runs and lets this converter in");
    } catch (SerializationException e) {
      if (e.getCause() instanceof RegistryException.NotFound unknown
          && Topics.isViewStates(topic)) {
        throw waiting(topic, unknown, "restore it with its ids");
      }
      throw new DataException(e.getMessage(), e);
    } catch (SchemaParseException e) {
      throw new DataException(
          "topic %s: %s; Avro takes names of A-Z a-z 0-9 _ alone: rename it, or set schema.name.adjustment.mode=avro and field.name.adjustment.mode=avro in a connector of Debezium"
              .formatted(topic, e.getMessage()),
          e);
    } catch (AvroRuntimeException
        | DataException
        | ArithmeticException
        | IllegalArgumentException e) {
      // The latter two of values that are none of their logical type, which Avro does not look at.
      throw new DataException("topic " + topic + ": " + e.getMessage(), e);
    } catch (StackOverflowError e) {
      throw new DataException("topic " + topic + ": a value that is nested too deeply", e);
    }
  }

  private RetriableException waiting(String topic, RegistryException cause, String remedy) {
    waits = true;
    if (outages.occurred(System.currentTimeMillis()) > 0) {
      LOGGER.warn(
          "Records of topic {} wait for the schema registry: {}; {} ({}); the task goes on by itself with errors.retry.timeout=-1",
          topic,
          cause.getMessage(),
          remedy,
          RegistryConfig.URL_CONFIG);
    }
    return new RetriableException("topic " + topic + ": " + cause.getMessage(), cause);
  }
}
