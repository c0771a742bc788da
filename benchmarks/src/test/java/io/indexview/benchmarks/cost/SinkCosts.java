package io.indexview.benchmarks.cost;

import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.dynamodb.DynamoDbSinkRun;
import io.indexview.benchmarks.sink.ViewRecords;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.BatchResult;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStore.WriteResult;
import java.lang.reflect.Proxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** How many requests the DynamoDB sink makes for a row, of a store that takes everything. */
final class SinkCosts {
  private static final int ROWS = 5_000;
  private static final int IN_FLIGHT = 32;
  private static final String VIEW = "key: [id]\ninclude: [name]\ntarget: dynamodb\n";

  private final AtomicInteger requests = new AtomicInteger();

  Map<String, Double> measure() throws Exception {
    Map<String, Double> costs = new LinkedHashMap<>();
    for (WriteMode mode : WriteMode.values()) {
      requests.set(0);
      try (DynamoDbSinkRun sink = new DynamoDbSinkRun(store(), mode, IN_FLIGHT)) {
        sink.write(new ViewRecords(BenchViews.generation("rows", 1, VIEW)).of(ROWS, 1));
      }
      costs.put(
          "dynamodb.%s.requests".formatted(mode.name().toLowerCase(Locale.ROOT)),
          (double) requests.get() / ROWS);
    }
    return costs;
  }

  private ItemStore store() {
    return (ItemStore)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ItemStore.class},
            (proxy, method, arguments) -> {
              requests.incrementAndGet();
              return answer(method.getReturnType(), method.getName(), arguments);
            });
  }

  private static Object answer(Class<?> type, String method, Object[] arguments) {
    return switch (method) {
      case "put", "delete" ->
          CompletableFuture.completedFuture(
              arguments.length == 3 ? new WriteResult(null, 1) : null);
      case "writeBatch" -> CompletableFuture.completedFuture(new BatchResult(List.of(), 1));
      case "query", "scan" -> new ItemPage(List.of(), null, 0);
      case "identity" -> Optional.of("table-1");
      default -> type == Optional.class ? Optional.empty() : null;
    };
  }
}
