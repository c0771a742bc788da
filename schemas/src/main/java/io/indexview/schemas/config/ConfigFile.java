package io.indexview.schemas.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** The Java properties file that a process is configured with. */
public final class ConfigFile {
  private ConfigFile() {}

  /**
   * The values of the file that {@code --config} names.
   *
   * @throws InvalidConfigException if it cannot be read
   */
  public static Map<String, String> read(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidConfigException(
          "The configuration is not usable", List.of("--config " + file + ": " + e));
    }
    Map<String, String> values = new LinkedHashMap<>();
    properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
    return values;
  }
}
