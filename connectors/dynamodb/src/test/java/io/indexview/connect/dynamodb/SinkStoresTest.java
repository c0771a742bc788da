package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.connect.dynamodb.DynamoDbSinkTask.SinkStores;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.junit.jupiter.api.Test;

/** What was opened is closed, however far the start came. */
class SinkStoresTest {
  private final FaultyItemStore store = new FaultyItemStore(null);

  @Test
  void closesTheFirstStoreIfTheSecondCannotBeOpened() {
    assertThatThrownBy(
            () ->
                SinkStores.open(
                    () -> store,
                    () -> {
                      throw new IllegalStateException("no such region");
                    }))
        .hasMessage("no such region");

    assertThat(store.closed()).isTrue();
  }

  private DynamoDbSinkTask task(Throwable fault) {
    FakeSinkContext worker = new FakeSinkContext();
    DynamoDbSinkTask task = new DynamoDbSinkTask(config -> store);
    task.initialize(
        (SinkTaskContext)
            Proxy.newProxyInstance(
                SinkStoresTest.class.getClassLoader(),
                new Class<?>[] {SinkTaskContext.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("errantRecordReporter")) {
                    throw fault;
                  }
                  return method.invoke(worker, arguments);
                }));
    return task;
  }

  @Test
  void closesTheStoresIfTheTaskCannotStart() {
    DynamoDbSinkTask task = task(new IllegalStateException("no reporter"));

    assertThatThrownBy(() -> task.start(Map.of("aws.region", "local"))).hasMessage("no reporter");

    assertThat(store.closed()).isTrue();
  }

  @Test
  void closesTheStoresAndSaysWhatHelpsIfTheWorkerLacksClasses() {
    DynamoDbSinkTask task = task(new NoClassDefFoundError("a/b/Missing"));

    assertThatThrownBy(() -> task.start(Map.of("aws.region", "local")))
        .isInstanceOf(ConnectException.class)
        .hasMessageContainingAll("a/b/Missing", "runs on Kafka Connect from 3.9");

    assertThat(store.closed()).isTrue();
  }
}
