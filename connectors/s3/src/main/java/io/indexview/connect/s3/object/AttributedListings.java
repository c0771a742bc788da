package io.indexview.connect.s3.object;

import io.indexview.connect.common.errors.Backoff;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Lists objects with the attributes that only a look at each of them tells; those that are gone
 * when it looks are left out. A page that could not be completed goes on when it is asked for
 * again. For one listing, and one thread.
 */
public final class AttributedListings implements ObjectStore {
  private final ObjectStore store;
  private final ObjectLooks looks;
  private final Supplier<Backoff> backoffs;
  private final Clock clock;

  private Place place;

  /** Null: the last page is complete. */
  private PageLooks unfinished;

  /** What was asked for. */
  private record Place(String bucket, String after) {}

  /**
   * @param store closed with this
   * @param looks at the same store
   * @param backoffs between two looks at one object
   */
  public AttributedListings(
      ObjectStore store, ObjectLooks looks, Supplier<Backoff> backoffs, Clock clock) {
    this.store = store;
    this.looks = looks;
    this.backoffs = backoffs;
    this.clock = clock;
  }

  @Override
  public Optional<ObjectInfo> head(String bucket, String key) {
    return store.head(bucket, key);
  }

  @Override
  public Page listAfter(String bucket, String key) {
    Place asked = new Place(bucket, key);
    if (unfinished == null || !asked.equals(place)) {
      unfinished = new PageLooks(bucket, store.listAfter(bucket, key));
      place = asked;
    }
    Page page = unfinished.complete(looks, backoffs, clock);
    unfinished = null;
    return page;
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
