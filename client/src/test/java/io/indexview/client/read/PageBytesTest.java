package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.read.StoredView.TestRow;
import io.indexview.client.read.target.ViewRows;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.views.definition.ViewGeneration;
import java.lang.reflect.Proxy;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of rows, and of records, that are large. */
class PageBytesTest {
  private static final int ROWS = 20;
  private static final String LARGE = "x".repeat(900 << 10);
  private static final String WITH_NAME = People.BY_ORG + "include: [name]\n";

  private final StoredKvView stored = new StoredKvView();
  private final List<Integer> batches = new ArrayList<>();
  private int scanned;

  @AfterEach
  void close() {
    stored.close();
  }

  private static String key(int person) {
    return "/p/-/%02d".formatted(person);
  }

  private static List<String> keys(int people) {
    return IntStream.range(0, people).mapToObj(PageBytesTest::key).toList();
  }

  private ViewGeneration serve(String definition) {
    ViewGeneration generation = People.view("v", 1, definition);
    stored.serve(generation);
    return generation;
  }

  /** Each on the day after the one before. */
  private static LocalDate date(int person) {
    return LocalDate.parse("2017-08-01").plusDays(person);
  }

  private void putRows(ViewGeneration generation, String org, String name) {
    for (int i = 0; i < ROWS; i++) {
      TestRow row = People.row(org, date(i).toString(), key(i));
      stored.put(generation, new TestRow(row.key(), row.primaryKey(), Map.of("name", name)), i);
    }
  }

  private void putRecords(String org) {
    for (int i = 0; i < ROWS; i++) {
      GenericRecord person = new GenericData.Record(People.SCHEMA);
      person.put("name", LARGE);
      person.put("org", org);
      person.put("date", (int) date(i).toEpochDay());
      person.put("cost", 7L);
      byte[] value = ValueEncoder.avro(People.SCHEMA).encode(person);
      stored.store().put(KvKey.fromString(key(i)), value);
    }
  }

  /** The primary keys of each page. */
  private static List<List<String>> pages(
      IndexViewReader reader, ViewQuery query, ReadOptions options) {
    List<List<String>> pages = new ArrayList<>();
    String token = null;
    do {
      RowPage page = reader.read(query.from(token), options);
      pages.add(page.rows().stream().map(RowPage.Row::primaryKey).toList());
      token = page.next();
    } while (token != null);
    return pages;
  }

  private static void requireAllOnce(List<List<String>> pages) {
    assertThat(pages.get(0)).hasSizeBetween(1, ROWS - 1);
    assertThat(pages).allMatch(page -> !page.isEmpty());
    assertThat(pages.stream().flatMap(List::stream)).containsExactlyElementsOf(keys(ROWS));
  }

