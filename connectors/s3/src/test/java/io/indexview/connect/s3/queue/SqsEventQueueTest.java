package io.indexview.connect.s3.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.queue.EventQueue.Receipt;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.model.BatchResultErrorEntry;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequest;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchResponse;

/** What no server that stands in for SQS answers. */
class SqsEventQueueTest {
  private static final List<Receipt> THREE =
      List.of(new Receipt("m0", "r0"), new Receipt("m1", "r1"), new Receipt("m2", "r2"));

  private CompletableFuture<DeleteMessageBatchResponse> answer;
  private final SqsEventQueue queue = new SqsEventQueue(new Client(), "http://queue");

  private final class Client implements SqsAsyncClient {
    @Override
    public String serviceName() {
      return SERVICE_NAME;
    }

    @Override
    public CompletableFuture<DeleteMessageBatchResponse> deleteMessageBatch(
        DeleteMessageBatchRequest request) {
      assertThat(request.entries()).hasSize(THREE.size());
      return answer;
    }

    @Override
    public void close() {}
  }

  private static BatchResultErrorEntry failed(String id, boolean isSenderFault) {
    return BatchResultErrorEntry.builder().id(id).senderFault(isSenderFault).build();
  }

  @Test
  void triesAgainWhatTheServerCouldNotDelete() {
    answer =
        CompletableFuture.completedFuture(
            DeleteMessageBatchResponse.builder()
                .failed(failed("1", false), failed("2", true))
                .build());

    assertThat(queue.deleteBatch(THREE).join())
        .isEqualTo(new EventQueue.Outcome(Set.of("m1"), Set.of("m2")));
  }

  @Test
  void waitsForCredentialsThatItHasHad() {
    CompletableFuture<DeleteMessageBatchResponse> none =
        CompletableFuture.failedFuture(SdkClientException.create("Unable to load credentials"));
    answer = none;
    assertThatThrownBy(() -> queue.deleteBatch(THREE).join())
        .hasCauseInstanceOf(AwsRequestException.Permanent.class);

    answer = CompletableFuture.completedFuture(DeleteMessageBatchResponse.builder().build());
    assertThat(queue.deleteBatch(THREE).join()).isEqualTo(EventQueue.Outcome.DONE);
    answer = none;
    assertThatThrownBy(() -> queue.deleteBatch(THREE).join())
        .hasCauseInstanceOf(AwsRequestException.Unavailable.class);
  }
}
