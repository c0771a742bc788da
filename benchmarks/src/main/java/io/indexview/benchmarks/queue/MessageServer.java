package io.indexview.benchmarks.queue;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchResponse;

/**
 * An SQS server (ElasticMQ) with a queue in memory for each trial, and what buckets tell it: a
 * receive request that the trial before left open would take messages that nobody deletes.
 */
final class MessageServer implements AutoCloseable {
  static final String REGION = "us-east-1";
  static final String ACCOUNT = "local";

  private static final int BATCH = 10;
  private static final int BATCHES_AT_ONCE = 16;

  private final SQSRestServer server =
      SQSRestServerBuilder.withInterface("127.0.0.1").withDynamicPort().start();
  private final SqsAsyncClient client;
  private URI queue;
  private int queues;
  private long sent;

  MessageServer() {
    client =
        SqsAsyncClient.builder()
            .endpointOverride(URI.create("http://127.0.0.1:" + port()))
            .region(Region.of(REGION))
            .credentialsProvider(
                StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCOUNT, ACCOUNT)))
            .build();
  }

  int port() {
    return server.waitUntilStarted().localAddress().getPort();
  }

  /** The newest queue's address through another port. */
  URI url(int throughPort) {
    return URI.create("http://127.0.0.1:" + throughPort + queue.getPath());
  }

  /** Makes another queue, and sends it messages of one creation each. */
  void fillAnother(int messages) {
    String name = "events-" + queues++;
    queue = URI.create(client.createQueue(r -> r.queueName(name)).join().queueUrl());
    List<CompletableFuture<SendMessageBatchResponse>> batches = new ArrayList<>();
    for (int left = messages; left > 0; left -= BATCH) {
      batches.add(send(Math.min(left, BATCH)));
      if (batches.size() == BATCHES_AT_ONCE) {
        batches.forEach(CompletableFuture::join);
        batches.clear();
      }
    }
    batches.forEach(CompletableFuture::join);
  }

  private CompletableFuture<SendMessageBatchResponse> send(int count) {
    List<SendMessageBatchRequestEntry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      entries.add(
          SendMessageBatchRequestEntry.builder()
              .id(Integer.toString(i))
              .messageBody(notification(++sent))
              .build());
    }
    return client.sendMessageBatch(r -> r.queueUrl(queue.toString()).entries(entries));
  }

  /** A notification as AWS documents it. */
  private static String notification(long number) {
    return """
        {"Records":[{"eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"us-west-2",
        "eventTime":"2017-08-20T23:59:59.999Z","eventName":"ObjectCreated:Put",
        "userIdentity":{"principalId":"AIDAJDPLRKLG7UEXAMPLE"},
        "requestParameters":{"sourceIPAddress":"172.16.0.1"},
        "responseElements":{"x-amz-request-id":"C3D13FE58DE4C810",
        "x-amz-id-2":"FMyUVURIY8/IgAtTv8xRjskZQpcIZ9KG4V5Wp6S7S/JRWeUWerMUE5JgHvANOjpD"},
        "s3":{"s3SchemaVersion":"1.0","configurationId":"events",
        "bucket":{"name":"documents","ownerIdentity":{"principalId":"A3NL1KOZZKExample"},
        "arn":"arn:aws:s3:::documents"},
        "object":{"key":"USER%03d_FILE%d.txt","size":1024,
        "eTag":"d41d8cd98f00b204e9800998ecf8427e","sequencer":"%018X"}}}]}
        """
        .formatted(number % 1_000, number, number);
  }

  /**
   * @throws IllegalStateException if something is left: the trial did not do its work
   */
  void requireEmpty() {
    Map<QueueAttributeName, String> counts =
        client
            .getQueueAttributes(
                r ->
                    r.queueUrl(queue.toString())
                        .attributeNames(
                            QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES,
                            QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE))
            .join()
            .attributes();
    if (!counts.values().stream().allMatch("0"::equals)) {
      throw new IllegalStateException("messages are left: " + counts);
    }
  }

  @Override
  public void close() {
    client.close();
    server.stopAndWait();
  }
}
