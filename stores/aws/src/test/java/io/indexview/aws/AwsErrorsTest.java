package io.indexview.aws;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;

class AwsErrorsTest {
  @ParameterizedTest
  @CsvSource({
    "ThrottlingException, 400, true",
    "RequestThrottled, 403, true",
    "SlowDown, 503, true",
    "InternalError, 500, true",
    "OverLimit, 403, true",
    "ExpiredToken, 400, true",
    "AWS.SimpleQueueService.OverLimit, 403, true",
    "ExpiredTokenException, 400, true",
    "RequestExpired, 400, true",
    "RequestTimeout, 400, true",
    "RequestTimeoutException, 400, true",
    "PriorRequestNotComplete, 400, true",
    "ProvisionedThroughputExceededException, 400, true",
    "Anything, 503, true",
    "KmsThrottled, 400, true",
    "KMSThrottlingException, 400, true",
    "KMSInvalidStateException, 400, true",
    "KMS.ThrottlingException, 400, true",
    "KmsInvalidState, 400, true",
    "KMS.InvalidStateException, 400, true",
    "KmsAccessDenied, 400, false",
    "AccessDenied, 403, false",
    "AccessDeniedException, 400, false",
    "UnrecognizedClientException, 400, false",
    "ValidationException, 400, false",
    "AWS.SimpleQueueService.NonExistentQueue, 400, false",
    "NoSuchBucket, 404, false",
  })
  void tellsWhatTheSameAgainLaterMayDo(String code, int status, boolean isTransient) {
    AwsErrorDetails details = AwsErrorDetails.builder().errorCode(code).build();

    assertThat(
            AwsErrors.isTransient(
                AwsServiceException.builder().awsErrorDetails(details).statusCode(status).build(),
                true))
        .isEqualTo(isTransient);
  }

  @Test
  void takesFaultsOfTheNetworkForTransient() {
    assertThat(AwsErrors.isTransient(new IOException("reset"), false)).isTrue();
    assertThat(AwsErrors.isTransient(ApiCallTimeoutException.create(1), false)).isTrue();
    assertThat(AwsErrors.isTransient(AbortedException.create("stopped"), false)).isTrue();
    assertThat(
            AwsErrors.isTransient(
                SdkClientException.create("last", ApiCallAttemptTimeoutException.create(5)), false))
        .isTrue();
    assertThat(
            AwsErrors.isTransient(
                SdkClientException.create("queue", new Throwable(new TimeoutException())), false))
        .isTrue();
    assertThat(AwsErrors.isTransient(new IllegalStateException("closed"), true)).isFalse();
    assertThat(
            AwsErrors.isTransient(
                SdkClientException.create("attempt", new IOException("no route")), false))
        .isTrue();
    assertThat(AwsErrors.isTransient(AwsServiceException.builder().statusCode(400).build(), true))
        .isFalse();
  }

  @Test
  void takesCredentialsThatThereWereForOnesThatComeBack() {
    SdkClientException none = SdkClientException.create("Unable to load credentials");

    assertThat(AwsErrors.isTransient(none, false)).isFalse();
    assertThat(AwsErrors.isTransient(none, true)).isTrue();
    assertThat(
            AwsErrors.isTransient(
                SdkClientException.create("Failed to load credentials from metadata service."),
                true))
        .isTrue();
    assertThat(
            AwsErrors.isTransient(
                new IllegalStateException(
                    "no answer", SdkClientException.create("Failed to refresh credentials")),
                true))
        .isTrue();
  }

  /** Of a request that can never be made. */
  @Test
  void waitsForNoOtherRefusalOfTheClientItself() {
    assertThat(AwsErrors.isTransient(SdkClientException.create("Invalid ARN"), true)).isFalse();
  }

  @Test
  void findsTheFailureBehindFutures() {
    IOException failure = new IOException("reset");

    assertThat(AwsErrors.unwrap(new CompletionException(new ExecutionException(failure))))
        .isSameAs(failure);
  }

  @Test
  void tellsTheServicesCode() {
    AwsServiceException denied =
        AwsServiceException.builder()
            .awsErrorDetails(AwsErrorDetails.builder().errorCode("AccessDenied").build())
            .build();

    assertThat(AwsErrors.code(denied)).contains("AccessDenied");
    assertThat(AwsErrors.code(AwsServiceException.builder().build())).isEmpty();
    assertThat(AwsErrors.code(new IOException("reset"))).isEmpty();
  }
}
