package io.indexview.kvstore;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Which store to open, and how.
 *
 * @param uri {@code embedded:/directory}, {@code oracle://host:port,host:port/storename} or {@code
 *     remote://host:port}
 * @param securityFile the Oracle client's login properties file, for a secured store
 * @param requestTimeout how long one request may take, retries of the client included
 * @param durability what an acknowledged write survives
 * @param cacheBytes memory of the embedded store; the other adapters ignore it
 * @param serverJars the directory that holds {@code kvstore.jar} of an Oracle server's release, to
 *     follow changes with; nothing: beside {@code kvclient.jar}
 */
public record KvStoreConfig(
    String uri,
    Optional<Path> securityFile,
    Duration requestTimeout,
    KvDurability durability,
    long cacheBytes,
    Optional<Path> serverJars) {
  private static final long DEFAULT_CACHE_BYTES = 64L << 20;

  public KvStoreConfig {
    Objects.requireNonNull(uri, "uri");
    Objects.requireNonNull(securityFile, "securityFile");
    Objects.requireNonNull(requestTimeout, "requestTimeout");
    Objects.requireNonNull(durability, "durability");
    Objects.requireNonNull(serverJars, "serverJars");
    if (requestTimeout.toMillis() < 1) {
      throw new IllegalArgumentException(
          "requestTimeout %s must be at least 1 ms.".formatted(requestTimeout));
    }
  }

  /** Defaults: no security, 5 s, durable writes, 64 MiB of cache. */
  public static KvStoreConfig of(String uri) {
    return new KvStoreConfig(
        uri,
        Optional.empty(),
        Duration.ofSeconds(5),
        KvDurability.SYNC,
        DEFAULT_CACHE_BYTES,
        Optional.empty());
  }

  public KvStoreConfig withSecurityFile(Path file) {
    return new KvStoreConfig(
        uri, Optional.of(file), requestTimeout, durability, cacheBytes, serverJars);
  }

  public KvStoreConfig withRequestTimeout(Duration timeout) {
    return new KvStoreConfig(uri, securityFile, timeout, durability, cacheBytes, serverJars);
  }

  public KvStoreConfig withDurability(KvDurability newDurability) {
    return new KvStoreConfig(
        uri, securityFile, requestTimeout, newDurability, cacheBytes, serverJars);
  }

  public KvStoreConfig withCacheBytes(long bytes) {
    return new KvStoreConfig(uri, securityFile, requestTimeout, durability, bytes, serverJars);
  }

  public KvStoreConfig withServerJars(Path directory) {
    return new KvStoreConfig(
        uri, securityFile, requestTimeout, durability, cacheBytes, Optional.of(directory));
  }
}
