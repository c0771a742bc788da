package io.indexview.cli.file;

import io.indexview.cli.api.NotFoundException;
import io.indexview.cli.api.ServerFile;
import io.indexview.cli.api.UnavailableException;
import io.indexview.cli.api.UsageException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Fetches objects from S3. */
final class ObjectFetch implements AutoCloseable {
  private static final String NO_CREDENTIALS = "Unable to load credentials";

  private final S3Client s3;

  ObjectFetch(S3Client s3) {
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
   * @param dataDirectory of the local stack, whose bucket is meant if no place is given
   */
  static ObjectFetch open(S3Address address, Path dataDirectory) {
    S3ClientBuilder client =
        S3Client.builder().httpClientBuilder(UrlConnectionHttpClient.builder());
    Optional<ServerFile.S3> local =
        address.given() ? Optional.empty() : ServerFile.read(dataDirectory).map(ServerFile::s3);
    if (local.isPresent()) {
      ServerFile.S3 stack = local.get();
      client
          .endpointOverride(stack.endpoint())
          .forcePathStyle(true)
          .region(Region.of(stack.region()))
          .credentialsProvider(
              StaticCredentialsProvider.create(
                  AwsBasicCredentials.create(stack.accessKeyId(), stack.secretAccessKey())));
    }
    if (address.endpoint() != null) {
      requireUrl(address.endpoint());
      client.endpointOverride(address.endpoint()).forcePathStyle(true);
    }
    if (address.region() != null) {
      client.region(Region.of(address.region()));
    }
    try {
      return new ObjectFetch(client.build());
    } catch (SdkClientException e) {
      throw new UnavailableException("S3: " + e.getMessage(), e);
    }
  }

  private static void requireUrl(URI endpoint) {
    if (endpoint.getScheme() == null || endpoint.getHost() == null) {
      throw new UsageException(
          "--endpoint %s is no address; use one as in https://s3.example:9000".formatted(endpoint));
    }
  }

  /**
   * Fetches an object.
   *
   * @return its bytes
   * @throws NotFoundException if it is not there
   * @throws UnavailableException if S3 does not answer now
   * @throws UsageException if S3 refuses the request
   */
  long fetch(String bucket, String key, Destination destination) throws IOException {
    try (ResponseInputStream<GetObjectResponse> content =
        s3.getObject(request -> request.bucket(bucket).key(key))) {
      return destination.take(content);
    } catch (NoSuchKeyException | NoSuchBucketException e) {
      throw new NotFoundException("there is no %s in bucket %s".formatted(key, bucket));
    } catch (S3Exception e) {
      throw refused(bucket, key, e);
    } catch (SdkClientException e) {
      throw unavailable(e);
    }
  }

  private static RuntimeException refused(String bucket, String key, S3Exception answer) {
    int status = answer.statusCode();
    if (status >= HttpURLConnection.HTTP_INTERNAL_ERROR || answer.isThrottlingException()) {
      return new UnavailableException("S3 cannot answer now: " + reason(answer), answer);
    }
    boolean denied =
        status == HttpURLConnection.HTTP_UNAUTHORIZED || status == HttpURLConnection.HTTP_FORBIDDEN;
    String remedy =
        denied
            ? "use credentials that have s3:GetObject on it, and s3:ListBucket to be told of missing keys"
            : "check --region and --endpoint";
    return new UsageException(
        "S3 refuses to give %s of bucket %s: %s; %s".formatted(key, bucket, reason(answer), remedy),
        answer);
  }

  /** Without what the SDK adds about the request. */
  private static String reason(S3Exception answer) {
    AwsErrorDetails details = answer.awsErrorDetails();
    return details == null || details.errorMessage() == null
        ? "status " + answer.statusCode()
        : details.errorMessage();
  }

  /** Of credentials that are nowhere, the SDK tells a screen full of where it looked. */
  private static RuntimeException unavailable(SdkClientException failure) {
    return String.valueOf(failure.getMessage()).startsWith(NO_CREDENTIALS)
        ? new UsageException(
            "no credentials for S3 were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
            failure)
        : new UnavailableException("S3 does not answer: " + failure.getMessage(), failure);
  }

  @Override
  public void close() {
    s3.close();
  }
}
