package io.indexview.demo;

import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvStore;
import io.indexview.local.StackAddresses;
import io.indexview.schemas.Topics;
import software.amazon.awssdk.services.s3.S3Client;

/** What the job reads and writes with, beside the views' own path. */
record Clients(KvStore store, S3Client s3, ItemStore items, Bucket bucket, Topics topics)
    implements AutoCloseable {

  static Clients of(StackAddresses stack) {
    S3Client s3 = stack.openS3();
    return new Clients(
        stack.openKvStore(),
        s3,
        stack.openItemStore(),
        new Bucket(s3, stack.bucket()),
        stack.topics());
  }

  @Override
  public void close() {
    items.close();
    s3.close();
    store.close();
  }
}
