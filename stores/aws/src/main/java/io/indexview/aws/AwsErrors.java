package io.indexview.aws;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;

/** Says of a failed request whether the same again later may work. */
public final class AwsErrors {
  /**
   * What passes without the SDK saying so: too many messages of a queue are in flight, credentials
   * are being renewed, the service that holds a key is busy, or the answer took too long.
   */
  private static final Set<String> PASSING =
      Set.of(
          "OverLimit",
          "AWS.SimpleQueueService.OverLimit",
          "ExpiredToken",
          "ExpiredTokenException",
          "RequestExpired",
          "RequestTimeout",
          "RequestTimeoutException",
          "PriorRequestNotComplete",
          "KmsThrottled",
          "KMS.ThrottlingException",
          "KMSThrottlingException",
          "KmsInvalidState",
          "KMS.InvalidStateException",
          "KMSInvalidStateException");

  private AwsErrors() {}

  /** The failure behind what a future threw. */
  public static Throwable unwrap(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** What a failure says; that of an error is the bare name of a class. */
  public static String words(Throwable cause) {
    return cause instanceof Error || cause.getMessage() == null
        ? cause.toString()
        : cause.getMessage();
  }

  /**
   * Throttling, a fault of the server, no network, no answer in time, expired credentials.
   *
   * @param hasWorked an earlier request did: then there were credentials, and they may come back
   */
  public static boolean isTransient(Throwable cause, boolean hasWorked) {
    if (hasWorked && lacksCredentials(cause)) {
      return true;
    }
    if (cause instanceof AwsServiceException service) {
      return service.isThrottlingException()
          || service.isRetryableException()
          || service.statusCode() >= 500
          || code(service).filter(PASSING::contains).isPresent();
    }
    return isNetworkFault(cause);
  }

  /** Each provider of credentials says so in its own words. */
  private static boolean lacksCredentials(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof SdkClientException
          && cause.getMessage() != null
          && cause.getMessage().toLowerCase(Locale.ROOT).contains("credentials")) {
        return true;
      }
    }
    return false;
  }

  /** The service's code of a failure; empty: it is not the service's. */
  public static Optional<String> code(Throwable cause) {
    return cause instanceof AwsServiceException service
        ? Optional.ofNullable(service.awsErrorDetails()).map(AwsErrorDetails::errorCode)
        : Optional.empty();
  }

  /** The SDK wraps the timeout of its last attempt into an exception of no special class. */
  public static boolean isNetworkFault(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException
          || cause instanceof TimeoutException
          || cause instanceof ApiCallTimeoutException
          || cause instanceof ApiCallAttemptTimeoutException
          || cause instanceof AbortedException
          || isAnswerWithoutHead(cause)) {
        return true;
      }
    }
    return false;
  }

  /** The SDK's client handles an answer's body before its head when the machine is busy. */
  private static boolean isAnswerWithoutHead(Throwable cause) {
    return cause instanceof IllegalArgumentException
        && cause.getMessage() != null
        && cause.getMessage().startsWith("headersFuture is still not completed");
  }
}
