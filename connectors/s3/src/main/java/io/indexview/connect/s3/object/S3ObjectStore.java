package io.indexview.connect.s3.object;

import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.object.ObjectInfo.ObjectAttributes;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.Tag;

/** {@link ObjectStore} on S3. */
public final class S3ObjectStore implements ObjectStore {
  private static final Logger LOGGER = LoggerFactory.getLogger(S3ObjectStore.class);
  private static final int NOT_FOUND = 404;

  private static final Set<String> GONE = Set.of("NoSuchKey", "NoSuchVersion");

  /** Error of an object without tags from some servers that are like S3. */
  private static final String NO_TAGS = "NoSuchTagSet";

  /** Statuses of refusals without a reason; expired credentials are a bad request, too. */
  private static final Set<Integer> MUTE = Set.of(400, 403);

  private final S3AsyncClient client;
  private final boolean withTags;
  private volatile boolean hasWorked;

  /**
   * A store on a client that it closes.
   *
   * @param withTags a read of an object asks for its tags, which takes a second request
   */
  public S3ObjectStore(S3AsyncClient client, boolean withTags) {
    this.client = Objects.requireNonNull(client, "client");
    this.withTags = withTags;
  }

  @Override
  public Optional<ObjectInfo> head(String bucket, String key) {
    Optional<HeadObjectResponse> head = headers(bucket, key);
    Optional<Map<String, String>> tags = head.flatMap(found -> tags(bucket, key));
    return tags.map(present -> info(key, head.get(), present));
  }

  /** A refusal of a HEAD has no body that says why: a request that has one may. */
  private Optional<HeadObjectResponse> headers(String bucket, String key) {
    try {
      return Optional.of(await(bucket, client.headObject(r -> r.bucket(bucket).key(key))));
    } catch (AwsRequestException.Permanent e) {
      int status = e.getCause() instanceof S3Exception refusal ? refusal.statusCode() : 0;
      if (status == NOT_FOUND) {
        return Optional.empty();
      }
      if (MUTE.contains(status)) {
        throwIfUnavailable(bucket, key);
      }
      throw e;
    }
  }

  private void throwIfUnavailable(String bucket, String key) {
    try {
      isListed(bucket, key);
    } catch (AwsRequestException.Permanent e) {
      LOGGER.debug("Refused as well", e);
    }
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
    try {
      return Optional.of(
          await(bucket, client.getObjectTagging(r -> r.bucket(bucket).key(key))).tagSet().stream()
              .collect(Collectors.toMap(Tag::key, Tag::value)));
    } catch (AwsRequestException.Permanent e) {
      String code = errorCode(e);
      if (code.equals(NO_TAGS)) {
        return Optional.of(Map.of());
      }
      if (GONE.contains(code)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static String errorCode(AwsRequestException.Permanent refusal) {
    return refusal.getCause() instanceof S3Exception s3
            && s3.awsErrorDetails() != null
            && s3.awsErrorDetails().errorCode() != null
        ? s3.awsErrorDetails().errorCode()
        : "";
  }

  @Override
  public Page listAfter(String bucket, String key) {
    ListObjectsV2Response page =
        await(bucket, client.listObjectsV2(r -> encoded(r).bucket(bucket).startAfter(key)));
    // An empty page has no key to go on from.
    while (page.contents().isEmpty() && page.nextContinuationToken() != null) {
      String token = page.nextContinuationToken();
      page =
          await(
              bucket,
              client.listObjectsV2(r -> encoded(r).bucket(bucket).continuationToken(token)));
    }
    return page(page);
  }

  /** The key itself comes before all others that begin with it. */
  @Override
  public boolean isListed(String bucket, String key) {
    ListObjectsV2Response first =
        await(bucket, client.listObjectsV2(r -> encoded(r).bucket(bucket).prefix(key).maxKeys(1)));
    return first.contents().stream().anyMatch(object -> object.key().equals(key));
  }

  /** XML has no way to write control characters, which object keys may hold. */
  private static ListObjectsV2Request.Builder encoded(ListObjectsV2Request.Builder request) {
    return request.encodingType(EncodingType.URL);
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

  private <T> T await(String bucket, CompletableFuture<T> future) {
    try {
      T answer = future.get();
      hasWorked = true;
      return answer;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AwsRequestException.Unavailable("interrupted while waiting for S3", e);
    } catch (ExecutionException e) {
      throw AwsRequestException.of("bucket " + bucket, e, hasWorked);
    }
  }
}
