package io.indexview.connect.s3.object;

import io.indexview.connect.s3.client.AwsErrors;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.Tag;

/** {@link ObjectStore} on S3. */
public final class S3ObjectStore implements ObjectStore {
  private static final int NOT_FOUND = 404;

  private final S3AsyncClient client;
  private final boolean withTags;

  /**
   * A store on a client that it closes.
   *
   * @param withTags a look at an object asks for its tags, which takes a second request
   */
  public S3ObjectStore(S3AsyncClient client, boolean withTags) {
    this.client = Objects.requireNonNull(client, "client");
    this.withTags = withTags;
  }

  @Override
  public Optional<ObjectInfo> head(String bucket, String key) {
    Optional<HeadObjectResponse> head =
        awaitFound(bucket, client.headObject(r -> r.bucket(bucket).key(key)));
    Optional<Map<String, String>> tags = head.flatMap(found -> tags(bucket, key));
    return tags.map(present -> info(key, head.get(), present));
  }

  private static ObjectInfo info(String key, HeadObjectResponse head, Map<String, String> tags) {
    return new ObjectInfo(
        key,
        head.contentLength(),
        unquoted(head.eTag()),
        head.versionId(),
        head.lastModified(),
        new ObjectAttributes(head.contentType(), head.metadata(), tags));
  }

  /** Empty if the object is gone meanwhile. */
  private Optional<Map<String, String>> tags(String bucket, String key) {
    if (!withTags) {
      return Optional.of(Map.of());
    }
    return awaitFound(bucket, client.getObjectTagging(r -> r.bucket(bucket).key(key)))
        .map(answer -> answer.tagSet().stream().collect(Collectors.toMap(Tag::key, Tag::value)));
  }

  private static <T> Optional<T> awaitFound(String bucket, CompletableFuture<T> future) {
    try {
      return Optional.of(future.get());
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
  public Page listAfter(String bucket, String key) {
    return page(await(bucket, client.listObjectsV2(r -> r.bucket(bucket).startAfter(key))));
  }

  /** The key itself comes before all others that begin with it. */
  @Override
  public boolean isListed(String bucket, String key) {
    ListObjectsV2Response first =
        await(bucket, client.listObjectsV2(r -> r.bucket(bucket).prefix(key).maxKeys(1)));
    return first.contents().stream().anyMatch(object -> object.key().equals(key));
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
        !Boolean.TRUE.equals(page.isTruncated()));
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
