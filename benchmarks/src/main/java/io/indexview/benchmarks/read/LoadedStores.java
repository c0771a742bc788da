package io.indexview.benchmarks.read;

import io.indexview.benchmarks.data.BenchStore;
import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.RequestCounts;
import io.indexview.benchmarks.data.TemporaryDirectory;
import io.indexview.benchmarks.dynamodb.DynamoDbSinkRun;
import io.indexview.benchmarks.dynamodb.LocalTables;
import io.indexview.benchmarks.sink.KvSinkRun;
import io.indexview.benchmarks.sink.ViewRecords;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.TableSpec;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** People in an embedded KV store, a view of them there, and one in DynamoDB Local. */
final class LoadedStores implements AutoCloseable {
  static final String IN_KV = "in-kv";
  static final String IN_DYNAMODB = "in-dynamodb";

  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int IN_FLIGHT = 64;
  private static final String KEY = "key: [active, id]\nshardKey: 1\ninclude: [name, org]\n";

  private final TemporaryDirectory directory;
  private final LocalTables tables;
  private final RequestCounts counts = new RequestCounts();
  private final KvStore kvStore;
  private final DynamoDbAsyncClient dynamoDb;
  private final ItemStore items;
  private final ViewGeneration inKv =
      BenchViews.generation(IN_KV, 1, KEY + "target: kv\nlayout: key-value\n");
  private final ViewGeneration inDynamoDb =
      BenchViews.generation(IN_DYNAMODB, 1, KEY + "target: dynamodb\ntable: people-by-id\n");

  private LoadedStores(TemporaryDirectory directory, LocalTables tables) {
    this.directory = directory;
    this.tables = tables;
    BenchStore files = new BenchStore(directory.path());
    this.kvStore = counts.counted(files.open(KvDurability.WRITE_NO_SYNC));
    this.dynamoDb = counts.counted(tables.client(IN_FLIGHT, Duration.ZERO));
    this.items = DynamoDbItemStore.over(dynamoDb);
  }

  /**
   * @param parent directory for the KV store; null: the system's
   */
  static LoadedStores open(Path parent, int people) throws Exception {
    LoadedStores stores = new LoadedStores(TemporaryDirectory.in(parent), new LocalTables());
    boolean loaded = false;
    try {
      stores.load(people);
      loaded = true;
      return stores;
    } finally {
      if (!loaded) {
        stores.close();
      }
    }
  }

  private void load(int people) throws Exception {
    BenchStore files = new BenchStore(directory.path());
    files.load(people);
    try (KvSinkRun sink =
            new KvSinkRun(files, WriteMode.CONDITIONAL, 1, KvDurability.WRITE_NO_SYNC);
        DynamoDbSinkRun tableSink =
            new DynamoDbSinkRun(
                DynamoDbItemStore.over(tables.client(IN_FLIGHT, Duration.ZERO)),
                DynamoDbSinkConfig.WriteMode.BATCH,
                IN_FLIGHT)) {
      sink.write(new ViewRecords(inKv).of(people, 1));
      tableSink.write(new ViewRecords(inDynamoDb).of(people, 1));
    }
    tellThatTheyServe();
  }

  /** Marks the views as serving, as the sinks do when the controller of the views says so. */
  private void tellThatTheyServe() {
    ViewMetadata ofKv = ready(inKv);
    KvPath path = KvLayout.of(inKv).metadata(ofKv.state().name());
    kvStore.put(
        new KvKey(path.major(), path.minor()), ofKv.toJson().getBytes(StandardCharsets.UTF_8));
    String table = People.TOPICS.prefix() + ViewMetadata.DYNAMODB_TABLE_SUFFIX;
    TableSpec.Key id = new TableSpec.Key(ViewMetadata.DYNAMODB_KEY, TableSpec.KeyType.STRING);
    items.ensureTable(new TableSpec(table, id, null, List.of(), null), TIMEOUT);
    items.put(table, ready(inDynamoDb).toItem()).join();
  }

  private static ViewMetadata ready(ViewGeneration generation) {
    return new ViewMetadata(
        generation.view(),
        "uid-1",
        1,
        0,
        ViewState.State.READY,
        "",
        People.NAME,
        "connect-sink",
        List.of(new ViewMetadata.Generation(ViewState.Role.SERVING, generation)),
        ViewState.Freshness.UNKNOWN);
  }

  RequestCounts counts() {
    return counts;
  }

  KvStore kvStore() {
    return kvStore;
  }

  DynamoDbAsyncClient dynamoDb() {
    return dynamoDb;
  }

  ItemStore items() {
    return items;
  }

  ViewGeneration inKv() {
    return inKv;
  }

  ViewGeneration inDynamoDb() {
    return inDynamoDb;
  }

  @Override
  public void close() {
    items.close();
    kvStore.close();
    tables.close();
    directory.close();
  }
}
