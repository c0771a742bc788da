package io.indexview.benchmarks.dynamodb;

import io.indexview.benchmarks.contest.Contest;
import io.indexview.benchmarks.contest.Contest.Contestant;
import io.indexview.benchmarks.contest.Effort;
import io.indexview.benchmarks.contest.Outcome;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.sink.ViewRecords;
import io.indexview.connect.common.row.StructFields;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/**
 * The DynamoDB sink against a bare loop of asynchronous puts of the same items, with as many in
 * flight. What the sink does beside writing is part of its time: mapping rows, ordering them by
 * key, conditions, consumed capacity, offsets. What conditions cost the store shows beside, in a
 * loop of conditional puts.
 */
final class DynamoDbSinkBenchmark {
  private static final String RAW = "bare puts";
  private static final String FENCED = "conditional puts";
  private static final String SINK = "sink";

  private final Settings settings;
  private final Consumer<String> progress;

  /** Each generation has a table of its own. */
  private int generations;

  /**
   * @param rows that a trial writes
   * @param inFlight requests at once, of both
   * @param roundTrip added to each answer, of both
   */
  record Settings(int rounds, int rows, int inFlight, Duration roundTrip) {}

  /**
   * @param progress called with what happens
   */
  DynamoDbSinkBenchmark(Settings settings, Consumer<String> progress) {
    this.settings = settings;
    this.progress = progress;
  }

  /** Runs a contest for each case, after a round of all that warms the compiler up. */
  Table run(List<DynamoDbSinkCase> cases) throws Exception {
    Table table =
        new Table(
            "DynamoDB sink, DynamoDB Local in memory, %d requests in flight, %d ms added to each, against bare puts"
                .formatted(settings.inFlight(), settings.roundTrip().toMillis()),
            "table",
            "mode",
            "rows",
            RAW + ", items/s",
            SINK + ", items/s",
            "ratio",
            "CPU us/item",
            "CPU ratio",
            "ratio to " + FENCED);
    try (LocalTables tables = new LocalTables()) {
      for (DynamoDbSinkCase one : cases) {
        run("warming up, " + one.title(), one, 1, tables);
      }
      for (DynamoDbSinkCase one : cases) {
        Outcome outcome = run(one.title(), one, settings.rounds(), tables);
        table.row(
            one.shape(),
            one.modeName(),
            one.rows(),
            Table.whole(outcome.rate(RAW)),
            Table.whole(outcome.rate(SINK)),
            outcome.ratio(SINK).toString(),
            Table.ratio(outcome.cpuMicros(RAW)) + " / " + Table.ratio(outcome.cpuMicros(SINK)),
            outcome.cpuRatio(SINK).toString(),
            toFenced(one, outcome));
      }
    }
    return table;
  }

  private static String toFenced(DynamoDbSinkCase one, Outcome outcome) {
    return one.mode() == WriteMode.CONDITIONAL
        ? new Outcome(FENCED, outcome.efforts()).ratio(SINK).toString()
        : "";
  }

  private Outcome run(String title, DynamoDbSinkCase one, int rounds, LocalTables tables)
      throws Exception {
    int inFlight = settings.inFlight();
    try (RawPuts raw = new RawPuts(tables.client(inFlight, settings.roundTrip()), inFlight);
        DynamoDbSinkRun sink =
            new DynamoDbSinkRun(
                DynamoDbItemStore.over(tables.client(inFlight, settings.roundTrip())),
                one.mode(),
                inFlight)) {
      List<Contestant> contestants = new ArrayList<>();
      contestants.add(new Contestant(RAW, () -> raw(one, raw, sink, UnaryOperator.identity())));
      if (one.mode() == WriteMode.CONDITIONAL) {
        contestants.add(new Contestant(FENCED, () -> raw(one, raw, sink, RawPuts::fenced)));
      }
      contestants.add(new Contestant(SINK, () -> sink(one, sink)));
      return new Contest(title, contestants).run(0, rounds, progress);
    }
  }

  private Effort raw(
      DynamoDbSinkCase one,
      RawPuts raw,
      DynamoDbSinkRun sink,
      UnaryOperator<List<PutItemRequest>> requests)
      throws Exception {
    Prepared prepared = prepared(one, sink);
    List<SinkRecord> records = prepared.rows().of(settings.rows(), 2);
    List<PutItemRequest> ready = requests.apply(RawPuts.bare(prepared.generation(), records, 2));
    return Effort.of(() -> raw.write(ready));
  }

  private Effort sink(DynamoDbSinkCase one, DynamoDbSinkRun sink) throws Exception {
    List<SinkRecord> records = prepared(one, sink).rows().of(settings.rows(), 2);
    return Effort.of(() -> sink.write(records));
  }

