package io.indexview.streams.app;

import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.streams.config.AppConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Makes sure that the state directory can be used, before Kafka Streams finds out late. */
final class StateDirectory {
  private StateDirectory() {}

  /**
   * @throws InvalidConfigException if it cannot be created or written to
   */
  static void prepare(Path directory) {
    try {
      Files.createDirectories(directory);
      Files.delete(Files.createTempFile(directory, "writable", null));
    } catch (IOException e) {
      throw new InvalidConfigException(
          "The configuration is not usable",
          List.of(
              "%s: %s cannot be written to: %s"
                  .formatted(AppConfig.STATE_DIR_CONFIG, directory, e)));
    }
  }
}
