package io.indexview.dynamodb;

import io.indexview.aws.AwsErrors;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.retry.RetryUtils;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.retries.StandardRetryStrategy;

/**
 * What the SDK itself sends again: faults of the network and the service, a few times. A throttled
 * request is none of these: who is to slow down has to hear of it.
 */
final class FailFastRetries {
  private FailFastRetries() {}

  static StandardRetryStrategy strategy() {
    return DefaultRetryStrategy.standardStrategyBuilder()
        .useClientDefaults(false)
        .retryOnException(FailFastRetries::isRepeated)
        .build();
  }

  static boolean isRepeated(Throwable thrown) {
    Throwable cause = AwsErrors.unwrap(thrown);
    if (cause instanceof SdkException failure) {
      if (RetryUtils.isThrottlingException(failure)) {
        return false;
      }
      if (RetryUtils.isServiceException(failure)) {
        return RetryUtils.toServiceException(failure).statusCode() >= 500
            || RetryUtils.isRetryableException(failure)
            || RetryUtils.isClockSkewException(failure);
      }
    }
    return AwsErrors.isNetworkFault(cause);
  }
}
