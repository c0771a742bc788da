package io.indexview.dynamodb;

import io.indexview.aws.AwsErrors;
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
  private ErrorClassifier() {}

  /** What a failure means that is no answer of the service. */
  static ItemStoreException classify(String table, Throwable thrown) {
    return classify(table, thrown, false);
  }

  /**
   * What a failure means.
   *
   * @param hasWorked an earlier request did
   */
  static ItemStoreException classify(String table, Throwable thrown, boolean hasWorked) {
    Throwable cause = AwsErrors.unwrap(thrown);
    if (cause instanceof ItemStoreException classified) {
      return classified;
    }
    if (cause instanceof ResourceNotFoundException) {
      return new ItemStoreException.NoTable(table, cause);
    }
    String message = "table %s: %s".formatted(table, AwsErrors.words(cause));
    if (cause instanceof TransactionConflictException) {
      return new ItemStoreException.Contended(message, cause);
    }
    if (isBusy(cause) || AwsErrors.isTransient(cause, hasWorked)) {
      return new ItemStoreException.Unavailable(message, cause);
    }
    if (isItemsFault(cause)) {
      return new ItemStoreException.Rejected(message, cause);
    }
    return new ItemStoreException.Permanent(message, cause);
  }

  private static boolean isBusy(Throwable cause) {
    return cause instanceof ProvisionedThroughputExceededException
        || cause instanceof RequestLimitExceededException
        || cause instanceof LimitExceededException
        || cause instanceof ResourceInUseException
        || cause instanceof InternalServerErrorException;
  }

  /** Whether this request is not allowed; others may be. */
  static boolean isDenied(Throwable thrown) {
    return hasCode(AwsErrors.unwrap(thrown), "AccessDeniedException");
  }

  private static boolean isItemsFault(Throwable cause) {
    return cause instanceof ItemCollectionSizeLimitExceededException
        || hasCode(cause, "ValidationException");
  }

  private static boolean hasCode(Throwable cause, String code) {
    return AwsErrors.code(cause).filter(code::equals).isPresent();
  }
}
