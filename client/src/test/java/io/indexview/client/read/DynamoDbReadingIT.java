package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.client.read.IndexViewReader.GenerationGoneException;
import io.indexview.client.read.IndexViewReader.ViewNotReadyException;
import io.indexview.client.read.PageTokens.InvalidPageTokenException;
import io.indexview.client.read.ReadOptions.Consistency;
import io.indexview.client.read.StoredView.TestRow;
import io.indexview.client.read.dynamodb.DynamoDbTarget;
import io.indexview.client.read.target.ViewRows;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.client.read.target.ViewRows.TooManyRowsException;
import io.indexview.client.read.target.ViewTarget;
import io.indexview.client.token.FreshnessToken;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.ViewState.State;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.apache.avro.Schema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DynamoDbReadingIT {
  private static final Schema FILE =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "File", "namespace": "test", "fields": [
                {"name": "objectKey", "type": "string"},
                {"name": "bucketName", "type": "string"},
                {"name": "size", "type": ["null", "long"], "default": null},
                {"name": "user", "type": ["null", "string"], "default": null},
                {"name": "day", "type":
                  ["null", {"type": "int", "logicalType": "date"}], "default": null}]}
              """);
  private static final String FILES =
      """
      kind: document
      key: [objectKey]
      target: dynamodb
      table: Files
      indexes:
        - {name: user-day, partitionKey: user, sortKey: day}
        - {name: bucket-size, partitionKey: bucketName, sortKey: size}
      """;
  private static final Topics TOPICS = new Topics("indexview");
  private static final ReaderConfig CONFIG = StoredView.LOOKING;
  private static final ViewQuery ALL = ViewQuery.of("files");

  private static StoredDynamoDbView stored;
  private static ViewGeneration files;
  private static IndexViewReader reader;

  private static ViewGeneration view(String name, int number, String yaml) {
    RecordSet set =
        new RecordSet("files", "changes.files", RecordFormat.ENVELOPE, List.of("objectKey"), FILE);
    return ViewGeneration.freeze(
        new ViewDefinitionParser().parse("f.yaml", "name: " + name + "\nsource: files\n" + yaml),
        number,
        set,
        TOPICS);
  }

  @BeforeAll
  static void fill() {
    stored = new StoredDynamoDbView();
    reader = stored.reader(CONFIG);
    assertThatExceptionOfType(ViewNotFoundException.class).isThrownBy(() -> reader.read(ALL));
    stored.withMetadata();
    files = view("files", 1, FILES);
    stored.prepare(files);
    stored.serve(files);
    put("a", "docs", -5L, "U1", -1);
    put("b", "docs", 100L, "U1", 17_000);
    put("c", "docs", 30L, "U1", 17_000);
    put("d", "docs", 2_000L, "U1", 17_001);
    put("e", "docs", null, "U2", 17_000);
    put("f", "pics", 1L, null, null);
    stored.mark(files, row("gone", "docs", 7L, "U1", 17_000), 9);
  }

  private static TestRow row(String key, String bucket, Long size, String user, Integer day) {
    Map<String, Object> values = new HashMap<>();
    values.put("bucketName", bucket);
    values.put("size", size);
    values.put("user", user);
    values.put("day", day);
    return new TestRow(Map.of("objectKey", key), bucket + "/" + key, values);
  }

  private static void put(String key, String bucket, Long size, String user, Integer day) {
    stored.put(files, row(key, bucket, size, user, day), 5);
  }

  @AfterAll
  static void stop() {
    stored.close();
  }

  private static List<Object> found(ViewQuery query) {
    return pages(query.withLimit(2)).stream().flatMap(List::stream).toList();
  }

  private static List<List<Object>> pages(ViewQuery query) {
    List<List<Object>> pages = new ArrayList<>();
    String token = null;
    do {
      RowPage page = reader.read(query.from(token));
      pages.add(page.rows().stream().map(row -> row.key().get("objectKey")).toList());
      token = page.next();
    } while (token != null);
    return pages;
  }

  @Test
  void findsDocumentsByTheirKey() {
    assertThat(found(ALL.where("objectKey", "c"))).containsExactly("c");
    assertThat(found(ALL.where("objectKey", "gone"))).isEmpty();
    assertThat(found(ALL.where("objectKey", ""))).isEmpty();
    RowPage.Row row = reader.read(ALL.where("objectKey", "f")).rows().get(0);
    assertThat(row.primaryKey()).isEqualTo("pics/f");
    assertThat(row.values()).containsEntry("size", 1L).containsEntry("user", null);
    assertThat(row.revision()).hasValue(5);
  }

  @Test
  void endsAPageAtTheRowThatFillsIt() {
    ViewGeneration large =
        view(
            "large",
            1,
            """
            key: [bucketName, objectKey]
            shardKey: 1
            include: [user]
            target: dynamodb
            table: Large
            """);
    stored.prepare(large);
    stored.serve(large);
    List<Object> keys = new ArrayList<>();
    for (int i = 10; i < 35; i++) {
      keys.add("f" + i);
      stored.put(
          large,
          new TestRow(
              Map.of("bucketName", "docs", "objectKey", "f" + i),
              "docs/f" + i,
              Map.of("user", "x".repeat(390 << 10))),
          5);
    }
    ViewQuery inManyPlaces = ViewQuery.of("large").withLimit(25);

    for (ViewQuery query : List.of(inManyPlaces, inManyPlaces.where("bucketName", "docs"))) {
      List<List<Object>> pages = pages(query);

      assertThat(pages.get(0)).hasSizeBetween(1, 24);
      assertThat(pages).allMatch(page -> !page.isEmpty());
      assertThat(pages.stream().flatMap(List::stream)).containsExactlyElementsOf(keys);
    }
  }

  /** Another program may share the table. */
  @Test
  void refusesAPageThatComesByWhatIsNoRow() {
    ViewGeneration shared = view("shared", 1, FILES.replace("Files", "Shared"));
    stored.prepare(shared);
    stored.serve(shared);
    stored.put(shared, row("a", "docs", 1L, "U1", 17_000), 5);
    ItemStore.await(
        stored.store().put("Shared", Map.of("objectKey", "theirs", "bucketName", "docs")));
    Map<String, Object> changed = new HashMap<>();
    changed.putAll(stored.store().get("Shared", Map.of("objectKey", "a")).orElseThrow());
    changed.putAll(Map.of("objectKey", "b", "size", 242.7));
    ItemStore.await(stored.store().put("Shared", changed));

    assertThat(reader.read(ViewQuery.of("shared").where("objectKey", "a")).rows()).hasSize(1);
    for (String key : List.of("theirs", "b")) {
      assertThatExceptionOfType(ViewNotReadyException.class)
          .isThrownBy(() -> reader.read(ViewQuery.of("shared").where("objectKey", key)))
          .withMessageContaining("DEGRADED")
          .withMessageContaining("[\"" + key + "\"]");
    }
    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(ViewQuery.of("shared")))
        .withMessageContaining("is none");
  }

  @Test
  void refusesAViewWhoseMetadataCannotBeRead() {
    ViewGeneration unreadable = view("unreadable", 1, FILES.replace("Files", "Unreadable"));
    stored.prepare(unreadable);
    ViewMetadata metadata = StoredView.metadata(unreadable, 1, State.READY);
    Map<String, Object> item = new HashMap<>(metadata.toItem());
    item.put(
        ViewMetadata.DYNAMODB_DOCUMENT, metadata.toJson().replace("\"READY\"", "\"SLEEPING\""));
    ItemStore.await(stored.store().put(TOPICS.prefix() + ViewMetadata.DYNAMODB_TABLE_SUFFIX, item));

    assertThatExceptionOfType(ViewNotReadyException.class)
        .isThrownBy(() -> reader.read(ViewQuery.of("unreadable")))
        .satisfies(refused -> assertThat(refused.state()).isEqualTo(State.UNKNOWN))
        .withMessageContainingAll("view#unreadable", "SLEEPING", "upgrade the reader");
  }

  @Test
  void findsDocumentsByIndexes() {
    ViewQuery byUser = ALL.by("user-day").where("user", "U1");
    ViewQuery bySize = ALL.by("bucket-size").where("bucketName", "docs");

    assertThat(found(byUser)).hasSize(4).startsWith("a").endsWith("d");
    assertThat(found(byUser.where("day", "2016-07-18"))).containsExactlyInAnyOrder("b", "c");
    assertThat(found(bySize.inDescendingOrder())).containsExactly("d", "b", "c", "a");
    assertThat(found(bySize.where(new ViewQuery.Range("size", -5, false, 100, false))))
        .containsExactly("c");
    assertThat(found(bySize.where(new ViewQuery.Range("size", 30, true, null, true))))
        .containsExactly("c", "b", "d");
    assertThat(found(bySize.where(new ViewQuery.Range("size", 5, true, 4, true)))).isEmpty();
    assertThat(found(byUser.where(new ViewQuery.Range(null, null, true, "2016-07-18", false))))
        .containsExactly("a");
  }

  @Test
  void sortsAllDocumentsWithinTheLimit() {
    assertThat(found(ALL)).containsExactly("a", "b", "c", "d", "e", "f");
    assertThat(found(ALL.where(new ViewQuery.Prefix("objectKey", "b")).inDescendingOrder()))
        .containsExactly("b");
    assertThatExceptionOfType(TooManyRowsException.class)
        .isThrownBy(() -> stored.reader(CONFIG.withSortLimit(5)).read(ALL))
        .withMessageContaining("shardKey (objectKey)");
  }

  @Test
  void refusesWhatIndexesCannotPromise() {
    ViewQuery byUser = ALL.by("user-day").where("user", "U1");

    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> reader.read(byUser, ReadOptions.DEFAULT.with(Consistency.ABSOLUTE)))
        .withMessageContaining("follows its table");
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(
            () ->
                reader.read(
                    byUser,
                    ReadOptions.DEFAULT.atLeast(
                        new FreshnessToken("changes.files", 0, 0), Duration.ZERO)))
        .withMessageContaining("may lack the write");
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> reader.read(ALL.by("user-day")))
        .withMessageContaining("give a value of \"user\"");
    assertThatExceptionOfType(InvalidQueryException.class)
        .isThrownBy(() -> reader.read(ALL.by("other").where("user", "U1")))
        .withMessageContaining("user-day, bucket-size");
  }

  @Test
  void leavesOutRowsOfOtherGenerationsInTheSameTable() {
    String inPlace =
        "kind: document\nkey: [objectKey]\ntarget: dynamodb\ntable: Shared\nswap: in-place\n";
    ViewGeneration first = view("shared", 1, inPlace);
    ViewGeneration second = view("shared", 2, inPlace);
    stored.prepare(first);
    stored.put(first, row("old", "docs", 1L, null, null), 1);
    stored.put(second, row("new", "docs", 1L, null, null), 1);
    stored.serve(second);

    RowPage page = reader.read(ViewQuery.of("shared"));

    assertThat(page.rows()).extracting(RowPage.Row::primaryKey).containsExactly("docs/new");
  }

  @Test
  void saysThatTheTableOfAServingGenerationIsNotThere() {
    ViewGeneration dropped = view("dropped", 1, FILES.replace("Files", "Dropped"));
    stored.prepare(dropped);
    stored.serve(dropped);
    ViewQuery all = ViewQuery.of("dropped");
    assertThat(reader.read(all).rows()).isEmpty();
    stored.drop(dropped);

    for (ViewQuery query :
        List.of(
            all, all.where("objectKey", "a"), all.by("bucket-size").where("bucketName", "docs"))) {
      assertThatExceptionOfType(ViewNotReadyException.class)
          .isThrownBy(() -> reader.read(query))
          .satisfies(e -> assertThat(e.state()).isEqualTo(State.DEGRADED))
          .withMessageContaining("table Dropped of generation 1 is not there")
          .withMessageContaining("rebuild the view");
    }
    stored.serve(view("dropped", 2, FILES));
  }

  /** The table may go between the read of the state and the page. */
  @Test
  void goesOnWithTheGenerationThatTookOverWhenATableGoes() {
    ViewGeneration first = view("moving", 1, FILES.replace("Files", "Moving"));
    ViewGeneration second = view("moving", 2, FILES.replace("Files", "Moving"));
    stored.prepare(first);
    stored.prepare(second);
    stored.put(first, row("1", "docs", 1L, null, null), 1);
    stored.put(first, row("2", "docs", 1L, null, null), 1);
    stored.put(second, row("3", "docs", 1L, null, null), 1);
    stored.serve(first);
    ViewQuery query = ViewQuery.of("moving").withLimit(1);
    String token = reader.read(query).next();
    Runnable switchAndRemove =
        () -> {
          stored.tell(StoredView.metadata(second, 2, State.READY));
          stored.drop(first);
        };
    Interrupted target =
        new Interrupted(
            new DynamoDbTarget(stored.store(), TOPICS, 100),
            new ArrayDeque<>(List.of(switchAndRemove)));
    IndexViewReader interrupted =
        new CheckedReader(target, new MetadataReads(target, CONFIG), CONFIG);

    assertThat(interrupted.read(query).rows())
        .extracting(RowPage.Row::primaryKey)
        .containsExactly("docs/3");
    assertThatExceptionOfType(GenerationGoneException.class)
        .isThrownBy(() -> reader.read(query.from(token)));
  }

  /** Something happens after each of the next scans at the metadata. */
  private record Interrupted(ViewTarget target, Queue<Runnable> events) implements ViewTarget {
    @Override
    public Optional<ViewMetadata> metadata(String view) {
      Optional<ViewMetadata> metadata = target.metadata(view);
      Optional.ofNullable(events.poll()).ifPresent(Runnable::run);
      return metadata;
    }

    @Override
    public Collection<String> views() {
      return target.views();
    }

    @Override
    public ViewRows rows(ViewGeneration generation) {
      return target.rows(generation);
    }
  }

  /** Neither an outage nor a lack of permission is a view that is not there. */
  @Test
  void passesOnWhyTheStoreDoesNotAnswer() {
    for (ItemStoreException failure :
        List.of(
            new ItemStoreException.Unavailable("table indexview-views: throttled", null),
            new ItemStoreException.Permanent("table indexview-views: not authorized", null))) {
      ItemStore failing =
          (ItemStore)
              Proxy.newProxyInstance(
                  ItemStore.class.getClassLoader(),
                  new Class<?>[] {ItemStore.class},
                  (proxy, method, arguments) -> {
                    throw failure;
                  });

      assertThatThrownBy(() -> IndexViewReaders.of(failing, TOPICS, CONFIG).read(ALL))
          .isSameAs(failure);
    }
  }

  /** An installation before this may have had the view elsewhere, and the key of the tokens. */
  @Test
  void takesNoPageTokenOfAViewInAnotherTarget() {
    ViewGeneration inDynamoDb =
        People.view("moved", 1, "key: [org, date]\nshardKey: 1\ntarget: dynamodb\n");
    ViewGeneration inKv = People.view("moved", 1, People.BY_ORG);
    stored.prepare(inDynamoDb);
    try (StoredKvView kv = new StoredKvView()) {
      for (int i = 0; i < 2; i++) {
        TestRow row = People.row("Support", "2017-08-2" + i, "/p/-/" + i);
        stored.put(inDynamoDb, row, 1);
        kv.put(inKv, row, 1);
      }
      stored.serve(inDynamoDb);
      kv.serve(inKv);
      IndexViewReader ofKv = kv.reader(CONFIG);
      for (ViewQuery all :
          List.of(ViewQuery.of("moved"), ViewQuery.of("moved").where("org", "Support"))) {
        ViewQuery query = all.withLimit(1);
        String fromKv = ofKv.read(query).next();
        String fromDynamoDb = reader.read(query).next();

        assertThatExceptionOfType(InvalidPageTokenException.class)
            .isThrownBy(() -> reader.read(query.from(fromKv)))
            .withMessageContaining("defined otherwise");
        assertThatExceptionOfType(InvalidPageTokenException.class)
            .isThrownBy(() -> ofKv.read(query.from(fromDynamoDb)))
            .withMessageContaining("defined otherwise");
      }
    }
  }

  @Test
  void readerOfTwoTargetsFindsViewsInEither() {
    try (StoredKvView kv = new StoredKvView()) {
      kv.serve(People.view("people", 1, People.BY_ORG));
      IndexViewReader both = IndexViewReaders.of(kv.store(), stored.store(), TOPICS, CONFIG);

      assertThat(both.read(ViewQuery.of("people")).rows()).isEmpty();
      assertThat(both.read(ALL).rows()).hasSize(6);
      assertThatExceptionOfType(ViewNotFoundException.class)
          .isThrownBy(() -> both.read(ViewQuery.of("none")))
          .withMessageContainingAll("files", "people");
    }
  }
}
