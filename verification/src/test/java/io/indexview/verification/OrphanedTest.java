package io.indexview.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.client.admin.KnownViews;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.verification.TargetReader.Orphaned;
import io.indexview.verification.jdbc.JdbcRows;
import io.indexview.verification.jdbc.JdbcTarget;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What belongs to no view, in the places of all views. */
class OrphanedTest {
  private static final RecordSet PEOPLE =
      new RecordSet(
          "people",
          "people",
          RecordFormat.ENVELOPE,
          List.of(),
          SchemaBuilder.record("Person").fields().requiredString("org").endRecord());
  private static final int MAX_FOUND = 100;

  private static ViewGeneration generation(String name, int number, String target) {
    return ViewGeneration.freeze(
        new ViewDefinitionParser()
            .parse(
                "the-test.yaml",
                "{name: %s, source: people, key: [org], target: %s}".formatted(name, target)),
        number,
        PEOPLE,
        new Topics("test"));
  }

  private static KnownViews known(Set<String> names, ViewGeneration... generations) {
    return new KnownViews("test", names, Map.of("by-org", "uid-1"), List.of(generations));
  }

  private static List<Orphaned> find(
      TargetReader target, KnownViews known, int most, TargetReader.Meter meter) {
    List<Orphaned> found = new ArrayList<>();
    target.orphaned(
        known,
        one -> {
          found.add(one);
          return found.size() < most;
        },
        meter);
    return found;
  }

  @Test
  void findsOneOfEachIndexNameThatNoGenerationHas(@TempDir Path directory) {
    ViewGeneration first = generation("by-org", 1, "kv");
    ViewGeneration second = generation("by-org", 2, "kv");
    ViewGeneration elsewhere = generation("by-table", 1, "dynamodb");
    try (KvStore store = open(directory)) {
      for (String name :
          List.of(
              "a", "by-org", "by-org-old", "by-table", second.storeName(), "", "z", "\u00e9/x")) {
        for (int i = 0; i < 30; i++) {
          store.put(KvKey.ofMajor("IDX", name, "org " + i).child("x"), new byte[0]);
        }
      }
      store.put(KvKey.ofMajor("IDX").child("scribble"), new byte[0]);
      store.put(KvKey.ofMajor("IDX").child("by-org"), new byte[0]);
      store.put(KvKey.ofMajor("IDX2", "a"), new byte[0]);
      long[] bytes = {0};
      long[] calls = {0};

      List<Orphaned> found =
          find(
              new KvRows(store, first),
              known(Set.of("by-org", "by-table"), first, second, elsewhere),
              MAX_FOUND,
              (more, readUnits) -> {
                bytes[0] += more;
                calls[0]++;
              });

      assertThat(found).allMatch(one -> one.kind() == Kind.ORPHANED_ROWS);
      assertThat(found)
          .extracting(Orphaned::id)
          .containsExactlyInAnyOrder(
              "/IDX/-/scribble",
              "/IDX/-/by-org",
              KvKey.ofMajor("IDX", "").toString(),
              "/IDX/a",
              "/IDX/by-org-old",
              "/IDX/by-table",
              "/IDX/z",
              KvKey.ofMajor("IDX", "\u00e9/x").toString());
      assertThat(bytes[0]).as("one record of each").isBetween(50L, 500L);
      assertThat(calls[0]).as("also where nothing is found").isGreaterThan(found.size());
      assertThat(
              find(
                  new KvRows(store, first),
                  known(Set.of("by-org"), first),
                  3,
                  (more, readUnits) -> {}))
          .hasSize(3);
    }
  }

  @Test
  void findsMetadataOfViewsThatThereAreNot(@TempDir Path directory) {
    ViewGeneration first = generation("by-org", 1, "kv");
    try (KvStore store = open(directory)) {
      putMetadata(store, "by-org", metadata("uid-1"));
      putMetadata(store, "of-another", metadata("uid-2"));
      putMetadata(store, "dropped", "{\"view\":\"dropped\"}");
      putMetadata(store, "scribble", "x");
      store.put(KvKey.ofMajor("META", "by-org"), new byte[0]);
      store.put(KvKey.ofMajor("META", "by-org", "below"), new byte[0]);
      store.put(KvKey.ofMajor("META", "text"), new byte[] {'x'});
      store.put(KvKey.ofMajor("META-history", "dropped"), new byte[] {'7'});

      List<Orphaned> found =
          find(
              new KvRows(store, first),
              known(Set.of("by-org"), first),
              MAX_FOUND,
              (bytes, readUnits) -> {});

      assertThat(found)
          .containsExactlyInAnyOrder(
              new Orphaned(
                  Kind.ORPHANED_METADATA,
                  "/META/dropped/-/Person/org/READY",
                  "there is no view \"dropped\""),
              new Orphaned(
                  Kind.ORPHANED_METADATA,
                  "/META/of-another/-/Person/org/READY",
                  "it is of a view \"by-org\" of another installation: its uid is \"uid-2\", that of the view here \"uid-1\""),
              new Orphaned(
                  Kind.ORPHANED_METADATA,
                  "/META/scribble/-/Person/org/READY",
                  "it is no metadata of a view"),
              new Orphaned(
                  Kind.ORPHANED_METADATA, "/META/by-org/below", "it is no metadata of a view"),
              new Orphaned(Kind.ORPHANED_METADATA, "/META/text", "it is no metadata of a view"));
    }
  }

