package io.indexview.benchmarks.data;

import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Counts what two stores are asked. Safe for use by many threads. */
public final class RequestCounts {
  private final LongAdder kv = new LongAdder();
  private final LongAdder dynamoDb = new LongAdder();

  /** Requests since there are counts. */
  public record Count(long kv, long dynamoDb) {
    public Count minus(Count before) {
      return new Count(kv - before.kv, dynamoDb - before.dynamoDb);
    }

    public Count plus(Count more) {
      return new Count(kv + more.kv, dynamoDb + more.dynamoDb);
    }
  }

  public Count now() {
    return new Count(kv.sum(), dynamoDb.sum());
  }

  /** Wraps a store so that its requests are counted; an iterator asks once for each batch. */
  public KvStore counted(KvStore store) {
    return proxy(
        KvStore.class,
        (proxy, method, arguments) -> {
          Object answer = invoke(store, method, arguments);
          if (method.getDeclaringClass() == KvStore.class && !method.getName().equals("close")) {
            kv.increment();
          }
          return method.getName().equals("iterator")
              ? new CountedIterator<>((KvIterator<?>) answer, (Integer) arguments[3])
              : answer;
        });
  }

  /** Wraps a client so that its requests are counted. */
  public DynamoDbAsyncClient counted(DynamoDbAsyncClient client) {
    return proxy(
        DynamoDbAsyncClient.class,
        (proxy, method, arguments) -> {
          if (method.getReturnType() == CompletableFuture.class) {
            dynamoDb.increment();
          }
          return invoke(client, method, arguments);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            RequestCounts.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object invoke(Object target, Method method, Object... arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private final class CountedIterator<T> implements KvIterator<T> {
    private final KvIterator<T> records;
    private final int batch;
    private int taken;

    CountedIterator(KvIterator<T> records, int batch) {
      this.records = records;
      this.batch = batch;
    }

    @Override
    public boolean hasNext() {
      return records.hasNext();
    }

    @Override
    public T next() {
      if (taken > 0 && taken % batch == 0) {
        kv.increment();
      }
      taken++;
      return records.next();
    }

    @Override
    public void close() {
      records.close();
    }
  }
}
