package io.indexview.dynamodb;

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
import software.amazon.awssdk.services.dynamodb.model.InternalServerErrorException;
import software.amazon.awssdk.services.dynamodb.model.ItemCollectionSizeLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.LimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.RequestLimitExceededException;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.TransactionConflictException;

/** Says of a failed request whether later, another item or only a person helps. */
final class ErrorClassifier {
  /** What passes without the SDK saying so: credentials are being renewed, a key is busy. */
  private static final Set<String> PASSING =
      Set.of("ExpiredToken", "ExpiredTokenException", "RequestExpired", "KMSThrottlingException");

  private ErrorClassifier() {}

  /** The failure behind what a future threw. */
  static Throwable unwrap(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  static ItemStoreException classify(String table, Throwable thrown) {
    Throwable cause = unwrap(thrown);
    if (cause instanceof ItemStoreException classified) {
      return classified;
    }
    if (cause instanceof ResourceNotFoundException) {
      return new ItemStoreException.NoTable(table, cause);
    }
    String message = "table %s: %s".formatted(table, cause.getMessage());
    if (cause instanceof TransactionConflictException) {
      return new ItemStoreException.Contended(message, cause);
    }
    if (isTransient(cause)) {
      return new ItemStoreException.Unavailable(message, cause);
    }
    if (isItemsFault(cause)) {
      return new ItemStoreException.Rejected(message, cause);
    }
    return new ItemStoreException.Permanent(message, cause);
  }

  private static boolean isTransient(Throwable cause) {
    if (cause instanceof AwsServiceException service) {
      return cause instanceof ProvisionedThroughputExceededException
          || cause instanceof RequestLimitExceededException
          || cause instanceof LimitExceededException
          || cause instanceof ResourceInUseException
          || cause instanceof InternalServerErrorException
          || service.isThrottlingException()
          || service.isRetryableException()
          || service.statusCode() >= 500
          || code(service).filter(PASSING::contains).isPresent();
    }
    return cause instanceof SdkClientException && isNetworkFault(cause);
  }

  /** The SDK wraps the timeout of its last attempt into an exception of no special class. */
  static boolean isNetworkFault(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof IOException
          || cause instanceof TimeoutException
          || cause instanceof ApiCallTimeoutException
          || cause instanceof ApiCallAttemptTimeoutException
          || cause instanceof AbortedException) {
        return true;
      }
    }
    return false;
  }

  /** Whether this request is not allowed; others may be. */
  static boolean isDenied(Throwable thrown) {
    return hasCode(unwrap(thrown), "AccessDeniedException");
  }

  /** Whether the SDK found no credentials; whoever has had some may find them again. */
  static boolean lacksCredentials(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof SdkClientException
          && cause.getMessage() != null
          && cause.getMessage().toLowerCase(Locale.ROOT).contains("credentials")) {
        return true;
      }
    }
    return false;
  }

  private static boolean isItemsFault(Throwable cause) {
    return cause instanceof ItemCollectionSizeLimitExceededException
        || hasCode(cause, "ValidationException");
  }

  private static boolean hasCode(Throwable cause, String code) {
    return cause instanceof AwsServiceException service
        && code(service).filter(code::equals).isPresent();
  }

  private static Optional<String> code(AwsServiceException service) {
    return Optional.ofNullable(service.awsErrorDetails()).map(AwsErrorDetails::errorCode);
  }
}
