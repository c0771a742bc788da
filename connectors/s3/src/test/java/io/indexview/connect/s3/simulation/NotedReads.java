package io.indexview.connect.s3.simulation;

import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectStore;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Tells of each read when it is made.
 *
 * @param read called with the key
 */
record NotedReads(ObjectStore store, Consumer<String> read) implements ObjectStore {
  @Override
  public Optional<ObjectInfo> head(String bucket, String key) {
    read.accept(key);
    return store.head(bucket, key);
  }

  @Override
  public Page listAfter(String bucket, String key) {
    return store.listAfter(bucket, key);
  }

  @Override
  public boolean isListed(String bucket, String key) {
    return store.isListed(bucket, key);
  }

  @Override
  public void close() {
    store.close();
  }
}
