package io.indexview.connect.s3.client;

import io.indexview.aws.AwsErrors;

/** What S3 or SQS refused or could not do; the subclass says what helps. */
public abstract sealed class AwsRequestException extends RuntimeException {
  private AwsRequestException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * What became of a request.
   *
   * @param subject what was asked for, as in {@code bucket photos}
   * @param hasWorked an earlier request did
   */
  public static AwsRequestException of(String subject, Throwable thrown, boolean hasWorked) {
    Throwable cause = AwsErrors.unwrap(thrown);
    String message = subject + ": " + AwsErrors.words(cause);
    return AwsErrors.isTransient(cause, hasWorked)
        ? new Unavailable(message, cause)
        : new Permanent(message, cause);
  }

  /** Throttled, not reachable, or no answer in time: the same again later may work. */
  public static final class Unavailable extends AwsRequestException {
    public Unavailable(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Nothing will work until somebody changes queue, bucket, permissions or configuration. */
  public static final class Permanent extends AwsRequestException {
    public Permanent(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
