package io.indexview.local;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.pattern.Patterns;
import org.elasticmq.ImmediateNextDelivery$;
import org.elasticmq.MessageContent;
import org.elasticmq.NewMessageData;
import org.elasticmq.NodeAddress;
import org.elasticmq.StrictSQSLimits$;
import org.elasticmq.actor.QueueManagerActor;
import org.elasticmq.actor.queue.QueueEvent;
import org.elasticmq.msg.LookupQueue;
import org.elasticmq.msg.SendMessage;
import org.elasticmq.persistence.sql.SqlQueuePersistenceActor;
import org.elasticmq.persistence.sql.SqlQueuePersistenceConfig;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import org.elasticmq.util.NowProvider;
import scala.Option;
import scala.collection.immutable.Map$;
import scala.concurrent.Await;
import scalikejdbc.ConnectionPool;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/**
 * An SQS server (ElasticMQ) that keeps queues and messages in an H2 file, with the queue of the
 * bucket's notifications and its dead-letter queue.
 *
 * <p>Its persistence has one connection pool per JVM: only one stack with this part at a time.
 */
final class SqsPart implements Part {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final String ACCOUNT = "000000000000";
  private static final int MAX_RECEIVES = 10;

  private final PartContext context;
  private Connection database;
  private ActorSystem actors;
  private SQSRestServer server;
  private QueueGate gate;
  private volatile QueueSender notifications;

  SqsPart(PartContext context) {
    this.context = context;
  }

  @Override
  public PartName name() {
    return PartName.SQS;
  }

  @Override
  public Set<PartName> needs() {
    return Set.of();
  }

  @Override
  public void start() throws Exception {
    actors = ActorSystem.create("elasticmq", configuration());
    ActorRef persistence = actors.actorOf(persistence());
    ActorRef queues =
        actors.actorOf(
            Props.create(
                QueueManagerActor.class,
                () ->
                    new QueueManagerActor(
                        new NowProvider(), StrictSQSLimits$.MODULE$, Option.apply(persistence))));
    restore(persistence, queues);
    server =
        SQSRestServerBuilder.withActorSystem(actors)
            .withQueueManagerActor(queues)
            .withQueueEventListener(persistence)
            .withInterface(PartContext.HOST)
            .withDynamicPort()
            .withServerAddress(publicAddress())
            .withAWSRegion(StackConfig.REGION)
            .withAWSAccountId(ACCOUNT)
            .start();
    int port = server.waitUntilStarted().localAddress().getPort();
    StackConfig config = context.config();
    gate =
        new QueueGate(
            config.bind(),
            context.ports().of(PartName.SQS),
            config.host(),
            URI.create("http://%s:%d".formatted(PartContext.HOST, port)));
    createQueues();
    notifications = QueueSender.of(queues, context.config().queue());
  }

  /** What it calls its queues by. */
  private NodeAddress publicAddress() {
    int port = context.ports().of(PartName.SQS);
    return new NodeAddress("http", context.config().host(), port, "");
  }

  /** The way of the bucket's notifications into their queue. */
  QueueSender notifications() {
    return notifications;
  }

  private static Config configuration() {
    return ConfigFactory.parseMap(
            Map.of(
                "pekko.loglevel", "WARNING",
                "pekko.daemonic", "on",
                "pekko.jvm-shutdown-hooks", "off",
                "pekko.coordinated-shutdown.run-by-jvm-shutdown-hook", "off"))
        .withFallback(ConfigFactory.load(SqsPart.class.getClassLoader()));
  }

  private Props persistence() throws SQLException {
    Path file = context.directory().of("sqs").resolve("queues");
    // Write at each commit: an answered request must survive the end of the process.
    String url = "jdbc:h2:file:" + file + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE";
    database = DriverManager.getConnection(url, "", "");
    // The persistence opens its pool once per JVM; a later stack's database must replace it.
    ConnectionPool.singleton(
        url,
        "",
        "",
        ConnectionPool.singleton$default$4(),
        ConnectionPool.DEFAULT_CONNECTION_POOL_FACTORY());
    SqlQueuePersistenceConfig config =
        new SqlQueuePersistenceConfig(true, "org.h2.Driver", url, "", "", false);
    return Props.create(
        SqlQueuePersistenceActor.class,
        () ->
            new SqlQueuePersistenceActor(config, scala.collection.immutable.List$.MODULE$.empty()));
  }

