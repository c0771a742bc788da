package io.indexview.connect.dynamodb;

import io.indexview.connect.common.sink.SessionSinkTask;
import io.indexview.connect.common.worker.WorkerMetrics;
import io.indexview.connect.dynamodb.write.TableLimiters;
import io.indexview.connect.dynamodb.write.TableMetrics;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.schemas.time.Time;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.common.metrics.PluginMetrics;

/** Shell of {@link DynamoDbSinkSession}. */
public final class DynamoDbSinkTask extends SessionSinkTask {
  private final Function<DynamoDbSinkConfig, SinkStores> stores;
  private ExecutorService checks;

  public DynamoDbSinkTask() {
    this.stores = SinkStores::open;
  }

  /**
   * A task on another store, for those who run it without a worker.
   *
   * @param opener opens the store, which the task closes
   */
  public DynamoDbSinkTask(Function<DynamoDbSinkConfig, ItemStore> opener) {
    this.stores =
        config -> {
          ItemStore store = opener.apply(config);
          return new SinkStores(store, store);
        };
  }

  @Override
  protected Session open(Map<String, String> props) {
    DynamoDbSinkConfig config = new DynamoDbSinkConfig(props);
    SinkStores opened = stores.apply(config);
    checks = Executors.newSingleThreadExecutor(DynamoDbSinkTask::checkThread);
    try {
      return new DynamoDbSinkSession(config, opened, context, metrics(), checks, Time.SYSTEM);
    } catch (RuntimeException | LinkageError e) {
      opened.close();
      throw e;
    }
  }

  private static Thread checkThread(Runnable task) {
    Thread thread = new Thread(task, "dynamodb-sink-table-watch");
    thread.setDaemon(true);
    return thread;
  }

  private TableLimiters.Listener metrics() {
    Optional<PluginMetrics> metrics = WorkerMetrics.of(context);
    return metrics.isPresent() ? new TableMetrics(metrics.get()) : TableLimiters.Listener.NONE;
  }

  @Override
  public void stop() {
    if (checks != null) {
      checks.shutdownNow();
    }
    super.stop();
  }

  /**
   * The clients of one task.
   *
   * @param failFast for rows: tells of throttling at once, so that their writer slows down
   * @param repeating for all else, which nobody slows down: repeats what is throttled for a while
   */
  record SinkStores(ItemStore failFast, ItemStore repeating) implements AutoCloseable {

    /** Opens both; nothing is sent yet. */
    static SinkStores open(DynamoDbSinkConfig config) {
      return open(
          () -> DynamoDbItemStore.openFailingFast(config.store()),
          () -> DynamoDbItemStore.open(config.store(), config.newTables()));
    }

    static SinkStores open(Supplier<ItemStore> failFast, Supplier<ItemStore> repeating) {
      ItemStore first = failFast.get();
      try {
        return new SinkStores(first, repeating.get());
      } catch (RuntimeException e) {
        first.close();
        throw e;
      }
    }

    @Override
    public void close() {
      failFast.close();
      repeating.close();
    }
  }
}
