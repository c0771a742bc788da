package io.indexview.connect.s3.object;

import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.object.ObjectInfo.ObjectAttributes;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;

/** Buckets in memory that go wrong as scripted. */
public final class FakeObjectStore implements ObjectStore {
  private final int page;
  private final Map<String, TreeMap<String, ObjectInfo>> buckets = new TreeMap<>();
  private final Queue<AwsRequestException> failures = new ArrayDeque<>();
  private Runnable onHead = () -> {};
  private Runnable onList = () -> {};
  private AwsRequestException outage;
  private final Set<String> refused = new HashSet<>();
  private final Map<String, Integer> unanswered = new HashMap<>();
  private int heads;
  private int listings;
  private boolean closed;

  /** Lists two objects a page. */
  public FakeObjectStore() {
    this(2);
  }

  /**
   * @param page objects that are listed at once
   */
  public FakeObjectStore(int page) {
    this.page = page;
  }

  public synchronized void put(String bucket, String key, long size) {
    buckets
        .computeIfAbsent(bucket, b -> new TreeMap<>())
        .put(
            key,
            new ObjectInfo(key, size, "etag-" + size, null, Instant.parse("2017-08-19T23:00:00Z")));
  }

  public synchronized void failNext(AwsRequestException failure) {
    failures.add(failure);
  }

  /** From now on nothing is answered; null: no more. */
  public synchronized void fail(AwsRequestException cause) {
    outage = cause;
  }

  /** From now on nobody may look at such an object; it is listed all the same. */
  public synchronized void refuse(String key) {
    refused.add(key);
  }

  /** One may look at it again. */
  public synchronized void allow(String key) {
    refused.remove(key);
  }

  /** The next scans of one object are not answered. */
  public synchronized void failHeads(String key, int count) {
    unanswered.put(key, count);
  }

  public synchronized void remove(String bucket, String key) {
    buckets.get(bucket).remove(key);
  }

  /** What happens before a page is listed by its key. */
  public void onList(Runnable action) {
    onList = action;
  }

  /** What happens while somebody looks at an object. */
  public void onHead(Runnable action) {
    onHead = action;
  }

  @Override
  public Optional<ObjectInfo> head(String bucket, String key) {
    onHead.run();
    synchronized (this) {
      heads++;
      throwNext();
      if (unanswered.merge(key, -1, Integer::sum) >= 0) {
        throw new AwsRequestException.Unavailable("slow down", null);
      }
      if (refused.contains(key)) {
        throw new AwsRequestException.Permanent("bad request", null);
      }
      return Optional.ofNullable(buckets.getOrDefault(bucket, new TreeMap<>()).get(key))
          .map(FakeObjectStore::withAttributes);
    }
  }

  /** Its content in words. */
  private static ObjectInfo withAttributes(ObjectInfo listed) {
    return new ObjectInfo(
        listed.key(),
        listed.size(),
        listed.eTag(),
        listed.versionId(),
        listed.lastModified(),
        new ObjectAttributes(
            "text/plain",
            Map.of("project", "p" + listed.size()),
            Map.of("class", "c" + listed.size())));
  }

  private synchronized Page list(String bucket, String after) {
    throwNext();
    listings++;
    TreeMap<String, ObjectInfo> objects = buckets.getOrDefault(bucket, new TreeMap<>());
    List<ObjectInfo> rest =
        new ArrayList<>(after == null ? objects.values() : objects.tailMap(after, false).values());
    return new Page(rest.subList(0, Math.min(page, rest.size())), rest.size() <= page);
  }

  @Override
  public synchronized boolean isListed(String bucket, String key) {
    return buckets.getOrDefault(bucket, new TreeMap<>()).containsKey(key);
  }

  @Override
  public Page listAfter(String bucket, String key) {
    onList.run();
    return list(bucket, key);
  }

  private void throwNext() {
    AwsRequestException failure = failures.poll();
    if (failure != null) {
      throw failure;
    }
    if (outage != null) {
      throw outage;
    }
  }

  /** Reads of objects so far, failed ones too. */
  public synchronized int heads() {
    return heads;
  }

  public synchronized int listings() {
    return listings;
  }

  public boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }
}