  private static void restore(ActorRef persistence, ActorRef queues) throws Exception {
    Object answer =
        Patterns.ask(persistence, new QueueEvent.Restore(queues), TIMEOUT)
            .toCompletableFuture()
            .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    if (answer instanceof scala.util.Left<?, ?> errors) {
      throw new StackException("sqs cannot restore its queues: " + errors.value());
    }
  }

  private void createQueues() {
    String queue = context.config().queue();
    String deadLetters = queue + "-dead-letters";
    try (SqsClient client = StandInClients.sqs(context.ownUrl(PartName.SQS))) {
      client.createQueue(request -> request.queueName(deadLetters));
      String policy =
          "{\"deadLetterTargetArn\":\"arn:aws:sqs:%s:%s:%s\",\"maxReceiveCount\":\"%d\"}"
              .formatted(StackConfig.REGION, ACCOUNT, deadLetters, MAX_RECEIVES);
      client.createQueue(
          request ->
              request
                  .queueName(queue)
                  .attributes(Map.of(QueueAttributeName.REDRIVE_POLICY, policy)));
    }
  }

  static URI queueUrl(PartContext context) {
    return URI.create(context.url(PartName.SQS) + "/" + ACCOUNT + "/" + context.config().queue());
  }

  /** Messages of the queue: visible, delayed and in flight. */
  static long messages(SqsClient client, URI queueUrl) {
    List<QueueAttributeName> counts =
        List.of(
            QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES,
            QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_DELAYED,
            QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE);
    return client
        .getQueueAttributes(request -> request.queueUrl(queueUrl.toString()).attributeNames(counts))
        .attributes()
        .values()
        .stream()
        .mapToLong(Long::parseLong)
        .sum();
  }

  @Override
  public String address() {
    return context.url(PartName.SQS);
  }

  @Override
  public void stop() throws Exception {
    if (gate != null) {
      gate.close();
    }
    if (server != null) {
      server.stopAndGetFuture().apply();
    }
    if (actors != null) {
      Await.result(
          actors.terminate(),
          scala.concurrent.duration.Duration.create(TIMEOUT.toSeconds(), TimeUnit.SECONDS));
    }
    ConnectionPool.closeAll();
    if (database != null) {
      try (Statement statement = database.createStatement()) {
        statement.execute("SHUTDOWN");
      }
    }
  }

  /**
   * Sends to one queue of the SQS server, past its REST API: a request there takes milliseconds of
   * parsing, which every change of an object in S3 would wait for.
   */
  static final class QueueSender {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final ActorRef queue;

    private QueueSender(ActorRef queue) {
      this.queue = queue;
    }

    /** A sender to a queue that exists. */
    static QueueSender of(ActorRef queues, String name) {
      Object found = ask(queues, new LookupQueue(name));
      if (found instanceof Option<?> option && option.isDefined()) {
        return new QueueSender((ActorRef) option.get());
      }
      throw new StackException("sqs has no queue " + name);
    }

    /** Returns when the message is stored. */
    void send(String body) {
      ask(
          queue,
          new SendMessage(
              new NewMessageData(
                  Option.empty(),
                  new MessageContent(body),
                  Map$.MODULE$.empty(),
                  ImmediateNextDelivery$.MODULE$,
                  Option.empty(),
                  Option.empty(),
                  0,
                  Option.empty(),
                  Option.empty(),
                  Option.empty())));
    }

    private static Object ask(ActorRef actor, Object question) {
      try {
        return Patterns.ask(actor, question, TIMEOUT)
            .toCompletableFuture()
            .get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StackException("interrupted while asking sqs", e);
      } catch (ExecutionException e) {
        throw new StackException("sqs has failed: " + e.getCause(), e.getCause());
      } catch (TimeoutException e) {
        throw new StackException("sqs did not answer in time", e);
      }
    }
  }
}