  /** In one place, and sorted out of many. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void endsAPageAtTheRowThatFillsIt(int shardKey) {
    putRows(serve(WITH_NAME.replace("shardKey: 1", "shardKey: " + shardKey)), "Support", LARGE);
    ViewQuery query = ViewQuery.of("v").where("org", "Support").withLimit(ROWS);

    requireAllOnce(pages(stored.reader(StoredView.LOOKING), query, ReadOptions.DEFAULT));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key: [org, date]\nshardKey: 1\nlayout: key-value\n",
        "key: [org, date]\nshardKey: 2\nlayout: key-value\n",
        "key: [org]\nlayout: list\n"
      })
  void endsAPageAtTheRecordThatFillsIt(String definition) {
    putRows(serve(definition + "target: kv\n"), "Support", "");
    putRecords("Support");
    IndexViewReader fetching =
        stored.reader(
            StoredView.LOOKING.fetchingFrom(IndexViewReaders.avroRecordsIn(stored.store())));
    ViewQuery query = ViewQuery.of("v").where("org", "Support").withLimit(ROWS);

    assertThat(pages(fetching, query, ReadOptions.DEFAULT)).containsExactly(keys(ROWS));
    requireAllOnce(pages(fetching, query, ReadOptions.DEFAULT.fetching()));
  }

  @Test
  void countsWhatItLeavesOutInEachPageThatComesByIt() {
    putRows(serve(People.BY_ORG), "Support", "");
    putRecords("Support");
    stored.store().delete(KvKey.fromString(key(0)));
    stored.store().delete(KvKey.fromString(key(1)));
    IndexViewReader fetching =
        stored.reader(
            StoredView.LOOKING
                .withMaxPageBytes(2L * LARGE.length())
                .fetchingFrom(IndexViewReaders.avroRecordsIn(stored.store())));
    ViewQuery query = ViewQuery.of("v").where("org", "Support").withLimit(ROWS);

    RowPage first = fetching.read(query, ReadOptions.DEFAULT.fetching());
    RowPage second = fetching.read(query.from(first.next()), ReadOptions.DEFAULT.fetching());

    assertThat(first.rows()).extracting(RowPage.Row::primaryKey).containsExactly(key(2), key(3));
    assertThat(first.leftOut().gone()).isEqualTo(2);
    assertThat(second.rows()).extracting(RowPage.Row::primaryKey).containsExactly(key(4), key(5));
    assertThat(second.leftOut()).isEqualTo(RowPage.LeftOut.NONE);
  }

  private IndexViewReader counted() {
    return counted(StoredView.LOOKING);
  }

  private IndexViewReader counted(ReaderConfig config) {
    return IndexViewReaders.of(
        (KvStore)
            Proxy.newProxyInstance(
                KvStore.class.getClassLoader(),
                new Class<?>[] {KvStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("iterator")) {
                    batches.add((Integer) arguments[3]);
                  } else if (method.getName().equals("storeIterator")) {
                    KvScan scan = (KvScan) arguments[0];
                    boolean isOfRows = scan.parent().major().get(0).equals("IDX");
                    if (isOfRows) {
                      batches.add(scan.batchSize());
                      return counting(stored.store().storeIterator(scan));
                    }
                  }
                  return method.invoke(stored.store(), arguments);
                }),
        config);
  }

  private KvIterator<KvRecord> counting(KvIterator<KvRecord> scan) {
    return new KvIterator<>() {
      @Override
      public boolean hasNext() {
        return scan.hasNext();
      }

      @Override
      public KvRecord next() {
        scanned++;
        return scan.next();
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }

  /** Records may be so large that a page has few of them. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void scansOnlyWhatFollowsThePageBefore(boolean descending) {
    putRows(serve(People.BY_ORG.replace("shardKey: 1", "shardKey: 2")), "Support", "");
    putRecords("Support");
    IndexViewReader counted =
        counted(
            StoredView.LOOKING
                .withMaxPageBytes(1)
                .fetchingFrom(IndexViewReaders.avroRecordsIn(stored.store())));
    ViewQuery query = ViewQuery.of("v").where("org", "Support");

    List<List<String>> pages =
        pages(
            counted,
            descending ? query.inDescendingOrder() : query,
            ReadOptions.DEFAULT.fetching());

    List<String> expected = new ArrayList<>(keys(ROWS));
    if (descending) {
      Collections.reverse(expected);
    }
    assertThat(pages).hasSize(ROWS);
    assertThat(pages.stream().flatMap(List::stream)).containsExactlyElementsOf(expected);
    // The last row of the page before is among them.
    assertThat(scanned).isEqualTo(ROWS + ROWS * (ROWS + 1) / 2 - 1);
  }

  /** The store holds all records of a request at once. */
  @Test
  void asksForFewRecordsWhileTheyAreLarge() {
    ViewGeneration generation = serve(WITH_NAME);
    putRows(generation, "Sales", "");
    putRows(generation, "Support", LARGE);
    IndexViewReader counted = counted();
    ViewQuery large = ViewQuery.of("v").where("org", "Support").withLimit(1_000);
    ViewQuery small = ViewQuery.of("v").where("org", "Sales").withLimit(1_000);

    pages(counted, large, ReadOptions.DEFAULT);
    assertThat(batches.get(0)).isLessThan(200);
    assertThat(batches.subList(1, batches.size())).isNotEmpty().allMatch(batch -> batch <= 12);

    batches.clear();
    for (int i = 0; i < 60; i++) {
      counted.read(small.withLimit(1));
    }
    batches.clear();
    pages(counted, large, ReadOptions.DEFAULT);
    assertThat(batches.get(0)).isLessThanOrEqualTo(12);
  }

  @Test
  void scansForFewRecordsAtOnceWhileTheyAreLarge() {
    putRows(serve(WITH_NAME.replace("shardKey: 1", "shardKey: 2")), "Support", LARGE);
    IndexViewReader counted = counted();

    pages(counted, ViewQuery.of("v").where("org", "Support"), ReadOptions.DEFAULT);

    assertThat(batches.get(0)).isLessThan(50);
    assertThat(batches.subList(1, batches.size())).isNotEmpty().allMatch(batch -> batch <= 4);
  }

  @Test
  void learnsFromAScanThatIsRefused() {
    putRows(serve(WITH_NAME.replace("shardKey: 1", "shardKey: 2")), "Support", "");
    IndexViewReader counted = counted(StoredView.LOOKING.withSortLimit(5));
    ViewQuery query = ViewQuery.of("v").where("org", "Support");

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> counted.read(query))
          .isInstanceOf(ViewRows.TooManyRowsException.class);
    }
    assertThat(batches.get(0)).isLessThan(50);
    assertThat(batches.get(1)).isEqualTo(500);
  }
}
