package io.indexview.local;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The stack on this machine: an Apache Kafka broker, a schema registry, a Connect worker, DynamoDB,
 * SQS, S3 with notifications, the embedded KV store. Everything listens on loopback only and lives
 * in this JVM, except the registry, a child process that dies with it. Safe for use by several
 * threads.
 *
 * <p>With a data directory, a second start finds all data again, and the same ports when they are
 * still free. Only one stack at a time uses a data directory.
 */
public final class LocalStack implements AutoCloseable {
  private final StackConfig config;
  private final DataDirectory directory;

  private LocalStack(StackConfig config, DataDirectory directory) {
    this.config = config;
    this.directory = directory;
  }

  /** Starts a stack without telling its progress. */
  public static LocalStack start(StackConfig config) {
    return start(config, line -> {});
  }

  /**
   * Starts all configured parts, in parallel where they do not need each other.
   *
   * @param progress gets a line per step, from several threads
   * @throws StackException if a part cannot start; nothing runs then
   */
  public static LocalStack start(StackConfig config, Consumer<String> progress) {
    return new LocalStack(config, DataDirectory.open(config.dataDirectory()));
  }

  public StackConfig config() {
    return config;
  }

  public Path dataDirectory() {
    return directory.root();
  }

  /** {@code host:port} of the broker. */
  public String bootstrapServers() {
    throw absent(PartName.BROKER);
  }

  /** Base URL of the registry's Confluent API. */
  public URI registryUrl() {
    throw absent(PartName.REGISTRY);
  }

  /** REST client of the Connect worker. */
  public ConnectClient connect() {
    throw absent(PartName.CONNECT);
  }

  public URI dynamoDbUrl() {
    throw absent(PartName.DYNAMODB);
  }

  public URI sqsUrl() {
    throw absent(PartName.SQS);
  }

  /** URL of the queue that gets the bucket's notifications. */
  public URI queueUrl() {
    throw absent(PartName.SQS);
  }

  public URI s3Url() {
    throw absent(PartName.S3);
  }

  /** Directory of the embedded KV store, for {@code EmbeddedKvStore.open} in this JVM. */
  public Path kvStoreDirectory() {
    throw absent(PartName.KV_STORE);
  }

  /** Stops one part and starts it again on the same data and port. */
  public void restart(PartName part) {
    throw absent(part);
  }

  /** Name and address of every part that runs. */
  public List<Address> addresses() {
    return List.of();
  }

  /** Stops everything, in order and bounded in time; removes a temporary data directory. */
  @Override
  public void close() {
    directory.close();
  }

  private static IllegalStateException absent(PartName part) {
    return new IllegalStateException("the stack was started without " + part.label());
  }

  /** Where a part is reached. */
  public record Address(PartName part, String address) {}
}
