package io.indexview.local;

import io.indexview.aws.AwsAccess;
import io.indexview.local.PartContext.Failures;
import io.indexview.schemas.Topics;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Exit;

/**
 * The stack on this machine: an Apache Kafka broker, a schema registry, a Connect worker, DynamoDB,
 * SQS, S3 with notifications, the embedded KV store. Everything listens on loopback, unless the
 * configuration says otherwise, and lives in this JVM, except registry and DynamoDB, child
 * processes that die with it. Safe for use by several threads.
 *
 * <p>With a data directory, a second start finds all data again, and the same ports when they are
 * still free. Only one stack at a time uses a data directory.
 */
public final class LocalStack implements StackAddresses, AutoCloseable {
  private final PartContext context;
  private final Lifecycle lifecycle;
  private final Deque<AutoCloseable> attached = new ArrayDeque<>();
  private final URI registryInside = URI.create("mock://" + UUID.randomUUID());
  private boolean closed;

  private LocalStack(PartContext context, Lifecycle lifecycle) {
    this.context = context;
    this.lifecycle = lifecycle;
  }

  /** Starts a stack without telling its progress. */
  public static LocalStack start(StackConfig config) {
    return start(config, line -> {});
  }

  /**
   * Starts all configured parts, in parallel where they do not need each other, and creates the
   * control topics.
   *
   * @param progress gets a line per step, from several threads
   * @throws StackException if a part cannot start; nothing runs then
   */
  public static LocalStack start(StackConfig config, Consumer<String> progress) {
    DataDirectory directory = DataDirectory.open(config.dataDirectory());
    Lifecycle lifecycle = new Lifecycle(progress);
    Failures failures = new Failures();
    try {
      Ports ports = Ports.choose(directory.root(), config.bind(), config.ports(), progress);
      PartContext context = new PartContext(config, directory, ports, failures);
      addParts(lifecycle, context);
      KafkaExit.intercept(failures);
      lifecycle.startAll();
      LocalStack stack = new LocalStack(context, lifecycle);
      if (lifecycle.runs(PartName.BROKER)) {
        stack.stackTopics().createControlTopics();
      }
      return stack;
    } catch (RuntimeException e) {
      lifecycle.stopAll().forEach(e::addSuppressed);
      lifecycle.close();
      KafkaExit.release(failures);
      directory.close();
      throw e;
    }
  }

  private static void addParts(Lifecycle lifecycle, PartContext context) {
    for (PartName name : PartName.values()) {
      if (context.config().parts().contains(name)) {
        lifecycle.add(name, () -> create(name, context, lifecycle));
      }
    }
  }

  private static Part create(PartName name, PartContext context, Lifecycle lifecycle) {
    return switch (name) {
      case BROKER -> new BrokerPart(context);
      case REGISTRY -> new RegistryPart(context);
      case CONNECT -> new ConnectPart(context);
      case DYNAMODB -> new DynamoDbPart(context);
      case SQS -> new SqsPart(context);
      case S3 -> new S3Part(context, () -> ((SqsPart) lifecycle.get(PartName.SQS)).notifications());
      case KV_STORE -> new KvStorePart(context);
    };
  }

  public StackConfig config() {
    return context.config();
  }

  public Path dataDirectory() {
    return context.directory().root();
  }

  @Override
  public String bootstrapServers() {
    return address(PartName.BROKER);
  }

  /**
   * Address of the registry. A stack without one has one inside this JVM, which is gone with it:
   * for tests.
   */
  @Override
  public URI registryUrl() {
    return has(PartName.REGISTRY) ? URI.create(address(PartName.REGISTRY)) : registryInside;
  }

  @Override
  public ConnectClient connect() {
    return new ConnectClient(URI.create(address(PartName.CONNECT)));
  }

  public URI dynamoDbUrl() {
    return URI.create(address(PartName.DYNAMODB));
  }

  @Override
  public AwsAccess dynamoDb() {
    return StandInClients.access(dynamoDbUrl());
  }

  public URI sqsUrl() {
    return URI.create(address(PartName.SQS));
  }

  @Override
  public AwsAccess sqs() {
    return StandInClients.access(sqsUrl());
  }

  @Override
  public URI queueUrl() {
    address(PartName.SQS);
    return SqsPart.queueUrl(context);
  }

  public URI s3Url() {
    return URI.create(address(PartName.S3));
  }

  @Override
  public AwsAccess s3() {
    return StandInClients.access(s3Url());
  }

  @Override
  public String bucket() {
    return config().bucket();
  }

