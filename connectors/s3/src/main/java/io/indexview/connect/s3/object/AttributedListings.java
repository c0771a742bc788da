package io.indexview.connect.s3.object;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Lists objects with the attributes that only a look at each of them tells; those that are gone
 * when it looks are left out.
 */
public final class AttributedListings implements ObjectStore {
  private final ObjectStore store;
  private final ObjectLooks looks;

  /**
   * @param store closed with this
   * @param looks at the same store
   */
  public AttributedListings(ObjectStore store, ObjectLooks looks) {
    this.store = store;
    this.looks = looks;
  }

  @Override
  public Optional<ObjectInfo> head(String bucket, String key) {
    return store.head(bucket, key);
  }

  @Override
  public Page list(String bucket, String token) {
    return looked(bucket, store.list(bucket, token));
  }

  @Override
  public Page listAfter(String bucket, String key) {
    return looked(bucket, store.listAfter(bucket, key));
  }

  private Page looked(String bucket, Page page) {
    List<CompletableFuture<Optional<ObjectInfo>>> answers =
        page.objects().stream().map(object -> looks.head(bucket, object.key())).toList();
    try {
      return new Page(
          answers.stream().map(CompletableFuture::join).flatMap(Optional::stream).toList(),
          page.next());
    } catch (CompletionException e) {
      throw e.getCause() instanceof ObjectStoreException known
          ? known
          : new ObjectStoreException.Permanent(
              "bucket %s: %s".formatted(bucket, e.getCause()), e.getCause());
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
