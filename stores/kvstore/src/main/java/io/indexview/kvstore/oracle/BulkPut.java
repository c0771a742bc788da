package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvKey;
import java.util.Collections;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import oracle.kv.BulkWriteOptions;
import oracle.kv.EntryStream;
import oracle.kv.KVStore;
import oracle.kv.KeyValue;
import oracle.kv.Value;

/** Records on their way into the client's bulk put, whose threads come for them. */
final class BulkPut implements EntryStream<KeyValue> {
  /** The client's own choice. */
  private static final int MIN_REQUESTS = 3;

  private static final int MAX_REQUESTS = 10;

  /** A thread that has fewer is not worth its start. */
  private static final int RECORDS_FOR_ONE = 20;

  private final Iterator<Map.Entry<KvKey, byte[]>> records;
  private final int count;
  private final AtomicReference<RuntimeException> failure = new AtomicReference<>();

  BulkPut(Map<KvKey, byte[]> records) {
    this.records = records.entrySet().iterator();
    this.count = records.size();
  }

  /**
   * Replaces what is there, with more requests at once to each shard the more records there are:
   * each request has those of one partition only, and waits for the disk of the store.
   */
  static BulkWriteOptions options(int records) {
    int atOnce = Math.min(MAX_REQUESTS, Math.max(MIN_REQUESTS, records / RECORDS_FOR_ONE));
    BulkWriteOptions options = new BulkWriteOptions();
    options.setOverwrite(true);
    options.setPerShardParallelism(atOnce);
    return options;
  }

  /**
   * Writes the records. The client hides the class of what fails in its threads, by which a refusal
   * is told from an outage, so the first failure is kept.
   */
  void into(KVStore store) {
    try {
      store.put(Collections.singletonList(this), options(count));
    } catch (RuntimeException e) {
      RuntimeException first = failure.get();
      if (first == null || first == e) {
        throw e;
      }
      first.addSuppressed(e);
    }
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  @Override
  public String name() {
    return "records";
  }

  @Override
  public KeyValue getNext() {
    if (!records.hasNext()) {
      return null;
    }
    Map.Entry<KvKey, byte[]> next = records.next();
    return new KeyValue(Translation.key(next.getKey()), Value.createValue(next.getValue()));
  }

  @Override
  public void completed() {}

  @Override
  public void keyExists(KeyValue entry) {
    catchException(
        new IllegalStateException("the client did not replace the record of " + entry.getKey()),
        entry);
  }

  @Override
  public void catchException(RuntimeException e, KeyValue entry) {
    failure.compareAndSet(null, e);
    throw e;
  }
}
