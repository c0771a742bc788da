package io.indexview.streams.app;

import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.streams.config.AppConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.rocksdb.RocksDB;

/** Makes sure that state can be kept, before Kafka Streams finds out late. */
final class StateDirectory {
  private static final int ID_LENGTH = 8;

  /** Least free space: with less, RocksDB may not be able to write the next part of its state. */
  private static final long MIN_BYTES = 16 << 20;

  private StateDirectory() {}

  /** What keeps the state from being written; empty: nothing that shows. */
  static String trouble(Path directory) {
    try {
      long left = Files.getFileStore(directory).getUsableSpace();
      return left >= MIN_BYTES
          ? ""
          : "the disk of state.dir %s is full (%d bytes are left); free space, then restart the app, whose stream threads may stand still for ever"
              .formatted(directory, left);
    } catch (IOException e) {
      return "state.dir %s cannot be used: %s".formatted(directory, e);
    }
  }

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
   * What the ids of all clients of this process begin with. That of the configuration, else one
   * that stays with the directory, which no two instances share.
   *
   * @throws UncheckedIOException if the directory, which is prepared, cannot be read or written
   */
  static String clientId(AppConfig config) {
    return config
        .clientId()
        .orElseGet(
            () ->
                config.applicationId() + "-" + instance(config.stateDir(), config.applicationId()));
  }

  private static String instance(Path directory, String applicationId) {
    Path file = directory.resolve("instance-" + applicationId);
    try {
      String known = Files.exists(file) ? Files.readString(file).strip() : "";
      if (!known.isEmpty()) {
        return known;
      }
      String chosen = UUID.randomUUID().toString().substring(0, ID_LENGTH);
      Files.writeString(file, chosen);
      return chosen;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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