  private record Prepared(ViewGeneration generation, ViewRecords rows) {}

  /** A generation whose table is there, with older rows in it: all, or one. */
  private Prepared prepared(DynamoDbSinkCase one, DynamoDbSinkRun sink) throws Exception {
    ViewGeneration generation = BenchViews.generation("rows", ++generations, one.view());
    ViewRecords rows = new ViewRecords(generation);
    sink.write(rows.of(one.changed() ? settings.rows() : 1, 1));
    return new Prepared(generation, rows);
  }

  /** A loop of puts, several in flight, of requests that are ready made. */
  private static final class RawPuts implements AutoCloseable {
    private final DynamoDbAsyncClient client;
    private final int inFlight;

    /**
     * @param client is closed with this
     */
    RawPuts(DynamoDbAsyncClient client, int inFlight) {
      this.client = client;
      this.inFlight = inFlight;
    }

    /** What the sink would put for records of one generation, without a condition. */
    static List<PutItemRequest> bare(
        ViewGeneration generation, List<SinkRecord> records, long revision) {
      DynamoDbLayout layout = DynamoDbLayout.of(generation);
      return records.stream().map(record -> request(layout, record, revision)).toList();
    }

    /** Requests that are each held off by an item of a higher revision. */
    static List<PutItemRequest> fenced(List<PutItemRequest> requests) {
      return requests.stream()
          .map(
              request ->
                  request.toBuilder()
                      .conditionExpression("attribute_not_exists(#a) OR #a <= :a")
                      .expressionAttributeNames(Map.of("#a", DynamoDbLayout.REVISION))
                      .expressionAttributeValues(
                          Map.of(":a", request.item().get(DynamoDbLayout.REVISION)))
                      .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                      .build())
          .toList();
    }

    private static PutItemRequest request(DynamoDbLayout layout, SinkRecord record, long revision) {
      Struct key = (Struct) record.key();
      Map<String, AttributeValue> item = new HashMap<>();
      layout
          .item(key::get, StructFields.of((Struct) record.value()), revision)
          .forEach((name, value) -> item.put(name, attribute(value)));
      return PutItemRequest.builder().tableName(layout.table().name()).item(item).build();
    }

    private static AttributeValue attribute(Object value) {
      return value instanceof Number
          ? AttributeValue.fromN(value.toString())
          : AttributeValue.fromS(value.toString());
    }

    /** Puts all; returns how many. */
    long write(List<PutItemRequest> requests) throws InterruptedException {
      Semaphore free = new Semaphore(inFlight);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      for (PutItemRequest request : requests) {
        free.acquire();
        client
            .putItem(request)
            .whenComplete(
                (done, thrown) -> {
                  failure.compareAndSet(null, thrown);
                  free.release();
                });
      }
      free.acquire(inFlight);
      if (failure.get() != null) {
        throw new IllegalStateException("a put failed", failure.get());
      }
      return requests.size();
    }

    @Override
    public void close() {
      client.close();
    }
  }

  /**
   * What the sink is to write.
   *
   * @param shape what the table holds
   * @param view the definition after name and source
   * @param changed whether all rows are there already, with an older revision
   */
  record DynamoDbSinkCase(String shape, WriteMode mode, boolean changed, String view) {
    private static final String DOCUMENT =
        """
        kind: document
        include: [name, org, city, cost, note]
        target: dynamodb
        table: documents
        indexes:
          - name: org-cost-index
            partitionKey: org
            sortKey: cost
        """;

    private static final String INDEX =
        """
        key: [country, id]
        shardKey: 1
        include: [name, org]
        target: dynamodb
        table: by-country
        """;

    static final List<DynamoDbSinkCase> ALL =
        List.of(
            new DynamoDbSinkCase("document, one index", WriteMode.CONDITIONAL, false, DOCUMENT),
            new DynamoDbSinkCase("document, one index", WriteMode.CONDITIONAL, true, DOCUMENT),
            new DynamoDbSinkCase("document, one index", WriteMode.BATCH, false, DOCUMENT),
            new DynamoDbSinkCase("document, one index", WriteMode.BATCH, true, DOCUMENT),
            new DynamoDbSinkCase("index view", WriteMode.CONDITIONAL, false, INDEX),
            new DynamoDbSinkCase("index view", WriteMode.BATCH, false, INDEX));

    String title() {
      return "%s, %s, %s".formatted(shape, modeName(), rows());
    }

    String modeName() {
      return mode.name().toLowerCase(Locale.ROOT);
    }

    String rows() {
      return changed ? "changed" : "new";
    }
  }
}
