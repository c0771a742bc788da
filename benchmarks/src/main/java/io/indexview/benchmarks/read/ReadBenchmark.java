package io.indexview.benchmarks.read;

import io.indexview.benchmarks.command.BlockingHttp;
import io.indexview.benchmarks.contest.Callers;
import io.indexview.benchmarks.contest.Callers.Plan;
import io.indexview.benchmarks.contest.Contest;
import io.indexview.benchmarks.contest.Contest.Contestant;
import io.indexview.benchmarks.contest.Effort;
import io.indexview.benchmarks.contest.Outcome;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.RequestCounts;
import io.indexview.benchmarks.data.RequestCounts.Count;
import io.indexview.benchmarks.read.PageSource.BareDynamoDbPages;
import io.indexview.benchmarks.read.PageSource.BareKvPages;
import io.indexview.benchmarks.read.PageSource.BareRecords;
import io.indexview.benchmarks.read.PageSource.ClientPages;
import io.indexview.benchmarks.read.PageSource.RestPages;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PageTokens;
import io.indexview.client.read.ReaderConfig;
import io.indexview.server.IndexviewServer;
import io.indexview.server.config.ServerConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Pages of a view by REST and by the client library, against a bare range read of the same rows
 * from the same store in the same process.
 */
final class ReadBenchmark {
  private static final String BARE = "bare range read";
  private static final String CLIENT = "client library";
  private static final String REST = "REST";

  /** What a request costs that asks for nothing. */
  private static final String EMPTY = "REST, /health/live";

  /** Reads of rows ask no cluster. */
  private static final String NOBODY = "127.0.0.1:1";

  private static final String NEVER_MS = "3600000";

  /** Where pages begin. To make an id for each allocates as much as to read a row. */
  private static final int STARTS = 10_000;

  private final Plan plan;
  private final List<Integer> rowCounts;
  private final boolean fetch;
  private final Consumer<String> progress;

  /**
   * @param rowCounts how many rows a page has, contests for each
   * @param fetch whether with the primary records
   * @param progress called with what happens
   */
  ReadBenchmark(Plan plan, List<Integer> rowCounts, boolean fetch, Consumer<String> progress) {
    this.plan = plan;
    this.rowCounts = rowCounts;
    this.fetch = fetch;
    this.progress = progress;
  }

  /** Compares the pages, then their rates. */
  Table run() throws Exception {
    Table table =
        new Table(
            "pages of a view of %,d people%s, embedded KV store and DynamoDB Local in memory, against a %s"
                .formatted(plan.people(), fetch ? ", with their primary records" : "", BARE),
            "store",
            "rows",
            "callers",
            "contestant",
            "pages/s",
            "ratio",
            "CPU us/page",
            "CPU ratio",
            "KV store, requests/page",
            "DynamoDB, requests/page");
    try (LoadedStores stores = LoadedStores.open(plan.directory(), plan.people());
        IndexviewServer server =
            IndexviewServer.start(
                serverConfig(),
                stores.kvStore(),
                stores.items(),
                IndexViewReaders.avroRecordsIn(stores.kvStore()))) {
      IndexViewReader reader = reader(stores);
      BareRecords records = fetch ? new BareRecords(stores.kvStore()) : BareRecords.NONE;
      Map<String, PageSource<?>> ofKv = new LinkedHashMap<>();
      ofKv.put(BARE, new BareKvPages(stores.kvStore(), stores.inKv(), records));
      ofKv.put(CLIENT, new ClientPages(reader, LoadedStores.IN_KV, fetch));
      BlockingHttp http = new BlockingHttp(server.address());
      ofKv.put(REST, new RestPages(http, LoadedStores.IN_KV, fetch));
      Map<String, PageSource<?>> ofDynamoDb = new LinkedHashMap<>();
      ofDynamoDb.put(BARE, new BareDynamoDbPages(stores.dynamoDb(), stores.inDynamoDb(), records));
      ofDynamoDb.put(CLIENT, new ClientPages(reader, LoadedStores.IN_DYNAMODB, fetch));
      ofDynamoDb.put(REST, new RestPages(http, LoadedStores.IN_DYNAMODB, fetch));
      run(table, "KV store", ofKv, http, stores.counts());
      run(table, "DynamoDB", ofDynamoDb, http, stores.counts());
    }
    return table;
  }

