package io.indexview.connect.s3.object;

import java.util.List;
import java.util.Optional;

/**
 * Buckets to look into. Implementations are safe for use by several threads. Every method throws
 * {@link ObjectStoreException}.
 */
public interface ObjectStore extends AutoCloseable {

  /** What is under a key now; empty if nothing. */
  Optional<ObjectInfo> head(String bucket, String key);

  /**
   * One page of a bucket's current objects.
   *
   * @param token {@link Page#next()} of the page before; null for the first
   */
  Page list(String bucket, String token);

  @Override
  void close();

  /**
   * @param next null after the last page
   */
  record Page(List<ObjectInfo> objects, String next) {
    public Page {
      objects = List.copyOf(objects);
    }
  }
}
