package io.indexview.connect.s3.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.s3.AwsTestConfig;
import io.indexview.connect.s3.client.AwsClients;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

class SqsEventQueueIT extends EventQueueContract {
  private static final Duration LONG_POLL = Duration.ofSeconds(1);
  private static final Duration SENT_MEANWHILE = Duration.ofSeconds(10);
  private static final int MAX_RECEIVERS = 64;

  /** From those who wait, however slow the machine is. */
  private static final Duration HIDDEN = Duration.ofMinutes(10);

  private static SQSRestServer server;
  private static URI endpoint;
  private static int queues;

  private SqsAsyncClient client;
  private String url;
  private SqsEventQueue queue;

  @BeforeAll
  static void startServer() {
    server = SQSRestServerBuilder.withInterface("127.0.0.1").withDynamicPort().start();
    endpoint = URI.create("http://127.0.0.1:" + server.waitUntilStarted().localAddress().getPort());
  }

  @AfterAll
  static void stopServer() {
    // It would wait until long polls are over, though nobody waits for them any more.
    server.stopAndGetFuture().apply();
  }

  @BeforeEach
  void createQueue() {
    client = AwsClients.sqs(AwsTestConfig.access(endpoint), LONG_POLL);
    url = client.createQueue(r -> r.queueName("events-" + queues++)).join().queueUrl();
    queue = new SqsEventQueue(client, url);
  }

  @AfterEach
  void closeQueue() {
    queue.close();
  }

  @Override
  EventQueue queue() {
    return queue;
  }

  @Override
  void send(String body) {
    client.sendMessage(r -> r.queueUrl(url).messageBody(body)).join();
  }

  @Override
  void pass(Duration duration) {
    await().pollDelay(duration.plusMillis(100).toMillis(), TimeUnit.MILLISECONDS).until(() -> true);
  }

  @Test
  void waitsForAMessageAsLongAsAsked() {
    assertThat(queue.receive(LONG_POLL, LONG_POLL).join()).isEmpty();
    var waiting = queue.receive(SENT_MEANWHILE, LONG_POLL);

    send("body");

    assertThat(waiting.join()).extracting(QueueMessage::body).containsExactly("body");
  }

  @Test
  void tellsWhenAMessageWasSent() {
    Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    send("body");
    Instant after = Instant.now();

    assertThat(queue.receive(LONG_POLL, HIDDEN).join().get(0).sentAt()).isBetween(before, after);
  }

  @Test
  void deletesWhileAsManyReceiveRequestsWaitAsThereMayBe() {
    send("body");
    QueueMessage message = queue.receive(LONG_POLL, HIDDEN).join().get(0);
    List<CompletableFuture<List<QueueMessage>>> waiting = new ArrayList<>();
    for (int i = 0; i < MAX_RECEIVERS; i++) {
      waiting.add(queue.receive(Duration.ofSeconds(20), LONG_POLL));
    }

    EventQueue.Receipt receipt = new EventQueue.Receipt(message.id(), message.receiptHandle());
    assertThat(queue.deleteBatch(List.of(receipt)).join()).isEqualTo(EventQueue.Outcome.DONE);
    waiting.forEach(request -> request.cancel(true));
  }

  @Test
  void saysAfterHowManyReceiptsAMessageIsTakenAway() {
    assertThat(queue.maxReceives().join()).isEmpty();

    client.createQueue(r -> r.queueName("given-up")).join();
    String policy =
        "{\"deadLetterTargetArn\":\"arn:aws:sqs:elasticmq:000000000000:given-up\",\"maxReceiveCount\":\"12\"}";
    client
        .setQueueAttributes(
            r -> r.queueUrl(url).attributes(Map.of(QueueAttributeName.REDRIVE_POLICY, policy)))
        .join();
    assertThat(queue.maxReceives().join()).hasValue(12);
  }

  @Test
  void saysThatAMissingQueueNeedsSomebody() {
    try (SqsEventQueue missing =
        new SqsEventQueue(
            AwsClients.sqs(AwsTestConfig.access(endpoint), LONG_POLL),
            url.replace("events-", "missing-"))) {
      assertThatThrownBy(() -> missing.receive(Duration.ZERO, LONG_POLL).join())
          .cause()
          .isInstanceOf(AwsRequestException.Permanent.class)
          .hasMessageContaining("missing-");
    }
  }

  @Test
  void saysThatAServerOutOfReachMayComeBack() {
    try (SqsEventQueue unreachable =
        new SqsEventQueue(
            AwsClients.sqs(AwsTestConfig.access(URI.create("http://127.0.0.1:1")), LONG_POLL),
            url)) {
      assertThatThrownBy(
              () -> unreachable.deleteBatch(List.of(new EventQueue.Receipt("id", "handle"))).join())
          .cause()
          .isInstanceOf(AwsRequestException.Unavailable.class);
    }
  }
}
