package io.indexview.demo;

import io.indexview.kvstore.KvStoreConfig;
import io.indexview.local.pipeline.PipelineSpec;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An Oracle NoSQL store that a local stack works on in place of its embedded one. It stays with the
 * stack's data: topics and indexes there speak of this store.
 *
 * @param helpers host:port, several separated by commas
 * @param client directory of kvclient.jar; empty: the client that comes along
 * @param security the client's login properties file
 */
record OwnStore(String helpers, String name, Optional<Path> client, Optional<Path> security) {
  private static final String FILE = "kv-store.properties";
  private static final String STORE = "store";
  private static final String CLIENT = "client";
  private static final String SECURITY = "security";
  private static final String CLIENT_JAR = "kvclient.jar";

  private static final Pattern ADDRESS =
      Pattern.compile("(?:oracle://)?([^/,]+:\\d{1,5}(?:,[^/,]+:\\d{1,5})*)/([A-Za-z0-9_.-]+)");

  /**
   * The store that options name, or that the stack of a data directory had last; empty: the
   * embedded one.
   *
   * @param address of --kv-store; null: not given
   * @param client of --kvclient; null: as last time
   * @param security of --kv-security; null: as last time
   * @throws IllegalArgumentException if it cannot be that store, or that cannot be the stack's
   */
  static Optional<OwnStore> of(Path data, String address, Path client, Path security) {
    Optional<OwnStore> before = saved(data);
    if (address == null && before.isEmpty()) {
      if (client != null || security != null) {
        throw new IllegalArgumentException(
            "--kvclient and --kv-security are of a store of your own: add --kv-store HOST:PORT/STORE");
      }
      return Optional.empty();
    }
    OwnStore store = before.map(last -> last.with(address, client, security)).orElse(null);
    if (store == null) {
      if (PipelineSpec.saved(data).isPresent()) {
        throw new IllegalArgumentException(
            "--kv-store %s: the stack in %s has the embedded store; use another --data DIR"
                .formatted(address, data));
      }
      store = parse(address, client, security);
    }
    store.requireFiles();
    return Optional.of(store);
  }

  private static OwnStore parse(String address, Path client, Path security) {
    Matcher matcher = ADDRESS.matcher(address);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "--kv-store %s: use HOST:PORT/STORE, or HOST:PORT,HOST:PORT/STORE".formatted(address));
    }
    return new OwnStore(
        matcher.group(1),
        matcher.group(2),
        Optional.ofNullable(client),
        Optional.ofNullable(security));
  }

  /**
   * Returns the store with another address and other files; only its nodes and files may change,
   * not the store itself.
   */
  private OwnStore with(String address, Path newClient, Path newSecurity) {
    OwnStore now =
        address == null ? this : parse(address, client.orElse(null), security.orElse(null));
    if (!now.name.equals(name)) {
      throw new IllegalArgumentException(
          "--kv-store %s: the stack works on store %s of %s; use another --data DIR"
              .formatted(address, name, helpers));
    }
    return new OwnStore(
        now.helpers,
        name,
        Optional.ofNullable(newClient).or(() -> client),
        Optional.ofNullable(newSecurity).or(() -> security));
  }

  private void requireFiles() {
    client
        .filter(directory -> !Files.isReadable(directory.resolve(CLIENT_JAR)))
        .ifPresent(
            directory -> {
              throw new IllegalArgumentException(
                  "--kvclient %s: there is no %s; use the directory lib of the server's release"
                      .formatted(directory, CLIENT_JAR));
            });
    security
        .filter(file -> !Files.isReadable(file))
        .ifPresent(
            file -> {
              throw new IllegalArgumentException(
                  "--kv-security %s: the file cannot be read".formatted(file));
            });
  }

  /** How to open it, from now on with its client. */
  KvStoreConfig open() {
    client.ifPresent(
        directory ->
            System.setProperty(
                "indexview.kvclient.jar",
                directory.resolve(CLIENT_JAR).toAbsolutePath().toString()));
    KvStoreConfig config = KvStoreConfig.of("oracle://%s/%s".formatted(helpers, name));
    return security.map(Path::toAbsolutePath).map(config::withSecurityFile).orElse(config);
  }

  /** Keeps it with a stack's data. */
  void save(Path data) {
    Properties properties = new Properties();
    properties.setProperty(STORE, helpers + "/" + name);
    client.ifPresent(path -> properties.setProperty(CLIENT, path.toAbsolutePath().toString()));
    security.ifPresent(path -> properties.setProperty(SECURITY, path.toAbsolutePath().toString()));
    try (Writer writer = Files.newBufferedWriter(data.resolve(FILE))) {
      properties.store(writer, "The store that this stack works on.");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<OwnStore> saved(Path data) {
    Path file = data.resolve(FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Optional.of(
        parse(
            properties.getProperty(STORE, ""),
            path(properties, CLIENT),
            path(properties, SECURITY)));
  }

  /** Null: not set. */
  private static Path path(Properties properties, String key) {
    String text = properties.getProperty(key);
    return text == null ? null : Path.of(text);
  }
}