  private static ServerConfig serverConfig() {
    return ServerConfig.parse(
        Map.of(
            "bootstrap.servers",
            NOBODY,
            "schema.registry.url",
            "http://" + NOBODY,
            "http.port",
            "0",
            // Or they would say again and again that nobody is there.
            "kafka.reconnect.backoff.ms",
            NEVER_MS,
            "kafka.reconnect.backoff.max.ms",
            NEVER_MS));
  }

  private static IndexViewReader reader(LoadedStores stores) {
    return IndexViewReaders.of(
        stores.kvStore(),
        stores.items(),
        People.TOPICS,
        ReaderConfig.of(PageTokens.ofThisProcess())
            .fetchingFrom(IndexViewReaders.avroRecordsIn(stores.kvStore())));
  }

  private void run(
      Table table,
      String store,
      Map<String, PageSource<?>> sources,
      BlockingHttp http,
      RequestCounts counts)
      throws Exception {
    for (int rows : rowCounts) {
      compare(store, sources, rows);
      List<String> starts =
          new Random().ints(STARTS, 0, lastStart(rows) + 1).mapToObj(People::id).toList();
      Map<String, Callers.Call> calls = new LinkedHashMap<>();
      sources.forEach((name, source) -> calls.put(name, () -> page(source, starts, rows)));
      calls.put(EMPTY, () -> nothing(http));
      for (int callers : plan.callers()) {
        contest(table, store, calls, counts, rows, callers);
      }
    }
  }

  /** Two of three people are in the view's partition that is read. */
  private int lastStart(int rows) {
    return plan.people() - (rows + 2) * 3 / 2 - 1;
  }

  private static int page(PageSource<?> source, List<String> starts, int rows) throws Exception {
    source.read(starts.get(ThreadLocalRandom.current().nextInt(STARTS)), rows);
    return 1;
  }

  private static int nothing(BlockingHttp http) throws IOException {
    http.get("/health/live");
    return 1;
  }

  /** Rates of different pages could not be compared. */
  private void compare(String store, Map<String, PageSource<?>> sources, int rows)
      throws Exception {
    int last = lastStart(rows);
    for (int start : List.of(0, last / 2, last)) {
      List<String> expected = keys(sources.get(BARE), start, rows);
      if (expected.size() != rows) {
        throw new IOException(
            "%s: %d of %d rows from person %d".formatted(store, expected.size(), rows, start));
      }
      for (Map.Entry<String, PageSource<?>> source : sources.entrySet()) {
        List<String> found = keys(source.getValue(), start, rows);
        if (!found.equals(expected)) {
          throw new IOException(
              "%s, %s: the page from person %d is %s, not %s"
                  .formatted(store, source.getKey(), start, found, expected));
        }
      }
    }
    progress.accept("%s, pages of %d: all read the same rows".formatted(store, rows));
  }

  private static <A> List<String> keys(PageSource<A> source, int start, int rows) throws Exception {
    return source.primaryKeys(source.read(People.id(start), rows));
  }

  private void contest(
      Table table,
      String store,
      Map<String, Callers.Call> calls,
      RequestCounts counts,
      int rows,
      int callers)
      throws Exception {
    Map<String, Count> requests = new HashMap<>();
    Map<String, Long> pages = new HashMap<>();
    List<Contestant> contestants = new ArrayList<>();
    Outcome outcome;
    try (Callers threads = new Callers(callers, plan.trial())) {
      calls.forEach(
          (name, call) ->
              contestants.add(
                  new Contestant(
                      name,
                      () -> {
                        Count before = counts.now();
                        Effort effort = threads.run(call);
                        requests.merge(name, counts.now().minus(before), Count::plus);
                        pages.merge(name, effort.units(), Long::sum);
                        return effort;
                      })));
      outcome =
          Contest.alternating(
                  "%s, pages of %d, %d callers".formatted(store, rows, callers), contestants)
              .run(1, plan.rounds(), progress);
    }
    for (String name : calls.keySet()) {
      double units = pages.get(name);
      table.row(
          store,
          Integer.toString(rows),
          Integer.toString(callers),
          name,
          Table.whole(outcome.rate(name)),
          outcome.ratio(name).toString(),
          Table.whole(outcome.cpuMicros(name)),
          outcome.cpuRatio(name).toString(),
          Table.ratio(requests.get(name).kv() / units),
          Table.ratio(requests.get(name).dynamoDb() / units));
    }
  }
}
