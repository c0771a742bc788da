package io.indexview.connect.s3.object;

import io.indexview.connect.s3.client.AwsRequestException;
import java.util.List;
import java.util.Optional;

/**
 * Buckets. Implementations are safe for use by several threads. Every method throws {@link
 * AwsRequestException}.
 */
public interface ObjectStore extends AutoCloseable {

  /** What is under a key now; empty if nothing. */
  Optional<ObjectInfo> head(String bucket, String key);

  /**
   * The current objects that follow a key in the order of listings, one page at most.
   *
   * @param key null: from the first object on
   */
  Page listAfter(String bucket, String key);

  /** Whether a listing shows a key now. */
  boolean isListed(String bucket, String key);

  /**
   * Reads, like {@link #head}, the metadata of an object that may be gone: a caller that may not
   * read it may not then, either, but may see that it is not listed.
   */
  default Optional<ObjectInfo> headOrGone(String bucket, String key) {
    try {
      return head(bucket, key);
    } catch (AwsRequestException.Permanent e) {
      if (isListed(bucket, key)) {
        throw e;
      }
      return Optional.empty();
    }
  }

  @Override
  void close();

  /**
   * A page of objects.
   *
   * @param objects as listed, in order
   * @param isLast whether no more follow
   */
  record Page(List<ObjectInfo> objects, boolean isLast) {
    public Page {
      objects = List.copyOf(objects);
    }
  }
}
