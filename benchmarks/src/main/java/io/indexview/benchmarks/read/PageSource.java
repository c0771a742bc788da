package io.indexview.benchmarks.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.benchmarks.command.BlockingHttp;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * One way to read pages of the view. Safe for use by many threads.
 *
 * @param <A> a page as it comes
 */
interface PageSource<A> {
  /** The page that begins with the first row whose {@code id} is not less than a person's. */
  A read(String id, int rows) throws Exception;

  /** Primary keys of the rows of a page, in their order. */
  List<String> primaryKeys(A page) throws Exception;

  /** A range read of the KV store: keys and bytes as they lie there. */
  final class BareKvPages implements PageSource<List<KvRecord>> {
    private final KvStore store;
    private final KvLayout layout;
    private final KvKey parent;
    private final BareRecords records;

    BareKvPages(KvStore store, ViewGeneration generation, BareRecords records) {
      this.store = store;
      this.layout = KvLayout.of(generation);
      KvPath prefix = layout.prefix(List.of(true));
      this.parent = new KvKey(prefix.major(), prefix.minor());
      this.records = records;
    }

    @Override
    public List<KvRecord> read(String id, int rows) {
      KvRange range = KvRange.from(layout.component(1, id), true);
      List<KvRecord> page = new ArrayList<>(rows);
      try (KvIterator<KvRecord> found =
          store.iterator(
              KvSelection.below(parent, range),
              KvDirection.FORWARD,
              KvConsistency.ABSOLUTE,
              rows + 1)) {
        while (page.size() < rows && found.hasNext()) {
          page.add(found.next());
        }
      }
      records.fetch(() -> primaryKeys(page));
      return page;
    }

    @Override
    public List<String> primaryKeys(List<KvRecord> page) {
      return page.stream()
          .map(
              record ->
                  layout.row(
                      new KvPath(record.key().major(), record.key().minor()), record.value()))
          .map(row -> row.primaryKey())
          .toList();
    }
  }

  /** A query of the AWS SDK: items as it gives them. */
  final class BareDynamoDbPages implements PageSource<List<Map<String, AttributeValue>>> {
    private final DynamoDbAsyncClient client;
    private final DynamoDbLayout layout;
    private final BareRecords records;

    BareDynamoDbPages(DynamoDbAsyncClient client, ViewGeneration generation, BareRecords records) {
      this.client = client;
      this.layout = DynamoDbLayout.of(generation);
      this.records = records;
    }

    @Override
    public List<Map<String, AttributeValue>> read(String id, int rows) {
      List<Object> active = List.of(true);
      List<Map<String, AttributeValue>> page =
          client
              .query(
                  request ->
                      request
                          .tableName(layout.table().name())
                          .keyConditionExpression("#p = :p AND #s >= :s")
                          .expressionAttributeNames(
                              Map.of("#p", DynamoDbLayout.PARTITION, "#s", DynamoDbLayout.SORT))
                          .expressionAttributeValues(
                              Map.of(
                                  ":p",
                                  AttributeValue.fromS(layout.partition(active)),
                                  ":s",
                                  AttributeValue.fromS(layout.sortBound(active, id, false))))
                          .consistentRead(true)
                          .limit(rows))
              .join()
              .items();
      records.fetch(() -> primaryKeys(page));
      return page;
    }

    @Override
    public List<String> primaryKeys(List<Map<String, AttributeValue>> page) {
      return page.stream().map(item -> layout.row(plain(item)).primaryKey()).toList();
    }

    private static Map<String, Object> plain(Map<String, AttributeValue> item) {
      Map<String, Object> plain = new HashMap<>();
      item.forEach(
          (name, value) ->
              plain.put(name, value.n() == null ? value.s() : new BigDecimal(value.n())));
      return plain;
    }
  }

  /** The client library. */
  final class ClientPages implements PageSource<RowPage> {
    private final IndexViewReader reader;
    private final String view;
    private final ReadOptions options;

    ClientPages(IndexViewReader reader, String view, boolean fetch) {
      this.reader = reader;
      this.view = view;
      this.options = fetch ? ReadOptions.DEFAULT.fetching() : ReadOptions.DEFAULT;
    }

    @Override
    public RowPage read(String id, int rows) {
      return reader.read(
          ViewQuery.of(view)
              .where("active", true)
              .where(new ViewQuery.Range("id", id, true, null, true))
              .withLimit(rows),
          options);
    }

    @Override
    public List<String> primaryKeys(RowPage page) {
      return page.rows().stream().map(RowPage.Row::primaryKey).toList();
    }
  }

  /** The server over HTTP/1.1; a page is its text. */
  final class RestPages implements PageSource<byte[]> {
    private final BlockingHttp server;
    private final String view;
    private final boolean fetch;

    RestPages(BlockingHttp server, String view, boolean fetch) {
      this.server = server;
      this.view = view;
      this.fetch = fetch;
    }

    @Override
    public byte[] read(String id, int rows) throws IOException {
      return server.get(
          "/views/%s/rows?active=true&from=%s&limit=%d%s"
              .formatted(view, id, rows, fetch ? "&fetch=true" : ""));
    }

    @Override
    public List<String> primaryKeys(byte[] page) throws IOException {
      List<String> keys = new ArrayList<>();
      for (JsonNode row : JsonMapper.builder().build().readTree(page).path("rows")) {
        keys.add(row.path("primaryKey").asText());
      }
      return keys;
    }
  }

  /** Gets of the primary records behind a page, one after the other. */
  record BareRecords(KvStore store) {
    /** None of them. */
    static final BareRecords NONE = new BareRecords(null);

    void fetch(Supplier<List<String>> primaryKeys) {
      if (store != null) {
        for (String key : primaryKeys.get()) {
          if (store.get(KvKey.fromString(key)).isEmpty()) {
            throw new IllegalStateException(key + " is gone");
          }
        }
      }
    }
  }
}
