package io.indexview.streams.app;

import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.streams.config.AppConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.rocksdb.RocksDB;

/** Makes sure that state can be kept, before Kafka Streams finds out late. */
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

  /**
   * Loads the native library of the state stores. Where that fails on a stream thread, RocksDB lets
   * every further thread wait for ever.
   *
   * @throws IllegalStateException if it cannot be loaded; the message says what helps
   */
  static void loadEngine() {
    try {
      RocksDB.loadLibrary();
    } catch (RuntimeException | LinkageError e) {
      throw new IllegalStateException(
          "RocksDB's native library cannot be loaded: %s. It is unpacked into the directory that the environment variable ROCKSDB_SHAREDLIB_DIR names, by default into %s: let it name a directory that exists, can be written to, and is not mounted noexec. It also needs glibc, with libpthread, which images based on musl do not have"
              .formatted(e.getMessage(), System.getProperty("java.io.tmpdir")),
          e);
    }
  }
}
