package io.indexview.client.files;

import java.util.Objects;

/**
 * Where the rows of a file view lie.
 *
 * @param name of the table; its partition key is {@code objectKey}
 * @param byUserAndDate index with partition key {@code uploadUser} and sort key {@code uploadDate}
 * @param byBucketAndSize index with partition key {@code bucketName} and sort key {@code size}
 */
public record FileTable(String name, String byUserAndDate, String byBucketAndSize) {
  public FileTable {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(byUserAndDate, "byUserAndDate");
    Objects.requireNonNull(byBucketAndSize, "byBucketAndSize");
  }

  /** A table with the usual indexes. */
  public static FileTable named(String name) {
    return new FileTable(name, "uploadUser-uploadDate-index", "bucketName-size-index");
  }
}
