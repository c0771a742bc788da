package io.indexview.cli.file;

import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ServerFile;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.InvalidObjectStateException;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Objects in S3. */
final class S3Objects implements AutoCloseable {
  private static final String NO_CREDENTIALS = "Unable to load credentials";

  private final S3Client s3;

  S3Objects(S3Client s3) {
    this.s3 = s3;
  }

  /**
   * Where buckets are.
   *
   * @param endpoint null: the region's own
   * @param region null: what the SDK finds
   */
  record S3Address(URI endpoint, String region) {
    boolean given() {
      return endpoint != null || region != null;
    }
  }

  /**
   * Opens a client.
   *
   * @param stack whose S3 is meant if no place is given; empty: that of the SDK
   */
  static S3Objects open(S3Address address, Optional<ServerFile> stack) {
    S3ClientBuilder client =
        S3Client.builder().httpClientBuilder(UrlConnectionHttpClient.builder());
    if (stack.isPresent() && !address.given()) {
      ServerFile.S3 local = stack.get().s3();
      client
          .endpointOverride(local.endpoint())
          .forcePathStyle(true)
          .region(Region.of(local.region()))
          .credentialsProvider(
              StaticCredentialsProvider.create(
                  AwsBasicCredentials.create(local.accessKeyId(), local.secretAccessKey())));
    }
    if (address.endpoint() != null) {
      requireUrl(address.endpoint());
      client.endpointOverride(address.endpoint()).forcePathStyle(true);
    }
    if (address.region() != null) {
      client.region(Region.of(address.region()));
    }
    try {
      return new S3Objects(client.build());
    } catch (SdkClientException e) {
      throw new CommandException.Unavailable("S3: " + e.getMessage(), e);
    }
  }

  private static void requireUrl(URI endpoint) {
    if (endpoint.getScheme() == null || endpoint.getHost() == null) {
      throw new CommandException.Usage(
          "--endpoint %s is no address; use one as in https://s3.example:9000".formatted(endpoint));
    }
  }

  /**
   * Fetches an object.
   *
   * @return its bytes
   * @throws CommandException.NotFound if it is not there
   * @throws CommandException.Unavailable if S3 does not answer now
   * @throws CommandException.Usage if S3 refuses the request
   */
  long fetch(String bucket, String key, Destination destination) throws IOException {
    try (ResponseInputStream<GetObjectResponse> content =
        s3.getObject(request -> request.bucket(bucket).key(key))) {
      return destination.take(content);
    } catch (SdkException e) {
      throw failure("give", "s3:GetObject", bucket, key, e);
    }
  }

  /**
   * Creates or replaces an object.
   *
   * @param metadata its user metadata
   * @param type its content type; null: the server's choice
   */
  void put(String bucket, String key, Path content, Map<String, String> metadata, String type) {
    try {
      s3.putObject(
          request -> request.bucket(bucket).key(key).metadata(metadata).contentType(type),
          RequestBody.fromFile(content));
    } catch (SdkException e) {
      throw failure("take", "s3:PutObject", bucket, key, e);
    }
  }

  /** Removes an object; whether there was one, S3 does not say. */
  void delete(String bucket, String key) {
    try {
      s3.deleteObject(request -> request.bucket(bucket).key(key));
    } catch (SdkException e) {
      throw failure("remove", "s3:DeleteObject", bucket, key, e);
    }
  }

  /**
   * The first objects by key.
   *
   * @param prefix that keys begin with; null: all
   * @param after which key to begin; null: with the first
   */
  ListObjectsV2Response list(String bucket, String prefix, String after, int maxKeys) {
    try {
      return s3.listObjectsV2(
          request ->
              request
                  .bucket(bucket)
                  .prefix(prefix)
                  .startAfter(after)
                  .maxKeys(maxKeys)
                  // XML has no way to write control characters, which object keys may hold.
                  .encodingType(EncodingType.URL));
    } catch (SdkException e) {
      throw failure("list", "s3:ListBucket", bucket, "objects", e);
    }
  }

  private static RuntimeException failure(
      String verb, String right, String bucket, String key, SdkException failure) {
    if (failure instanceof NoSuchKeyException) {
      return new CommandException.NotFound("there is no %s in bucket %s".formatted(key, bucket));
    }
    if (failure instanceof NoSuchBucketException) {
      return new CommandException.NotFound("there is no bucket " + bucket);
    }
    if (!(failure instanceof S3Exception answer)) {
      return unavailable(failure);
    }
    if (failure instanceof InvalidObjectStateException) {
      return new CommandException.Usage(
          "%s of bucket %s is archived: %s; restore it first (aws s3api restore-object)"
              .formatted(key, bucket, reason(answer)),
          answer);
    }
    int status = answer.statusCode();
    if (status >= HttpURLConnection.HTTP_INTERNAL_ERROR || answer.isThrottlingException()) {
      return new CommandException.Unavailable("S3 cannot answer now: " + reason(answer), answer);
    }
    boolean denied =
        status == HttpURLConnection.HTTP_UNAUTHORIZED || status == HttpURLConnection.HTTP_FORBIDDEN;
    String remedy =
        denied
            ? "use credentials that have %s on it, and s3:ListBucket to learn of missing keys"
                .formatted(right)
            : "check --region and --endpoint";
    return new CommandException.Usage(
        "S3 refuses to %s %s of bucket %s: %s; %s"
            .formatted(verb, key, bucket, reason(answer), remedy),
        answer);
  }

  /** Reason without what the SDK adds about the request. */
  private static String reason(S3Exception answer) {
    AwsErrorDetails details = answer.awsErrorDetails();
    return details == null || details.errorMessage() == null
        ? "status " + answer.statusCode()
        : details.errorMessage();
  }

  /**
   * Makes an exception of a failure. For missing credentials the SDK tells a screen full of where
   * it looked.
   */
  private static RuntimeException unavailable(SdkException failure) {
    return String.valueOf(failure.getMessage()).startsWith(NO_CREDENTIALS)
        ? new CommandException.Usage(
            "no credentials for S3 were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
            failure)
        : new CommandException.Unavailable("S3 does not answer: " + failure.getMessage(), failure);
  }

  @Override
  public void close() {
    s3.close();
  }
}
