package io.indexview.connect.s3.listing;

import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.index.Known;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.record.FileEvents;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A bucket and, if there is one, the index of what is known of it, joined page by page. For one
 * thread.
 */
final class BucketPages {
  private static final int INDEX_CHUNK = 1_000;

  private final String bucket;
  private final ObjectStore store;
  private final Optional<KnownObjects> index;
  private final Predicate<Known> isJoined;
  private final String prefix;

  /** The last key that is listed; null before the first page. */
  private String listedTo;

  /** The key that the page follows that was listed last; null: none. */
  private String follows;

  /** The keys of that page. */
  private Set<String> shown = Set.of();

  /** The last key of the index that is joined with that page; null: all are. */
  private String joinedTo;

  private boolean atEnd;
  private boolean isListedAgain;
  private long objects;

  /**
   * @param listed empty: the listing does not show it
   */
  record Row(String key, Known known, Optional<ObjectInfo> listed) {}

  /**
   * @param isJoined whether an object that is not listed makes a row
   */
  BucketPages(
      String bucket, ObjectStore store, Optional<KnownObjects> index, Predicate<Known> isJoined) {
    this.bucket = bucket;
    this.store = store;
    this.index = index;
    this.isJoined = isJoined;
    this.prefix = FileEvents.primaryKey(bucket, "");
  }

  /**
   * The next rows: a page, and some of what the index has in its place; none at the end.
   *
   * @throws AwsRequestException and is to be called again
   */
  List<Row> next() {
    List<Row> rows = new ArrayList<>();
    if (joinedTo == null && !atEnd) {
      list(rows);
    }
    if (joinedTo != null) {
      join(rows);
    }
    return rows;
  }

  /** The index does not change before the rows are compared. */
  private void list(List<Row> rows) {
    ObjectStore.Page page = store.listAfter(bucket, listedTo);
    shown = new HashSet<>();
    follows = listedTo;
    for (ObjectInfo object : page.objects()) {
      listedTo = object.key();
      shown.add(listedTo);
      rows.add(new Row(listedTo, known(listedTo), Optional.of(object)));
    }
    objects += isListedAgain ? 0 : shown.size();
    atEnd = page.isLast() || shown.isEmpty();
    joinedTo = index.isPresent() ? primaryKey(Objects.requireNonNullElse(follows, "")) : null;
  }

  /** What was notified since the page was listed shows when it is read. */
  private void join(List<Row> rows) {
    String last = atEnd ? null : primaryKey(listedTo);
    KnownObjects.Chunk chunk = index.orElseThrow().after(joinedTo, prefix, last, INDEX_CHUNK);
    chunk
        .objects()
        .forEach(
            (primaryKey, known) -> {
              String key = primaryKey.substring(prefix.length());
              if (isJoined.test(known) && !shown.contains(key)) {
                rows.add(new Row(key, known, Optional.empty()));
              }
            });
    joinedTo = chunk.end();
  }

  boolean isAtEnd() {
    return atEnd && joinedTo == null;
  }

  /** The page that was listed last, as it is now. */
  List<ObjectInfo> listAgain() {
    return store.listAfter(bucket, follows).objects();
  }

  /** A key that all rows of the last page follow in the order of listings; null: none. */
  String follows() {
    return follows;
  }

  /** Returns to what follows a key; null: to the first object. */
  void goBackTo(String key) {
    listedTo = key;
    atEnd = false;
    isListedAgain = true;
  }

  /** Begins once more. */
  void beginAnew() {
    goBackTo(null);
    isListedAgain = false;
    objects = 0;
  }

  /** Objects that were listed. */
  long objects() {
    return objects;
  }

  Known known(String key) {
    return index.map(known -> known.of(primaryKey(key))).orElse(Known.NONE);
  }

  private String primaryKey(String key) {
    return FileEvents.primaryKey(bucket, key);
  }
}
