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
  private final Iterator<Map.Entry<KvKey, byte[]>> records;
  private final AtomicReference<RuntimeException> failure = new AtomicReference<>();

  BulkPut(Map<KvKey, byte[]> records) {
    this.records = records.entrySet().iterator();
  }

  /**
   * Writes the records. The client hides the class of what fails in its threads, by which a refusal
   * is told from an outage, so the first failure is kept.
   */
  void into(KVStore store, BulkWriteOptions options) {
    try {
      store.put(Collections.singletonList(this), options);
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