  @Override
  public Topics topics() {
    return config().topics();
  }

  /** The KV store's address for connectors; in this JVM only, unless it is served. */
  @Override
  public String kvStoreUri() {
    return address(PartName.KV_STORE);
  }

  private String address(PartName part) {
    return lifecycle.get(part).address();
  }

  /** Whether it was asked for. */
  private boolean has(PartName part) {
    return config().parts().contains(part);
  }

  @Override
  public long queuedNotifications() {
    return has(PartName.SQS) ? StackAddresses.super.queuedNotifications() : 0;
  }

  /** Creates the primary-change topics of record sets that do not exist yet. */
  public void createChangeTopics(Collection<String> recordSets, int partitions) {
    stackTopics().createChangeTopics(recordSets, partitions);
  }

  private StackTopics stackTopics() {
    return new StackTopics(bootstrapServers(), topics());
  }

  /** Stops one part and starts it again on the same data and port. */
  public synchronized void restart(PartName part) {
    lifecycle.restart(part);
  }

  /** Name and address of every part that runs. */
  public List<Address> addresses() {
    return Stream.of(PartName.values())
        .filter(lifecycle::runs)
        .map(part -> new Address(part, address(part)))
        .toList();
  }

  /** Completes with the reason when a part has died by itself; the stack is then to be closed. */
  public CompletionStage<StackException> failure() {
    return context.failures().first().thenApply(this::explained).minimalCompletionStage();
  }

  private StackException explained(StackException failure) {
    try {
      return context
          .directory()
          .shortage()
          .map(
              shortage ->
                  new StackException(
                      "%s (%s %s)".formatted(failure.getMessage(), dataDirectory(), shortage),
                      failure))
          .orElse(failure);
    } catch (IOException e) {
      failure.addSuppressed(e);
      return failure;
    }
  }

  /**
   * Adds a user of the stack that is closed before the parts are; the last one attached is closed
   * first.
   */
  public synchronized void attach(AutoCloseable user) {
    attached.push(user);
  }

  /**
   * Stops everything, in order and bounded in time; removes a temporary data directory.
   *
   * @throws StackException if a part did not stop; the others have been stopped nevertheless
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    List<StackException> problems = new ArrayList<>(closeAttached());
    problems.addAll(lifecycle.stopAll());
    lifecycle.close();
    KafkaExit.release(context.failures());
    context.directory().close();
    if (!problems.isEmpty()) {
      StackException first = problems.get(0);
      problems.stream().skip(1).forEach(first::addSuppressed);
      throw first;
    }
  }

  private List<StackException> closeAttached() {
    List<StackException> problems = new ArrayList<>();
    while (!attached.isEmpty()) {
      try {
        attached.pop().close();
      } catch (Exception e) {
        problems.add(new StackException("cannot close what uses the stack: " + e.getMessage(), e));
      }
    }
    return problems;
  }

  /** Where a part is reached. */
  public record Address(PartName part, String address) {}

  /**
   * Keeps Kafka and Connect from ending the process: an exit becomes a reported failure of every
   * stack in this JVM, and an exception in the thread that asked for it. Their own shutdown hooks
   * are not installed, as the stack stops its parts itself, in order.
   */
  static final class KafkaExit {
    private static final Set<Failures> LISTENERS = new CopyOnWriteArraySet<>();

    private KafkaExit() {}

    static synchronized void intercept(Failures failures) {
      LISTENERS.add(failures);
      Exit.setExitProcedure((status, message) -> refuse("asked to exit", status, message));
      Exit.setHaltProcedure((status, message) -> refuse("asked to halt", status, message));
      Exit.setShutdownHookAdder((name, hook) -> {});
    }

    static synchronized void release(Failures failures) {
      LISTENERS.remove(failures);
      if (LISTENERS.isEmpty()) {
        Exit.resetExitProcedure();
        Exit.resetHaltProcedure();
        Exit.resetShutdownHookAdder();
      }
    }

    private static void refuse(String what, int status, String message) {
      String reason =
          "has failed: Kafka %s with status %d%s; see the log"
              .formatted(what, status, message == null ? "" : " (" + message + ")");
      ExitRefusedException refused = new ExitRefusedException(reason);
      LISTENERS.forEach(failures -> failures.report(PartName.BROKER, reason, refused));
      throw refused;
    }

    /** Ends the thread that wanted to end the process. */
    static final class ExitRefusedException extends RuntimeException {
      ExitRefusedException(String message) {
        super(message);
      }
    }
  }
}
