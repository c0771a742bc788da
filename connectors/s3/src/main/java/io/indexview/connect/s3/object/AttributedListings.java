package io.indexview.connect.s3.object;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Lists objects with the attributes that only a look at each of them tells; those that are gone
 * when it looks are left out, those that nobody may look at stay as the listing has them. For one
 * thread.
 */
public final class AttributedListings implements ObjectStore {
  private final ObjectStore store;
  private final ObjectLooks looks;
  private final RefusedLooks refused = new RefusedLooks();

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
      List<ObjectInfo> seen = new ArrayList<>();
      for (int i = 0; i < answers.size(); i++) {
        answer(bucket, page.objects().get(i), answers.get(i)).ifPresent(seen::add);
      }
      return new Page(seen, page.next());
    } finally {
      // The page is asked for again: looks that nobody began would only make a busy store busier.
      answers.forEach(answer -> answer.cancel(false));
    }
  }

  private Optional<ObjectInfo> answer(
      String bucket, ObjectInfo listed, CompletableFuture<Optional<ObjectInfo>> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof ObjectStoreException.Unavailable unavailable) {
        throw unavailable;
      }
      refused.add(
          bucket,
          listed.key(),
          e.getCause() instanceof ObjectStoreException.Permanent permanent
              ? permanent
              : new ObjectStoreException.Permanent(e.getCause().toString(), e.getCause()));
      return Optional.of(listed);
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