  private static String metadata(String uid) {
    return "{\"view\":\"by-org\",\"uid\":\"%s\"}".formatted(uid);
  }

  private static void putMetadata(KvStore store, String name, String json) {
    store.put(
        new KvKey(List.of("META", name), List.of("Person", "org", "READY")),
        json.getBytes(StandardCharsets.UTF_8));
  }

  private static KvStore open(Path directory) {
    return KvStores.open(
        KvStoreConfig.of("embedded:" + directory).withDurability(KvDurability.WRITE_NO_SYNC));
  }

  @Test
  void findsItemsOfViewsThatThereAreNot() {
    Map<String, List<String>> pages = new HashMap<>();
    pages.put("first", List.of("view#by-org", "view#dropped", "history#dropped", "table#x"));
    pages.put("second", List.of("view#gone", "rows#test.view"));
    ItemStore store =
        (ItemStore)
            Proxy.newProxyInstance(
                ItemStore.class.getClassLoader(),
                new Class<?>[] {ItemStore.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("scan");
                  assertThat(arguments[0]).isEqualTo("test-views");
                  String page = arguments[1] == null ? "first" : "second";
                  Map<String, Object> next = arguments[1] == null ? Map.of("id", "table#x") : null;
                  return new ItemPage(
                      pages.get(page).stream()
                          .map(
                              id -> Map.<String, Object>of("id", id, "document", metadata("uid-1")))
                          .toList(),
                      next,
                      1);
                });
    ViewGeneration generation = generation("by-org", 1, "dynamodb");
    DynamoDbRows rows = new DynamoDbRows(store, generation);

    assertThat(find(rows, known(Set.of("by-org"), generation), MAX_FOUND, (bytes, readUnits) -> {}))
        .extracting(Orphaned::kind, Orphaned::id)
        .containsExactly(
            tuple(Kind.ORPHANED_METADATA, "view#dropped"),
            tuple(Kind.ORPHANED_METADATA, "view#gone"));
    assertThat(find(rows, known(Set.of("by-org"), generation), 1, (bytes, readUnits) -> {}))
        .hasSize(1);
  }

  @Test
  void findsTheItemOfAnotherInstallation() {
    Map<String, Object> item = Map.of("id", "view#by-org", "document", metadata("uid-2"));
    ItemStore store =
        (ItemStore)
            Proxy.newProxyInstance(
                ItemStore.class.getClassLoader(),
                new Class<?>[] {ItemStore.class},
                (proxy, method, arguments) -> new ItemPage(List.of(item), null, 1));
    ViewGeneration generation = generation("by-org", 1, "dynamodb");

    assertThat(
            find(
                new DynamoDbRows(store, generation),
                known(Set.of("by-org"), generation),
                MAX_FOUND,
                (bytes, readUnits) -> {}))
        .singleElement()
        .satisfies(found -> assertThat(found.id()).isEqualTo("view#by-org"))
        .satisfies(found -> assertThat(found.reason()).contains("test-views", "uid-2", "uid-1"));
  }

  /** Nobody may take its absence for none. */
  @Test
  void saysWhatItDoesNotLookFor() {
    ViewGeneration items = generation("by-org", 1, "dynamodb");
    ViewGeneration records = generation("by-org", 1, "kv");

    assertThat(new KvRows(null, records).notLookedFor()).isEmpty();
    assertThat(new DynamoDbRows(null, items).notLookedFor())
        .extracting(NotLookedFor::kind)
        .containsExactly(Kind.ORPHANED_ROWS);
    JdbcTarget database =
        new JdbcTarget(
            "jdbc",
            "jdbc:postgresql://db/files",
            Optional.empty(),
            Optional.empty(),
            "${topic}",
            1);
    try (JdbcRows rows = new JdbcRows(database, generation("by-org", 1, "jdbc"))) {
      assertThat(rows.notLookedFor())
          .extracting(NotLookedFor::kind)
          .containsExactlyElementsOf(Kind.ORPHANED);
    }
  }

  /** Nobody may take that for none. */
  @Test
  void throwsWhereItMayNotLook() {
    ItemStore store =
        (ItemStore)
            Proxy.newProxyInstance(
                ItemStore.class.getClassLoader(),
                new Class<?>[] {ItemStore.class},
                (proxy, method, arguments) -> {
                  throw new ItemStoreException.Permanent("not authorized: dynamodb:Scan", null);
                });
    ViewGeneration generation = generation("by-org", 1, "dynamodb");

    assertThatThrownBy(
            () ->
                find(
                    new DynamoDbRows(store, generation),
                    known(Set.of("by-org"), generation),
                    MAX_FOUND,
                    (bytes, readUnits) -> {}))
        .hasMessageContaining("dynamodb:Scan");
  }
}
