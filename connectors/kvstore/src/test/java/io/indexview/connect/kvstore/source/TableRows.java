package io.indexview.connect.kvstore.source;

import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.function.Predicate;

/** A store in which some records are rows of tables; the embedded one has no tables. */
final class TableRows {
  private final KvStore store;
  private final Predicate<KvKey> isRow;
  private final Runnable answering;

  private TableRows(KvStore store, Predicate<KvKey> isRow, Runnable answering) {
    this.store = store;
    this.isRow = isRow;
    this.answering = answering;
  }

  /**
   * @param answering throws if the store, which is open, does not answer now
   */
  static KvStore in(KvStore store, Predicate<KvKey> isRow, Runnable answering) {
    TableRows rows = new TableRows(store, isRow, answering);
    return (KvStore)
        Proxy.newProxyInstance(
            KvStore.class.getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, arguments) -> rows.call(method, arguments));
  }

  @SuppressWarnings("unchecked")
  private Object call(Method method, Object[] arguments) throws Throwable {
    Object result;
    try {
      result = method.invoke(store, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    return switch (method.getName()) {
      case "get" -> ((Optional<KvRecord>) result).map(this::marked);
      case "storeIterator" -> new Marked((KvIterator<KvRecord>) result);
      default -> result;
    };
  }

  private KvRecord marked(KvRecord record) {
    return new KvRecord(record.key(), record.value(), record.version(), isRow.test(record.key()));
  }

  private final class Marked implements KvIterator<KvRecord> {
    private final KvIterator<KvRecord> records;

    Marked(KvIterator<KvRecord> records) {
      this.records = records;
    }

    @Override
    public boolean hasNext() {
      answering.run();
      return records.hasNext();
    }

    @Override
    public KvRecord next() {
      return marked(records.next());
    }

    @Override
    public void close() {
      records.close();
    }
  }
}
