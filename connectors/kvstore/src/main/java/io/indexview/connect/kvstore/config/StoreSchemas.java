package io.indexview.connect.kvstore.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.SchemaCompatibility.SchemaCompatibilityType;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigException;

/** The schemas of a store's Avro catalog in a configuration: {@code NUMBER:FILE,NUMBER:FILE}. */
final class StoreSchemas {
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
