package io.indexview.connect.s3.object;

import io.indexview.connect.s3.client.AwsErrors;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** {@link ObjectStore} on S3. */
public final class S3ObjectStore implements ObjectStore {
  private static final int NOT_FOUND = 404;

  private final S3AsyncClient client;

  /** A store on a client that it closes. */
  public S3ObjectStore(S3AsyncClient client) {
    this.client = Objects.requireNonNull(client, "client");
  }

  @Override
  public Optional<ObjectInfo> head(String bucket, String key) {
    try {
      HeadObjectResponse head = client.headObject(r -> r.bucket(bucket).key(key)).get();
      return Optional.of(
          new ObjectInfo(
              key,
              head.contentLength(),
              unquoted(head.eTag()),
              head.versionId(),
              head.lastModified()));
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      if (AwsErrors.unwrap(e) instanceof S3Exception s3 && s3.statusCode() == NOT_FOUND) {
        return Optional.empty();
      }
      throw classify(bucket, e);
    }
  }

  @Override
  public Page list(String bucket, String token) {
    return page(
        await(bucket, client.listObjectsV2(r -> r.bucket(bucket).continuationToken(token))));
  }

  @Override
  public Page listAfter(String bucket, String key) {
    return page(await(bucket, client.listObjectsV2(r -> r.bucket(bucket).startAfter(key))));
  }

  private static Page page(ListObjectsV2Response page) {
    return new Page(
        page.contents().stream()
            .map(
                object ->
                    new ObjectInfo(
                        object.key(),
                        object.size(),
                        unquoted(object.eTag()),
                        null,
                        object.lastModified()))
            .toList(),
        Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null);
  }

  @Override
  public void close() {
    client.close();
  }

  /** Notifications carry the tag without the quotes that HTTP puts around it. */
  private static String unquoted(String eTag) {
    return eTag == null ? null : eTag.replace("\"", "");
  }

  private static <T> T await(String bucket, CompletableFuture<T> future) {
    try {
      return future.get();
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      throw classify(bucket, e);
    }
  }

  private static ObjectStoreException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ObjectStoreException.Unavailable("interrupted while waiting for S3", e);
  }

  private static ObjectStoreException classify(String bucket, ExecutionException e) {
    Throwable cause = AwsErrors.unwrap(e);
    String message = "bucket %s: %s".formatted(bucket, cause.getMessage());
    return AwsErrors.isTransient(cause)
        ? new ObjectStoreException.Unavailable(message, cause)
        : new ObjectStoreException.Permanent(message, cause);
  }
}
