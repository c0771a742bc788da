package io.indexview.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.InternalServerErrorException;
import software.amazon.awssdk.services.dynamodb.model.ItemCollectionSizeLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.LimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.RequestLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;

class ErrorClassifierTest {

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(
            ProvisionedThroughputExceededException.builder().build(),
            ItemStoreException.Unavailable.class),
        Arguments.of(
            RequestLimitExceededException.builder().build(), ItemStoreException.Unavailable.class),
        Arguments.of(
            LimitExceededException.builder().build(), ItemStoreException.Unavailable.class),
        Arguments.of(
            InternalServerErrorException.builder().build(), ItemStoreException.Unavailable.class),
        Arguments.of(service("ThrottlingException", 400), ItemStoreException.Unavailable.class),
        Arguments.of(service("Anything", 503), ItemStoreException.Unavailable.class),
        Arguments.of(
            ApiCallTimeoutException.builder().message("slow").build(),
            ItemStoreException.Unavailable.class),
        Arguments.of(
            SdkClientException.create("last attempt", ApiCallAttemptTimeoutException.create(5_000)),
            ItemStoreException.Unavailable.class),
        Arguments.of(
            SdkClientException.create("no route", new ConnectException("refused")),
            ItemStoreException.Unavailable.class),
        Arguments.of(
            SdkClientException.create(
                "no connection", new Throwable("queue", new TimeoutException())),
            ItemStoreException.Unavailable.class),
        Arguments.of(
            ResourceNotFoundException.builder().build(), ItemStoreException.Permanent.class),
        Arguments.of(service("AccessDeniedException", 400), ItemStoreException.Permanent.class),
        Arguments.of(service("ExpiredTokenException", 400), ItemStoreException.Unavailable.class),
        Arguments.of(service("RequestExpired", 400), ItemStoreException.Unavailable.class),
        Arguments.of(service("KMSThrottlingException", 400), ItemStoreException.Unavailable.class),
        Arguments.of(new IOException("reset"), ItemStoreException.Unavailable.class),
        Arguments.of(
            SdkClientException.create(
                "Unable to execute HTTP request",
                new IllegalArgumentException(
                    "headersFuture is still not completed when onStream() is invoked.")),
            ItemStoreException.Unavailable.class),
        Arguments.of(
            TransactionConflictException.builder().build(), ItemStoreException.Contended.class),
        Arguments.of(
            service("UnrecognizedClientException", 400), ItemStoreException.Permanent.class),
        Arguments.of(
            SdkClientException.create("Unable to load credentials"),
            ItemStoreException.Permanent.class),
        Arguments.of(new IllegalStateException("closed"), ItemStoreException.Permanent.class),
        Arguments.of(service("ValidationException", 400), ItemStoreException.Rejected.class),
        Arguments.of(
            ItemCollectionSizeLimitExceededException.builder().build(),
            ItemStoreException.Rejected.class));
  }

  private static DynamoDbException service(String code, int status) {
    return (DynamoDbException)
        DynamoDbException.builder()
            .statusCode(status)
            .awsErrorDetails(AwsErrorDetails.builder().errorCode(code).build())
            .build();
  }

  @ParameterizedTest
  @MethodSource("failures")
  void saysWhatHelps(Throwable failure, Class<? extends ItemStoreException> expected) {
    ItemStoreException classified =
        ErrorClassifier.classify("films", new CompletionException(failure));

    assertThat(classified).isInstanceOf(expected).hasCause(failure).hasMessageContaining("films");
  }
}
