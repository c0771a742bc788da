package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig;
import io.indexview.connect.kvstore.sink.KvStoreSinkConnector.SinkPreflight;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.open.KvStores;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SinkPreflightTest {
  private final Map<String, String> config = new HashMap<>();
  private final List<String> calls = new ArrayList<>();

  @TempDir private Path directory;

  SinkPreflightTest() {
    config.put("consumer.override.isolation.level", "read_committed");
    config.put(
        "consumer.override.partition.assignment.strategy",
        CooperativeStickyAssignor.class.getName());
  }

  private ConfigProblems ask(Supplier<KvStore> opener) {
    config.putIfAbsent("kvstore.uri", "oracle://localhost:1/kvstore");
    return new SinkPreflight(new KvStoreSinkConfig(config), opener).ask();
  }

  /** A store that fails at a call. */
  private KvStore store(KvStore real, String failing, RuntimeException failure) {
    return ObservedKvStore.of(
        real,
        (method, arguments) -> {
          calls.add(method);
          if (method.equals(failing)) {
            throw failure;
          }
        });
  }

  @Test
  void readsAndWritesAndLeavesNothing() {
    try (KvStore store = embedded()) {
      assertThatCode(() -> ask(() -> store(store, "", null)).throwIfAny())
          .doesNotThrowAnyException();
      assertThat(calls).containsExactly("get", "delete");
      assertThat(store.storeKeysIterator(KvScan.all()).hasNext()).isFalse();
    }
  }

  @Test
  void blamesTheStoreThatCannotBeOpenedReadOrWritten() {
    RuntimeException failure = new KvStoreException.Misconfigured("no role readwrite");
    try (KvStore store = embedded()) {
      for (String failing : List.of("get", "delete")) {
        assertThatThrownBy(() -> ask(() -> store(store, failing, failure)).throwIfAny())
            .hasMessage("kvstore.uri: no role readwrite");
      }
    }
    assertThatThrownBy(
            () ->
                ask(() -> {
                      throw failure;
                    })
                    .throwIfAny())
        .hasMessage("kvstore.uri: no role readwrite");
  }

  @Test
  @Timeout(30)
  void doesNotHangOnAStoreThatDoesNotAnswer() {
    config.put("preflight.timeout.ms", "300");
    CountDownLatch hanging = new CountDownLatch(1);

    ConfigProblems problems =
        ask(
            () -> {
              try {
                hanging.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              throw new KvStoreException.Unavailable("away");
            });
    assertThatThrownBy(problems::throwIfAny)
        .hasMessageContaining(
            "kvstore.uri: no answer within 300 ms (preflight.timeout.ms): KV store oracle://localhost:1/kvstore");
    hanging.countDown();
  }

  @Test
  void saysWhatHelpsWhereClassesAreMissing() {
    ConfigProblems problems =
        ask(
            () -> {
              throw new NoSuchMethodError("com/sleepycat/je/Missing");
            });

    assertThatThrownBy(problems::throwIfAny)
        .hasMessageContainingAll(
            "kvstore.uri: KV store oracle://localhost:1/kvstore: ",
            "java.lang.NoSuchMethodError: com/sleepycat/je/Missing",
            "runs on Kafka Connect from 3.9");
  }

  @Test
  void asksNobodyWhenItShallNotAndNeverOpensAnEmbeddedStore() {
    Supplier<KvStore> none =
        () -> {
          throw new KvStoreException.Unavailable("away");
        };
    config.put("preflight.timeout.ms", "0");
    assertThat(ask(none).isEmpty()).isTrue();

    config.remove("preflight.timeout.ms");
    config.put("kvstore.uri", "embedded:" + directory.resolve("store"));
    assertThat(new KvStoreSinkConnector().validate(config).configValues())
        .allSatisfy(value -> assertThat(value.errorMessages()).isEmpty());
    assertThat(directory.resolve("store")).doesNotExist();
  }

  /**
   * Nobody listens there, or the plugin's client is too old: either way not a matter of minutes.
   */
  @Test
  @Timeout(60)
  void refusesAConfigurationWhoseStoreIsNotThere() {
    config.put("kvstore.uri", "oracle://127.0.0.1:1/kvstore");
    config.put("preflight.timeout.ms", "2000");

    assertThat(new KvStoreSinkConnector().validate(config).configValues())
        .filteredOn(value -> !value.errorMessages().isEmpty())
        .extracting(ConfigValue::name)
        .containsExactly("kvstore.uri");
  }

  private KvStore embedded() {
    return KvStores.open(
        KvStoreConfig.of("embedded:" + directory.resolve("embedded"))
            .withCacheBytes(8L << 20)
            .withDurability(KvDurability.WRITE_NO_SYNC));
  }
}
