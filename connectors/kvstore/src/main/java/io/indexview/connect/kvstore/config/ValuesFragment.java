package io.indexview.connect.kvstore.config;

import static io.indexview.connect.kvstore.config.RecordSetsFragment.key;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.source.EventSchema;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.schemas.config.Validators.OneOf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.avro.SchemaParseException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** What the values of one record set are, and the schema of the records that they become. */
final class ValuesFragment extends ConfigFragment {
  private static final String FORMAT = "value.format";
  private static final String FORMAT_DISPLAY = "Value format";
  private static final String FORMAT_DOC =
      """
      How values are written in the store. avro: Avro binary of the record schema, without a header. \
      avro_store: as the store's own Avro bindings wrote them, with the number of a schema in front. \
      avro_registry: in the Confluent wire format, with ids of the schema registry that \
      schema.registry.url names. json: a JSON object. string: a text in UTF-8, the record's only \
      field, value. bytes: any bytes, likewise.\
      """;

  private static final String SCHEMA = "schema";
  private static final String SCHEMA_DISPLAY = "Record schema";
  private static final String SCHEMA_DOC =
      """
      Avro schema of the records, as JSON. Give this or the schema file; neither with the formats \
      string and bytes, whose records have a schema of their own.\
      """;

  private static final String SCHEMA_FILE = "schema.file";
  private static final String SCHEMA_FILE_DISPLAY = "Record schema file";
  private static final String SCHEMA_FILE_DOC =
      """
      File with the Avro schema of the records, on the disk of every worker. Give this or the \
      schema itself.\
      """;

  private static final String STORE_SCHEMAS = "store.schemas";
  private static final String STORE_SCHEMAS_DISPLAY = "Schemas of the store";
  private static final String STORE_SCHEMAS_DOC =
      """
      Of the format avro_store: the schemas that values are written with, as NUMBER:FILE,NUMBER:FILE, \
      the numbers being those of the store's catalog (show schemas of its command line). Clients of \
      current servers cannot ask the catalog.\
      """;

  private static final OneOf<ValueFormat> FORMATS = OneOf.of(ValueFormat.class);

  private final String recordSet;

  ValuesFragment(AbstractConfig config, String recordSet) {
    super(config);
    this.recordSet = recordSet;
  }

  static void update(ConfigGroup group, String recordSet) {
    group
        .optional(key(recordSet, FORMAT), Type.STRING, "avro", FORMATS, FORMAT_DISPLAY, FORMAT_DOC)
        .optional(
            key(recordSet, SCHEMA), Type.STRING, null, AvroSchemas.TEXT, SCHEMA_DISPLAY, SCHEMA_DOC)
        .optional(
            key(recordSet, SCHEMA_FILE),
            Type.STRING,
            null,
            AvroSchemas.FILE,
            SCHEMA_FILE_DISPLAY,
            SCHEMA_FILE_DOC)
        .optional(
            key(recordSet, STORE_SCHEMAS),
            Type.LIST,
            "",
            StoreSchemas.VALIDATOR,
            STORE_SCHEMAS_DISPLAY,
            STORE_SCHEMAS_DOC);
  }

  @Override
  public void validate(ConfigProblems problems) {
    boolean schema = schemaIsRight(problems);
    if (format() != ValueFormat.AVRO_STORE) {
      if (!storeSchemas().isEmpty()) {
        problems.add(
            key(recordSet, STORE_SCHEMAS),
            "only %s=avro_store takes schemas of the store".formatted(key(recordSet, FORMAT)));
      }
    } else if (storeSchemas().isEmpty()) {
      problems.add(
          key(recordSet, STORE_SCHEMAS),
          "%s=avro_store needs the schemas of the store, NUMBER:FILE"
              .formatted(key(recordSet, FORMAT)));
    } else if (schema) {
      validateStoreSchemas(problems);
    }
  }

  private boolean schemaIsRight(ConfigProblems problems) {
    String text = text(SCHEMA);
    String file = text(SCHEMA_FILE);
    if (format().ownSchema().isPresent()) {
      if (text != null || file != null) {
        problems.add(
            key(recordSet, text != null ? SCHEMA : SCHEMA_FILE),
            "leave it out: records of the format %s have a schema of their own"
                .formatted(text(FORMAT)));
        return false;
      }
      return true;
    }
    if ((text == null) == (file == null)) {
      problems.add(
          key(recordSet, SCHEMA),
          "give exactly one of %s and %s"
              .formatted(key(recordSet, SCHEMA), key(recordSet, SCHEMA_FILE)));
      return false;
    }
    return canBeOfEvents(schema(), text != null ? SCHEMA : SCHEMA_FILE, problems);
  }

  private boolean canBeOfEvents(Schema schema, String setting, ConfigProblems problems) {
    Optional<String> obstacle = EventSchema.obstacle(schema);
    obstacle.ifPresent(
        reason ->
            problems.add(
                key(recordSet, setting),
                "no event can hold records of the schema %s: %s; change the schema (a null has to be one type of a union)"
                    .formatted(schema.getFullName(), reason)));
    return obstacle.isEmpty();
  }

