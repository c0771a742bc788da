package io.indexview.client.files;

import java.util.Objects;

/**
 * A file view: a document view in DynamoDB whose key begins with {@code objectKey}.
 *
 * @param name of the view
 * @param byUserAndDate index with partition key {@code uploadUser} and sort key {@code uploadDate}
 * @param byBucketAndSize index with partition key {@code bucketName} and sort key {@code size}
 */
public record FileView(String name, String byUserAndDate, String byBucketAndSize) {
  public FileView {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(byUserAndDate, "byUserAndDate");
    Objects.requireNonNull(byBucketAndSize, "byBucketAndSize");
  }

  /** A view with the usual indexes. */
  public static FileView named(String name) {
    return new FileView(name, "uploadUser-uploadDate-index", "bucketName-size-index");
  }
}
