package io.indexview.local;

import io.indexview.kvstore.KvStoreConfig;
import io.indexview.schemas.Topics;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What to start, and where.
 *
 * @param dataDirectory where everything is kept; empty for a temporary one, removed at the end
 * @param lasting whether a later start is to find all data again; without, a part may keep its data
 *     in memory, and loses it when it is restarted
 * @param parts the parts to start; in place of the registry one inside this JVM does for tests
 * @param ports ports that must be used; a part without one gets a free port, and keeps it in its
 *     data directory
 * @param bind the address that parts listen on; other than loopback only for a stack of nothing but
 *     SQS, S3 and KV store
 * @param host the name in the addresses of parts, by which others reach what listens there
 * @param kvStoreServed whether other processes reach the KV store, too; else it has no port
 * @param pluginPath directory with plugins of other connectors for the Connect worker; empty for
 *     none
 * @param ownKvStore a KV store that is there already, in place of the embedded one; it stays as it
 *     is but for what connectors and server write there
 * @param topics names of the topics
 * @param bucket the bucket whose notifications go to the queue
 * @param queue name of the queue
 */
public record StackConfig(
    Optional<Path> dataDirectory,
    boolean lasting,
    Set<PartName> parts,
    Map<PartName, Integer> ports,
    InetAddress bind,
    String host,
    boolean kvStoreServed,
    Optional<Path> pluginPath,
    Optional<KvStoreConfig> ownKvStore,
    Topics topics,
    String bucket,
    String queue) {

  public static final String DEFAULT_BUCKET = "indexview-files";
  public static final String DEFAULT_QUEUE = "indexview-file-events";

  /** The account of the local S3; SQS and DynamoDB take any. */
  public static final String REGION = "us-east-1";

  public static final String ACCESS_KEY = "local";
  public static final String SECRET_KEY = "local-secret";

  private static final String LOOPBACK = "127.0.0.1";

  /** The parts that others may reach, for trials; of these only S3 wants an account. */
  private static final Set<PartName> REACHABLE =
      Set.of(PartName.SQS, PartName.S3, PartName.KV_STORE);

  /**
   * @throws IllegalArgumentException if a part has a port that it cannot use, or would listen where
   *     it must not
   */
  public StackConfig {
    parts = Set.copyOf(parts);
    ports = Map.copyOf(ports);
    for (PartName part : ports.keySet()) {
      if (!parts.contains(part)) {
        throw new IllegalArgumentException("port of %s: it is not started".formatted(part));
      }
    }
    if (ports.containsKey(PartName.KV_STORE) && !kvStoreServed) {
      throw new IllegalArgumentException(PartName.KV_STORE + " listens on no port");
    }
    if (kvStoreServed && ownKvStore.isPresent()) {
      throw new IllegalArgumentException("a KV store of one's own is not served once more");
    }
    if (!bind.isLoopbackAddress() && !REACHABLE.containsAll(parts)) {
      throw new IllegalArgumentException(
          "a stack of %s listens on loopback only".formatted(new TreeSet<>(parts)));
    }
  }

  /** Returns a copy with its data elsewhere, lasting or not as before. */
  public StackConfig withDataDirectory(Path directory) {
    return new StackConfig(
        Optional.of(directory),
        lasting,
        parts,
        ports,
        bind,
        host,
        kvStoreServed,
        pluginPath,
        ownKvStore,
        topics,
        bucket,
        queue);
  }

  /** Every part, free ports, a temporary data directory. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects a {@link StackConfig}. */
  public static final class Builder {
    private Optional<Path> dataDirectory = Optional.empty();
    private Set<PartName> parts = EnumSet.allOf(PartName.class);
    private final Map<PartName, Integer> ports = new EnumMap<>(PartName.class);
    private InetAddress bind = InetAddress.getLoopbackAddress();
    private String host;
    private boolean kvStoreServed;
    private Optional<Path> pluginPath = Optional.empty();
    private Optional<KvStoreConfig> ownKvStore = Optional.empty();
    private Topics topics = new Topics(Topics.DEFAULT_PREFIX);
    private String bucket = DEFAULT_BUCKET;
    private String queue = DEFAULT_QUEUE;

    private Builder() {}

    public Builder dataDirectory(Path directory) {
      dataDirectory = Optional.of(directory.toAbsolutePath().normalize());
      return this;
    }

    public Builder parts(PartName first, PartName... more) {
      parts = EnumSet.of(first, more);
      return this;
    }

    /** Uses this port for a part instead of a free one. */
    public Builder port(PartName part, int port) {
      if (port < 1 || port > 65_535) {
        throw new IllegalArgumentException(
            "port %d of %s: use 1 to 65535".formatted(port, part.label()));
      }
      ports.put(part, port);
      return this;
    }

    /** Makes parts listen on this address; see {@link StackConfig}. */
    public Builder bind(InetAddress address) {
      bind = address;
      return this;
    }

    /** The name by which others reach the parts; by default the address that these listen on. */
    public Builder host(String name) {
      host = name;
      return this;
    }

    /** Lets other processes use the KV store, at a port. */
    public Builder serveKvStore() {
      kvStoreServed = true;
      return this;
    }

    /**
     * Adds a directory that the Connect worker loads connectors from, each from a directory of its
     * own.
     */
    public Builder pluginPath(Path directory) {
      pluginPath = Optional.of(directory.toAbsolutePath().normalize());
      return this;
    }

    /** Works on a KV store that is there already, in place of the embedded one. */
    public Builder ownKvStore(KvStoreConfig store) {
      ownKvStore = Optional.of(store);
      return this;
    }

    public Builder topics(Topics names) {
      topics = names;
      return this;
    }

    public Builder bucket(String name) {
      bucket = name;
      return this;
    }

    public Builder queue(String name) {
      queue = name;
      return this;
    }

    /**
     * @throws IllegalArgumentException as {@link StackConfig}
     */
    public StackConfig build() {
      return new StackConfig(
          dataDirectory,
          dataDirectory.isPresent(),
          parts,
          ports,
          bind,
          host == null ? defaultHost() : host,
          kvStoreServed,
          pluginPath,
          ownKvStore,
          topics,
          bucket,
          queue);
    }

    private String defaultHost() {
      return bind.isAnyLocalAddress() ? LOOPBACK : bind.getHostAddress();
    }
  }
}
