package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.read.PageTokens.InvalidPageTokenException;
import io.indexview.client.read.StoredView.TestRow;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KvReadingTest {
  private static final ReaderConfig CONFIG = StoredView.LOOKING;

  /** Records that are read first for a page of one row: one more, and some tombstones. */
  private static final int FIRST_BATCH = 10;

  private static final String BY_ORG_AND_DATE = "key: [org, date]\ntarget: kv\nlayout: key-value\n";

  private final StoredKvView stored = new StoredKvView();
  private final IndexViewReader reader = stored.reader(CONFIG);

  @AfterEach
  void close() {
    stored.close();
  }

  private static List<String> keys(RowPage page) {
    return page.rows().stream().map(RowPage.Row::primaryKey).toList();
  }

  private void fill(ViewGeneration generation) {
    stored.put(generation, People.row("Support", "2017-08-21", "/p/-/1"), 1);
    stored.put(generation, People.row("Support", "1969-12-31", "/p/-/2"), 2);
    stored.put(generation, People.row("Sales", "2017-08-20", "/p/-/3"), 3);
  }

  @Test
  void findsViewsByTheirNameOrTheirHash() {
    ViewGeneration plain = People.view("plain", 1, BY_ORG_AND_DATE);
    ViewGeneration hashed = People.view("hashed", 1, BY_ORG_AND_DATE + "naming: hash\n");
    stored.serve(plain);
    stored.serve(hashed);
    fill(hashed);

    assertThat(keys(reader.read(ViewQuery.of("plain")))).isEmpty();
    for (int again = 0; again < 2; again++) {
      assertThat(keys(reader.read(ViewQuery.of("hashed"))))
          .containsExactly("/p/-/3", "/p/-/2", "/p/-/1");
    }
    assertThatExceptionOfType(ViewNotFoundException.class)
        .isThrownBy(() -> reader.read(ViewQuery.of("other")))
        .withMessageContaining("hashed, plain");
  }

  @Test
  void followsAViewThatMoves() {
    ViewGeneration hashed = People.view("v", 1, BY_ORG_AND_DATE + "naming: hash\n");
    ViewGeneration elsewhere = People.view("v", 2, BY_ORG_AND_DATE + "metaPrefix: INFO\n");
    IndexViewReader both = stored.reader(CONFIG.withMetaPrefixes(List.of("META", "INFO")));
    stored.serve(hashed);
    assertThat(both.read(ViewQuery.of("v")).generation()).isEqualTo(1);

    stored.tell(StoredView.metadata(elsewhere, 2, State.READY));
    stored
        .store()
        .multiDelete(KvSelection.of(new KvKey(KvLayout.of(hashed).metadataParent(), List.of())));

    assertThat(both.read(ViewQuery.of("v")).generation()).isEqualTo(2);
  }

  @Test
  void takesTheNewestOfAllMetaPrefixes() {
    ViewGeneration elsewhere = People.view("v", 2, BY_ORG_AND_DATE + "metaPrefix: INFO\n");
    ViewGeneration hashed = People.view("v", 3, BY_ORG_AND_DATE + "naming: hash\n");
    ReaderConfig config = CONFIG.withMetaPrefixes(List.of("META", "INFO"));
    IndexViewReader knowing = stored.reader(config);
    stored.serve(People.view("v", 1, BY_ORG_AND_DATE));
    assertThat(knowing.read(ViewQuery.of("v")).generation()).isEqualTo(1);

    stored.tell(StoredView.metadata(elsewhere, 2, State.READY));
    assertThat(knowing.read(ViewQuery.of("v")).generation()).isEqualTo(2);

    stored.tell(StoredView.metadata(hashed, 3, State.READY));
    assertThat(stored.reader(config).read(ViewQuery.of("v")).generation()).isEqualTo(3);
  }

  @Test
  void takesTheNewerOfTwoPlaces() {
    stored.tell(
        StoredView.metadata(
            People.view("v", 1, BY_ORG_AND_DATE + "naming: hash\n"), 1, State.READY));
    stored.tell(
        StoredView.metadata(
            People.view("v", 2, "key: [org]\ntarget: kv\nnaming: hash\n"), 2, State.BUILDING));

    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(ViewQuery.of("v")))
        .withMessageContaining("BUILDING");
  }

  /** Another installation, or one before this, may have the name and the key of the tokens. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "key: [org, date]\nshardKey: 1\nlayout: key-value\nprefix: THEIRS\n",
        "key: [org, date]\nshardKey: 1\nlayout: key-only\n",
        "key: [org]\nlayout: key-value\n",
        "key: [org, date]\nshardKey: 2\nlayout: key-value\n",
        "key: [org]\nlayout: list\n"
      })
  void takesNoPageTokenOfAViewThatIsDefinedOtherwise(String definition) {
    takesNoPageTokenOf(
        People.view("v", 1, definition + "target: kv\n"),
        People.view("v", 1, People.BY_ORG),
        LocalDate.parse("2017-08-20"));
  }

  /** Types, nulls and names of rows are those of the schema, whatever the definition. */
  @ParameterizedTest
  @CsvSource({
    "'', '{\"type\":\"int\",\"logicalType\":\"date\"}', '\"string\"', false",
    "'nulls: index', '[\"null\",\"string\"],\"default\":null', '\"string\"', true",
    "'naming: hash', '\"namespace\":\"test\"', '\"namespace\":\"other\"', true"
  })
  void takesNoPageTokenOfAViewOfAnotherSchema(
      String option, String ofOurs, String ofTheirs, boolean isDate) {
    ViewGeneration ours = People.view("v", 1, People.BY_ORG + option);
    Schema schema = new Schema.Parser().parse(People.SCHEMA.toString().replace(ofOurs, ofTheirs));
    assertThat(schema).isNotEqualTo(People.SCHEMA);
    RecordSet set = new RecordSet("people", "t", RecordFormat.ENVELOPE, List.of(), schema);

    takesNoPageTokenOf(
        ViewGeneration.freeze(ours.definition(), 1, set, new Topics(Topics.DEFAULT_PREFIX)),
        ours,
        isDate ? LocalDate.parse("2017-08-20") : "2017-08-20");
  }

  /**
   * @param date of their rows
   */
  private void takesNoPageTokenOf(ViewGeneration theirs, ViewGeneration ours, Object date) {
    for (ViewQuery query : List.of(ViewQuery.of("v"), ViewQuery.of("v").where("org", "Support"))) {
      stored.prepare(theirs);
      for (int i = 0; i < 2; i++) {
        String primaryKey = "/p/-/" + i;
        stored.put(
            theirs, new TestRow(Map.of("org", "Support", "date", date), primaryKey, Map.of()), 1);
      }
      stored.serve(theirs);
      String token = stored.reader(CONFIG).read(query.withLimit(1)).next();
      stored.prepare(ours);
      fill(ours);
      stored.serve(ours);

      assertThatExceptionOfType(InvalidPageTokenException.class)
          .isThrownBy(() -> stored.reader(CONFIG).read(query.withLimit(1).from(token)))
          .withMessageContainingAll("defined otherwise", "start over without it");
    }
  }

  @Test
  void passesOverWhatLiesAmongMetadataAndIsNone() {
    ViewGeneration plain = People.view("v", 1, BY_ORG_AND_DATE);
    ViewGeneration hashed = People.view("hashed", 1, BY_ORG_AND_DATE + "naming: hash\n");
    for (ViewGeneration generation : List.of(plain, hashed)) {
      stored.serve(generation);
      fill(generation);
      List<String> place = KvLayout.of(generation).metadataParent();
      for (String foreign : List.of("x", "{", "{}", "")) {
        put(new KvKey(place, List.of("note" + foreign)), foreign);
      }
    }

    for (int again = 0; again < 2; again++) {
      assertThat(reader.read(ViewQuery.of("v")).rows()).hasSize(3);
      assertThat(reader.read(ViewQuery.of("hashed")).rows()).hasSize(3);
    }
    assertThatExceptionOfType(ViewNotFoundException.class)
        .isThrownBy(() -> reader.read(ViewQuery.of("other")));
  }

  private void put(KvKey key, String value) {
    stored.store().put(key, value.getBytes(StandardCharsets.UTF_8));
  }

  /** What it says may be newer than what can be read. */
  @ParameterizedTest
  @ValueSource(strings = {"/META/v/-/x/READY", "/META/elsewhere/-/x/READY"})
  void refusesAViewWhoseMetadataCannotBeRead(String place) {
    stored.serve(People.view("v", 1, BY_ORG_AND_DATE));
    stored.serve(People.view("other", 1, BY_ORG_AND_DATE));
    put(KvKey.fromString(place), "{\"view\":\"v\",\"state\":\"SLEEPING\"}");

    for (int again = 0; again < 2; again++) {
      assertThatExceptionOfType(ViewNotReadyException.class)
          .isThrownBy(() -> reader.read(ViewQuery.of("v")))
          .satisfies(refused -> assertThat(refused.state()).isEqualTo(State.UNKNOWN))
          .withMessageContainingAll(place, "SLEEPING", "upgrade the reader");
    }
    assertThat(reader.read(ViewQuery.of("other")).rows()).isEmpty();
  }

  /**
   * Another program, or a damaged row: to pass over it might leave out a row that should be there.
   */
  @Test
  void refusesAPageThatComesByWhatIsNoRow() {
    ViewGeneration together = People.view("together", 1, People.BY_ORG);
    ViewGeneration spread = People.view("spread", 1, BY_ORG_AND_DATE);
    ViewGeneration listed = People.view("listed", 1, "key: [org]\ntarget: kv\nlayout: list\n");
    for (ViewGeneration generation : List.of(together, spread, listed)) {
      stored.serve(generation);
      KvKey foreign =
          new KvKey(List.of("IDX", generation.view(), "Support"), List.of("2017-08-20", "x"));
      stored.store().put(foreign, "{}".getBytes(StandardCharsets.UTF_8));
      ViewQuery query = ViewQuery.of(generation.view()).where("org", "Support");

      for (ReadOptions options :
          List.of(
              ReadOptions.DEFAULT,
              ReadOptions.DEFAULT.withNotReady(new ReadOptions.NotReady.AllowStale()))) {
        assertThatExceptionOfType(ViewNotReadyException.class)
            .as(generation.view())
            .isThrownBy(() -> reader.read(query, options))
            .withMessageContaining("DEGRADED")
            .withMessageContaining(foreign.toString())
            .withMessageContaining("verify the view");
      }
    }
  }

  @Test
  void sortsOnlySoManyRowsFromManyPlaces() {
    ViewGeneration spread = People.view("spread", 1, BY_ORG_AND_DATE);
    ViewGeneration together = People.view("together", 1, People.BY_ORG);
    for (ViewGeneration generation : List.of(spread, together)) {
      stored.serve(generation);
      fill(generation);
    }
    IndexViewReader small = stored.reader(CONFIG.withSortLimit(1));

    assertThatExceptionOfType(TooManyRowsException.class)
        .isThrownBy(() -> small.read(ViewQuery.of("spread").where("org", "Support")))
        .withMessageContaining("shardKey (org, date)")
        .withMessageContaining("sort.limit");
    assertThat(keys(small.read(ViewQuery.of("spread").where("org", "Sales"))))
        .containsExactly("/p/-/3");
    assertThat(keys(small.read(ViewQuery.of("together").where("org", "Support"))))
        .containsExactly("/p/-/2", "/p/-/1");
    assertThat(
            keys(
                small.read(
                    ViewQuery.of("together").where("org", "Support").inDescendingOrder(),
                    ReadOptions.DEFAULT.with(ReadOptions.Consistency.EVENTUAL))))
        .containsExactly("/p/-/1", "/p/-/2");
  }

  @Test
  void sortsRowsHoweverManyTombstonesLieBetweenThem() {
    ViewGeneration spread = People.view("spread", 1, BY_ORG_AND_DATE);
    stored.serve(spread);
    for (int i = 0; i < 20; i++) {
      stored.mark(spread, People.row("Sales", "2017-08-20", "/gone/-/" + i), 1);
    }
    fill(spread);

    IndexViewReader small = stored.reader(CONFIG.withSortLimit(1));

    assertThat(keys(small.read(ViewQuery.of("spread").where("org", "Sales"))))
        .containsExactly("/p/-/3");
  }

  @Test
  void passesOverTombstonesInFewRequestsHoweverSmallThePage() {
    ViewGeneration generation = People.view("v", 1, People.BY_ORG);
    stored.serve(generation);
    for (int i = 0; i < 300; i++) {
      stored.mark(generation, People.row("Support", "1950-01-01", "/gone/-/" + i), 1);
    }
    fill(generation);
    List<Integer> batches = new ArrayList<>();
    IndexViewReader counted = counted(batches);

    RowPage page = counted.read(ViewQuery.of("v").where("org", "Support").withLimit(1));

    assertThat(keys(page)).containsExactly("/p/-/2");
    assertThat(batches).hasSizeBetween(2, 5).startsWith(FIRST_BATCH);
    assertThat(batches.subList(1, batches.size())).allMatch(batch -> batch >= 100);

    batches.clear();
    assertThat(
            counted
                .read(
                    ViewQuery.of("v")
                        .where("org", "Support")
                        .where("date", "2017-08-21")
                        .withLimit(1))
                .rows())
        .hasSize(1);
    assertThat(batches).containsExactly(FIRST_BATCH);
  }

  /**
   * @param batches gets how many records each request asks for
   */
  private IndexViewReader counted(List<Integer> batches) {
    return IndexViewReaders.of(
        (KvStore)
            Proxy.newProxyInstance(
                KvStore.class.getClassLoader(),
                new Class<?>[] {KvStore.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("iterator")) {
                    batches.add((Integer) arguments[3]);
                  }
                  return method.invoke(stored.store(), arguments);
                }),
        CONFIG);
  }

  @Test
  void asksForAsManyRecordsAsThereWereTombstonesLately() {
    ViewGeneration generation = People.view("v", 1, People.BY_ORG);
    stored.serve(generation);
    fill(generation);
    List<Integer> batches = new ArrayList<>();
    IndexViewReader counted = counted(batches);
    ViewQuery query = ViewQuery.of("v").where("org", "Support").withLimit(1);

    for (int i = 0; i < 200; i++) {
      counted.read(query);
    }
    assertThat(batches).hasSize(200).startsWith(FIRST_BATCH).endsWith(2);

    for (int i = 0; i < 3; i++) {
      stored.mark(generation, People.row("Support", "1950-01-01", "/gone/-/" + i), 1);
    }
    batches.clear();
    assertThat(keys(counted.read(query))).containsExactly("/p/-/2");
    assertThat(batches).hasSizeGreaterThan(1);

    batches.clear();
    assertThat(keys(counted.read(query))).containsExactly("/p/-/2");
    assertThat(batches)
        .singleElement()
        .asInstanceOf(InstanceOfAssertFactories.INTEGER)
        .isBetween(5, FIRST_BATCH);
  }

  @Test
  void fetchesTheRecordsAndCountsTheRowsThatItLeavesOut() {
    ViewGeneration generation = People.view("v", 1, People.BY_ORG);
    stored.serve(generation);
    for (int i = 1; i <= 5; i++) {
      stored.put(generation, People.row("Support", "2017-08-20", "/p/-/" + i), i);
    }
    write("/p/-/1", person("Support", "2017-08-20"));
    write("/p/-/2", person("Sales", "2017-08-20"));
    write("/p/-/3", person("Support", "2017-08-21"));
    stored.store().put(KvKey.fromString("/p/-/4"), new byte[] {1, 2, 3});
    IndexViewReader fetching =
        stored.reader(CONFIG.fetchingFrom(IndexViewReaders.avroRecordsIn(stored.store())));

    RowPage page = fetching.read(ViewQuery.of("v"), ReadOptions.DEFAULT.fetching());

    assertThat(keys(page)).containsExactly("/p/-/1");
    assertThat(page.rows().get(0).record().orElseThrow().get("cost")).isEqualTo(7L);
    assertThat(page.leftOut()).isEqualTo(new RowPage.LeftOut(1, 2, 1));
    assertThat(fetching.read(ViewQuery.of("v")).rows()).hasSize(5);

    stored.put(generation, People.row("Support", "2017-08-20", "bucket/file"), 9);
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> fetching.read(ViewQuery.of("v"), ReadOptions.DEFAULT.fetching()))
        .withMessageContaining("cannot be fetched");
  }

  @Test
  void fetchesRecordsInTheFormatAndWithTheSchemaThatTheyAreWrittenWithNow() {
    Schema newer =
        new Schema.Parser()
            .parse(
                People.SCHEMA
                    .toString()
                    .replace(
                        "\"fields\":[",
                        "\"fields\":[{\"name\":\"nick\",\"type\":\"string\",\"default\":\"\"},"));
    ViewGeneration generation = People.view("v", 1, People.BY_ORG);
    stored.serve(generation);
    stored.put(generation, People.row("Support", "2017-08-20", "/p/-/1"), 1);
    for (ValueFormat format : List.of(ValueFormat.AVRO, ValueFormat.JSON)) {
      ValueConfig values = ValueConfig.of(format, newer);
      GenericRecordBuilder record = new GenericRecordBuilder(newer);
      GenericRecord person = person("Support", "2017-08-20");
      People.SCHEMA.getFields().forEach(f -> record.set(f.name(), person.get(f.pos())));
      stored
          .store()
          .put(KvKey.fromString("/p/-/1"), ValueEncoder.of(values, null).encode(record.build()));
      IndexViewReader fetching =
          stored.reader(
              CONFIG.fetchingFrom(new PrimaryRecords(stored.store(), set -> values, null)));

      RowPage page = fetching.read(ViewQuery.of("v"), ReadOptions.DEFAULT.fetching());

      assertThat(page.leftOut()).as(format.toString()).isEqualTo(RowPage.LeftOut.NONE);
      assertThat(page.rows().get(0).record()).hasValue(person);
    }
  }

  private static GenericRecord person(String org, String date) {
    GenericRecord person = new GenericData.Record(People.SCHEMA);
    person.put("name", "Ann");
    person.put("org", org);
    person.put("date", (int) LocalDate.parse(date).toEpochDay());
    person.put("cost", 7L);
    return person;
  }

  private void write(String key, GenericRecord record) {
    stored.store().put(KvKey.fromString(key), ValueEncoder.avro(People.SCHEMA).encode(record));
  }

  @Test
  void skipsDeletionTombstonesWithoutMissingRowsBehindThem() {
    ViewGeneration generation = People.view("v", 1, People.BY_ORG);
    stored.serve(generation);
    for (int i = 0; i < 9; i++) {
      TestRow row = People.row("Support", "2017-08-1" + i, "/p/-/" + i);
      if (i % 3 == 0) {
        stored.put(generation, row, i);
      } else {
        stored.mark(generation, row, i);
      }
    }
    ViewQuery query = ViewQuery.of("v").where("org", "Support").withLimit(2);

    RowPage first = reader.read(query);

    assertThat(keys(first)).containsExactly("/p/-/0", "/p/-/3");
    assertThat(keys(reader.read(query.from(first.next())))).containsExactly("/p/-/6");
  }

  @Test
  void refusesAnIndex() {
    stored.serve(People.view("v", 1, People.BY_ORG));

    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> reader.read(ViewQuery.of("v").by("some-index")))
        .withMessageContaining("no indexes");
  }
}
