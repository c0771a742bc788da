package io.indexview.local;

import io.indexview.schemas.Topics;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What to start, and where.
 *
 * @param dataDirectory where everything is kept; empty for a temporary one, removed at the end
 * @param lasting whether a later start is to find all data again; without, a part may keep its data
 *     in memory, and loses it when it is restarted
 * @param parts the parts to start
 * @param ports ports that must be used; a part without one gets a free port, and keeps it in its
 *     data directory
 * @param topics names of the topics
 * @param bucket the bucket whose notifications go to the queue
 * @param queue name of the queue
 */
public record StackConfig(
    Optional<Path> dataDirectory,
    boolean lasting,
    Set<PartName> parts,
    Map<PartName, Integer> ports,
    Topics topics,
    String bucket,
    String queue) {

  public static final String DEFAULT_BUCKET = "indexview-files";
  public static final String DEFAULT_QUEUE = "indexview-file-events";

  /** The account that the local S3, SQS and DynamoDB accept. */
  public static final String REGION = "us-east-1";

  public static final String ACCESS_KEY = "local";
  public static final String SECRET_KEY = "local-secret";

  public StackConfig {
    parts = Set.copyOf(parts);
    ports = Map.copyOf(ports);
  }

  /** The same, with its data elsewhere, lasting or not as before. */
  public StackConfig withDataDirectory(Path directory) {
    return new StackConfig(Optional.of(directory), lasting, parts, ports, topics, bucket, queue);
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
      if (!part.listens()) {
        throw new IllegalArgumentException(part.label() + " listens on no port");
      }
      if (port < 1 || port > 65_535) {
        throw new IllegalArgumentException(
            "port %d of %s: use 1 to 65535".formatted(port, part.label()));
      }
      ports.put(part, port);
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

    public StackConfig build() {
      return new StackConfig(
          dataDirectory, dataDirectory.isPresent(), parts, ports, topics, bucket, queue);
    }
  }
}
