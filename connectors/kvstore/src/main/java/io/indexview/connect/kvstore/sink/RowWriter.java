package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.sink.RequestLanes;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** Writes rows of different keys: those of one major path in one request, several at once. */
final class RowWriter implements AutoCloseable {
  /** Keeps a request far below what the store takes, and a refused one quick to take apart. */
  private static final int MAX_OPERATIONS = 500;

  private final Supplier<KvStore> store;
  private final RequestLanes lanes;

  /**
   * @param store opens it when first asked
   */
  RowWriter(Supplier<KvStore> store, int concurrency) {
    this.store = store;
    this.lanes = new RequestLanes("kvstore-sink", concurrency);
  }

  /** A row that the store does not take, and why. */
  record Refusal(RowWrite write, KvStoreException.Refused cause) {}

  /**
   * Applies all writes but those that the store refuses, which it returns. When it returns nothing
   * is in flight.
   *
   * @param writes no two of one key
   * @throws KvStoreException.Unavailable if some were not applied and may be later; all may be
   *     written again
   */
  List<Refusal> write(Collection<RowWrite> writes) {
    KvStore opened = store.get();
    List<Callable<List<Refusal>>> requests = new ArrayList<>();
    for (List<RowWrite> request : requests(writes)) {
      requests.add(() -> apply(opened, request));
    }
    List<Refusal> refusals = new ArrayList<>();
    lanes.run(requests).forEach(refusals::addAll);
    return refusals;
  }

  private static List<List<RowWrite>> requests(Collection<RowWrite> writes) {
    Map<List<String>, List<RowWrite>> open = new LinkedHashMap<>();
    List<List<RowWrite>> requests = new ArrayList<>();
    for (RowWrite write : writes) {
      List<RowWrite> request =
          open.computeIfAbsent(write.key().major(), major -> new ArrayList<>());
      request.add(write);
      if (request.size() == MAX_OPERATIONS) {
        requests.add(open.remove(write.key().major()));
      }
    }
    requests.addAll(open.values());
    return requests;
  }

  private static List<Refusal> apply(KvStore store, List<RowWrite> request) {
    if (request.size() > 1) {
      try {
        store.execute(request.stream().map(RowWrite::operation).toList());
        return List.of();
      } catch (KvStoreException.Refused e) {
        return applySingly(store, request);
      }
    }
    return applySingly(store, request);
  }

  private static List<Refusal> applySingly(KvStore store, List<RowWrite> request) {
    List<Refusal> refusals = new ArrayList<>();
    for (RowWrite write : request) {
      try {
        if (write.value() == null) {
          store.delete(write.key());
        } else {
          store.put(write.key(), write.value());
        }
      } catch (KvStoreException.Refused e) {
        refusals.add(new Refusal(write, e));
      }
    }
    return refusals;
  }

  @Override
  public void close() {
    lanes.close();
  }
}
