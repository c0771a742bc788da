package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException;
import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException.MissingTopicException;
import io.indexview.connect.common.index.FakeTopic;
import io.indexview.connect.common.source.Requests;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SourcePreflightTest {
  private final Map<String, String> config = new HashMap<>();
  private final Ports ports = new Ports();

  @TempDir private Path directory;

  private ConfigProblems ask() {
    config.put("schema.registry.url", "mock://preflight");
    config.put("source.name", "s");
    config.putIfAbsent("kvstore.uri", "oracle://localhost:1/kvstore");
    config.put("index.dir", directory.toString());
    config.putIfAbsent("kafka.bootstrap.servers", "localhost:9092");
    config.put("record.sets", "people,orders");
    for (String name : List.of("people", "orders")) {
      config.put("record.set." + name + ".prefix", "/" + name);
      config.put("record.set." + name + ".schema", People.SCHEMA.toString());
    }
    return new SourcePreflight(new KvStoreSourceConfig(config), ports).ask();
  }

  @Test
  void blamesEachSystemAtItsKeyAndAllAtOnce() {
    ports.missing = "indexview.changes.orders";
    ports.storeError = new KvStoreException.Misconfigured("no such user");
    ports.registryError = new IllegalStateException("not let in");

    assertThatThrownBy(() -> ask().throwIfAny())
        .hasMessageContainingAll(
            "kvstore.uri: no such user",
            "schema.registry.url: not let in",
            "record.set.orders.topic: topic indexview.changes.orders does not exist");
  }

  @Test
  void blamesTheBrokersOnceWhenTheyAreAway() {
    ports.storeError = new KvStoreException.Unavailable("away");
    ports.logError = new ChangeTopicException("nobody answers", null);

    assertThatThrownBy(() -> ask().throwIfAny())
        .hasMessageContainingAll("kafka.bootstrap.servers: nobody answers", "kvstore.uri: away")
        .hasMessageNotContaining("record.set");
  }

  @Test
  @Timeout(30)
  void doesNotHangOnAStoreThatDoesNotAnswer() {
    config.put("preflight.timeout.ms", "300");
    ports.hanging = new CountDownLatch(1);

    assertThatThrownBy(() -> ask().throwIfAny())
        .hasMessageContaining(
            "kvstore.uri: no answer within 300 ms (preflight.timeout.ms): KV store oracle://localhost:1/kvstore");
    ports.hanging.countDown();
  }

  @Test
  void saysWhatHelpsWhereClassesAreMissing() {
    ports.storeFault = new NoClassDefFoundError("oracle/kv/Missing");

    assertThatThrownBy(() -> ask().throwIfAny())
        .hasMessageContainingAll(
            "kvstore.uri: KV store oracle://localhost:1/kvstore: ",
            "java.lang.NoClassDefFoundError: oracle/kv/Missing",
            "runs on Kafka Connect from 3.9");
  }

  @Test
  void saysWhyChangesCannotBeFollowedWhereTheyHaveToBe() {
    ports.store = storeWithoutChanges();
    assertThatCode(() -> ask().throwIfAny()).doesNotThrowAnyException();

    config.put("capture.mode", "subscription");
    assertThatThrownBy(() -> ask().throwIfAny())
        .hasMessageContainingAll("capture.mode: ", "it is too old; use a newer one");
  }

  private static KvStore storeWithoutChanges() {
    return (KvStore)
        Proxy.newProxyInstance(
            KvStore.class.getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, args) -> {
              if (method.getName().equals("changes")) {
                throw new KvStoreException.ChangesUnsupported("it is too old; use a newer one");
              }
              return method.getName().equals("get") ? Optional.empty() : null;
            });
  }

  @Test
  void asksNobodyWhenItShallNotAndNeverOpensAnEmbeddedStore() {
    config.put("preflight.timeout.ms", "0");
    ports.storeError = new KvStoreException.Unavailable("away");
    ports.logError = new ChangeTopicException("nobody answers", null);
    assertThat(ask().isEmpty()).isTrue();

    config.remove("preflight.timeout.ms");
    config.put("kvstore.uri", "embedded:" + directory.resolve("store"));
    ports.logError = null;
    assertThatCode(() -> ask().throwIfAny()).doesNotThrowAnyException();
    assertThat(directory.resolve("store")).doesNotExist();
  }

  /** Somebody listens at the brokers' address, and says nothing. */
  @Test
  @Timeout(60)
  void refusesAConfigurationInTimeAlthoughTheBrokersAreSilent() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      config.put("kvstore.uri", "embedded:" + directory.resolve("store"));
      config.put("kafka.bootstrap.servers", "127.0.0.1:" + silent.getLocalPort());
      config.put("preflight.timeout.ms", "2000");
      ask();

      List<ConfigValue> wrong =
          new KvStoreSourceConnector()
              .validate(config).configValues().stream()
                  .filter(value -> !value.errorMessages().isEmpty())
                  .toList();
      assertThat(wrong).extracting(ConfigValue::name).containsExactly("kafka.bootstrap.servers");
      assertThat(wrong.get(0).errorMessages().get(0))
          .contains("brokers 127.0.0.1:" + silent.getLocalPort());
    }
  }

  private static final class Ports implements SourcePorts {
    private String missing;
    private KvStore store;
    private RuntimeException storeError;
    private Error storeFault;
    private RuntimeException logError;
    private RuntimeException registryError;
    private CountDownLatch hanging;

    @Override
    public KvStore openStore() {
      if (hanging != null) {
        try {
          hanging.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      if (storeFault != null) {
        throw storeFault;
      }
      if (store != null) {
        return store;
      }
      throw storeError;
    }

    @Override
    public ChangeTopicReader openReader(KvRecordSet recordSet) {
      if (logError != null) {
        throw logError;
      }
      if (recordSet.topic().equals(missing)) {
        throw new MissingTopicException(missing, null);
      }
      return new FakeTopic(1, Time.SYSTEM).open();
    }

    @Override
    public SchemaRegistry openRegistry() {
      if (registryError != null) {
        throw registryError;
      }
      return SchemaRegistries.create(Map.of("schema.registry.url", "mock://preflight"));
    }

    @Override
    public Requests openRequests(SchemaRegistry registry) {
      return Requests.NONE;
    }
  }
}
