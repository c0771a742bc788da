package io.indexview.connect.s3.queue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.ChangeMessageVisibilityBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/** {@link EventQueue} on SQS. */
public final class SqsEventQueue implements EventQueue {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SqsAsyncClient client;
  private final String url;
  private volatile boolean hasWorked;

  /** A queue on a client that it closes. */
  public SqsEventQueue(SqsAsyncClient client, String url) {
    this.client = Objects.requireNonNull(client, "client");
    this.url = Objects.requireNonNull(url, "url");
  }

  @Override
  public CompletableFuture<List<QueueMessage>> receive(Duration wait, Duration visibility) {
    return answer(
        client.receiveMessage(
            r ->
                r.queueUrl(url)
                    .maxNumberOfMessages(BATCH_LIMIT)
                    .messageSystemAttributeNames(MessageSystemAttributeName.SENT_TIMESTAMP)
                    .waitTimeSeconds(seconds(wait))
                    .visibilityTimeout(seconds(visibility))),
        response ->
            response.messages().stream()
                .map(m -> new QueueMessage(m.messageId(), m.receiptHandle(), m.body(), sentAt(m)))
                .toList());
  }

  /** Time when a message was sent; now, where a server that is like SQS does not tell. */
  private static Instant sentAt(Message message) {
    String sentAt = message.attributes().get(MessageSystemAttributeName.SENT_TIMESTAMP);
    return sentAt == null ? Instant.now() : Instant.ofEpochMilli(Long.parseLong(sentAt));
  }

  @Override
  public CompletableFuture<Outcome> deleteBatch(List<Receipt> receipts) {
    List<DeleteMessageBatchRequestEntry> entries = new ArrayList<>(receipts.size());
    for (int i = 0; i < receipts.size(); i++) {
      entries.add(
          DeleteMessageBatchRequestEntry.builder()
              .id(Integer.toString(i))
              .receiptHandle(receipts.get(i).receiptHandle())
              .build());
    }
    return answer(
        client.deleteMessageBatch(r -> r.queueUrl(url).entries(entries)),
        response -> outcome(receipts, response.failed()));
  }

  @Override
  public CompletableFuture<Outcome> extendVisibility(List<Receipt> receipts, Duration visibility) {
    List<ChangeMessageVisibilityBatchRequestEntry> entries = new ArrayList<>(receipts.size());
    for (int i = 0; i < receipts.size(); i++) {
      entries.add(
          ChangeMessageVisibilityBatchRequestEntry.builder()
              .id(Integer.toString(i))
              .receiptHandle(receipts.get(i).receiptHandle())
              .visibilityTimeout(seconds(visibility))
              .build());
    }
    return answer(
        client.changeMessageVisibilityBatch(r -> r.queueUrl(url).entries(entries)),
        response -> outcome(receipts, response.failed()));
  }

  private static Outcome outcome(List<Receipt> receipts, List<BatchResultErrorEntry> failed) {
    Set<String> retry = new HashSet<>();
    Set<String> refused = new HashSet<>();
    for (BatchResultErrorEntry error : failed) {
      String messageId = receipts.get(Integer.parseInt(error.id())).messageId();
      (Boolean.TRUE.equals(error.senderFault()) ? refused : retry).add(messageId);
    }
    return new Outcome(retry, refused);
  }

  /** All attributes are asked for: standard and FIFO queues refuse each other's by name. */
  @Override
  public CompletableFuture<OptionalInt> maxReceives() {
    return answer(
        client.getQueueAttributes(r -> r.queueUrl(url).attributeNames(QueueAttributeName.ALL)),
        response -> maxReceives(response.attributes().get(QueueAttributeName.REDRIVE_POLICY)));
  }

  private OptionalInt maxReceives(String redrivePolicy) {
    if (redrivePolicy == null) {
      return OptionalInt.empty();
    }
    try {
      return OptionalInt.of(JSON.readTree(redrivePolicy).path("maxReceiveCount").asInt());
    } catch (JsonProcessingException e) {
      throw new AwsRequestException.Permanent(
          "queue %s: its redrive policy is no JSON".formatted(url), e);
    }
  }

  private static int seconds(Duration duration) {
    return (int) duration.plusMillis(999).toSeconds();
  }

  @Override
  public void close() {
    client.close();
  }

  private <A, R> CompletableFuture<R> answer(CompletableFuture<A> call, Function<A, R> reader) {
    return call.handle(
        (response, thrown) -> {
          if (thrown != null) {
            throw AwsRequestException.of("queue " + url, thrown, hasWorked);
          }
          hasWorked = true;
          return reader.apply(response);
        });
  }
}