  private void validateStoreSchemas(ConfigProblems problems) {
    ValueConfig values = values();
    values
        .storeSchemas()
        .forEach(
            (id, written) -> {
              String obstacle = StoreSchemas.obstacle(written, values.schema());
              if (obstacle != null) {
                problems.add(
                    key(recordSet, STORE_SCHEMAS),
                    "schema %d cannot be read as the record schema: %s".formatted(id, obstacle));
              }
            });
  }

  /** What is configured, once it is validated. */
  ValueConfig values() {
    return new ValueConfig(
        format(),
        format().ownSchema().orElseGet(this::schema),
        StoreSchemas.parse(key(recordSet, STORE_SCHEMAS), storeSchemas()));
  }

  private Schema schema() {
    String text = text(SCHEMA);
    return text == null ? AvroSchemas.parseFile(text(SCHEMA_FILE)) : AvroSchemas.parse(text);
  }

  private ValueFormat format() {
    return FORMATS.parse(text(FORMAT));
  }

  private List<String> storeSchemas() {
    return config().getList(key(recordSet, STORE_SCHEMAS));
  }

  private String text(String setting) {
    return config().getString(key(recordSet, setting));
  }

  /** The schemas of a store's Avro catalog in a configuration: {@code NUMBER:FILE,NUMBER:FILE}. */
  static final class StoreSchemas {
    static final Validator VALIDATOR =
        ConfigDef.LambdaValidator.with(
            (key, value) -> check(key, (List<?>) value), () -> "NUMBER:FILE, each number once");

    private StoreSchemas() {}

    private static void check(String key, List<?> entries) {
      for (Map.Entry<Integer, String> entry : files(key, entries).entrySet()) {
        AvroSchemas.checkFile(key, entry.getValue());
      }
    }

    static Map<Integer, Schema> parse(String key, List<String> entries) {
      Map<Integer, Schema> schemas = new LinkedHashMap<>();
      files(key, entries).forEach((id, file) -> schemas.put(id, AvroSchemas.parseFile(file)));
      return schemas;
    }

    private static Map<Integer, String> files(String key, List<?> entries) {
      Map<Integer, String> files = new LinkedHashMap<>();
      for (Object entry : entries) {
        String[] parts = entry.toString().split(":", 2);
        if (parts.length < 2 || !parts[0].matches("[1-9][0-9]{0,8}")) {
          throw new ConfigException(
              key, entry, "Write NUMBER:FILE, the number as the store's catalog has it");
        }
        if (files.put(Integer.valueOf(parts[0]), parts[1]) != null) {
          throw new ConfigException(key, entry, "There is a file for this number already");
        }
      }
      return files;
    }

    /** Why records of one schema cannot be read as those of another; null: they can. */
    static String obstacle(Schema written, Schema wanted) {
      SchemaCompatibility.SchemaPairCompatibility pair =
          SchemaCompatibility.checkReaderWriterCompatibility(wanted, written);
      if (pair.getType() == SchemaCompatibilityType.COMPATIBLE) {
        return null;
      }
      return String.join(
          "; ",
          pair.getResult().getIncompatibilities().stream()
              .map(found -> "%s at %s".formatted(found.getMessage(), found.getLocation()))
              .toList());
    }
  }

  /** Avro record schemas in a configuration: as text, or in a file on the worker. */
  private static final class AvroSchemas {
    /** A schema as text; null passes. */
    static final Validator TEXT =
        ConfigDef.LambdaValidator.with(
            (key, value) -> {
              if (value != null) {
                checkRecord(key, "the text", () -> parse(value.toString()));
              }
            },
            () -> "an Avro record schema");

    /** A file with a schema; null passes. */
    static final Validator FILE =
        ConfigDef.LambdaValidator.with(
            (key, value) -> {
              if (value != null) {
                checkFile(key, value.toString());
              }
            },
            () -> "a file with an Avro record schema");

    private AvroSchemas() {}

    static void checkFile(String key, String file) {
      checkRecord(key, file, () -> parseFile(file));
    }

    private static void checkRecord(String key, Object shown, Supplier<Schema> schema) {
      try {
        if (schema.get().getType() != Schema.Type.RECORD) {
          throw new ConfigException(key, shown, "It is a schema of another type than record");
        }
      } catch (SchemaParseException e) {
        throw new ConfigException(key, shown, "It is no Avro schema: " + e.getMessage());
      }
    }

    static Schema parse(String json) {
      return new Schema.Parser().parse(json);
    }

    static Schema parseFile(String file) {
      try {
        return parse(Files.readString(Path.of(file)));
      } catch (IOException e) {
        throw new ConfigException(
            "schema file %s cannot be read: %s; put it on every worker".formatted(file, e));
      }
    }
  }
}
