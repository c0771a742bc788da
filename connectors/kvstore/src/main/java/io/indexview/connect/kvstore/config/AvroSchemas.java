package io.indexview.connect.kvstore.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.apache.avro.Schema;
import org.apache.avro.SchemaParseException;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** Avro record schemas in a configuration: as text, or in a file on the worker. */
final class AvroSchemas {
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
