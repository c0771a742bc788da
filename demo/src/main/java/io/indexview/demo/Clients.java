package io.indexview.demo;

import io.indexview.dynamodb.ItemStore;
import io.indexview.kvstore.KvStore;
import io.indexview.local.LocalStack;
import io.indexview.schemas.Topics;
import software.amazon.awssdk.services.s3.S3Client;

/** What the job reads and writes with, beside the views' own path. */
record Clients(KvStore store, S3Client s3, ItemStore items, Bucket bucket, Topics topics)
    implements AutoCloseable {

  static Clients of(LocalStack stack) {
    S3Client s3 = stack.openS3();
    return new Clients(
        stack.openKvStore(),
        s3,
        stack.openItemStore(),
        new Bucket(s3, stack.config().bucket()),
        stack.config().topics());
  }

  @Override
  public void close() {
    items.close();
    s3.close();
    store.close();
  }
}
