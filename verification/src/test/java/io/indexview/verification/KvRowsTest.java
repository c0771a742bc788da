package io.indexview.verification;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.RowSchemas;
import io.indexview.views.derive.ViewRow;
import io.indexview.views.layout.KvContent;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KvRowsTest {
  private static final Schema PERSON =
      SchemaBuilder.record("Person")
          .fields()
          .requiredString("org")
          .requiredLong("cost")
          .name("seen")
          .type(LogicalTypes.timestampMillis().addToSchema(Schema.create(Schema.Type.LONG)))
          .noDefault()
          .name("notes")
          .type(Schema.createMap(Schema.create(Schema.Type.STRING)))
          .noDefault()
          .endRecord();
  private static final RecordSet PEOPLE =
      new RecordSet("people", "people", RecordFormat.ENVELOPE, List.of(), PERSON);
  private static final int ROWS = 20;
  private static final long REVISION = 7;

  @TempDir private Path directory;
  private KvStore store;

  @BeforeEach
  void open() {
    store =
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory).withDurability(KvDurability.WRITE_NO_SYNC));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static ViewGeneration generation(String layout) {
    return ViewGeneration.freeze(
        new ViewDefinitionParser()
            .parse(
                "by-org.yaml",
                "{name: by-org, source: people, key: [org], target: kv, " + layout + "}"),
        1,
        PEOPLE,
        new Topics("test"));
  }

  /** Puts rows into the store; returns them by their ids. */
  private Map<String, RowContent> fill(ViewGeneration generation) throws Exception {
    CompiledView view = CompiledView.compile(generation, PERSON);
    KvLayout layout = KvLayout.of(generation);
    Map<String, RowContent> derived = new TreeMap<>();
    for (int i = 0; i < ROWS; i++) {
      GenericRecord person =
          new GenericRecordBuilder(PERSON)
              .set("org", "org " + i % 3)
              .set("cost", 5L * i)
              .set("seen", 1_500_000_000_000L + i)
              .set("notes", Map.of("z", "last", "a", "é", "m", ""))
              .build();
      for (ViewRow row : view.rows(person, "/p/" + i)) {
        GenericRecord key = view.keyOf(row);
        GenericRecord value = view.valueOf(row, REVISION);
        RowContent content = new KvRows(store, generation).derived(key, value, REVISION);
        derived.put(content.id(), content);
        put(layout, layout.path(key::get), layout.value(key::get, value::get, REVISION));
      }
    }
    return derived;
  }

  private void put(KvLayout layout, KvPath path, byte[] row) {
    KvKey key = new KvKey(path.major(), path.minor());
    if (!layout.isList()) {
      store.put(key, row);
      return;
    }
    byte[] before = store.get(key).map(KvRecord::value).orElse(null);
    KvContent content = layout.content(before, 0, Integer.MAX_VALUE);
    content.merge(row, REVISION, false);
    store.put(key, content.value().orElseThrow());
  }

  /** What a scan came by, decoded where that is left to it. */
  private static final class Came implements TargetReader.ContentVisitor {
    private final Map<String, byte[]> contents = new TreeMap<>();
    private final List<String> unexpected = new ArrayList<>();
    private final List<String> tombstones = new ArrayList<>();
    private final Map<String, String> expired = new TreeMap<>();
    private final List<String> positions = new ArrayList<>();
    private final KvRows target;

    Came(KvRows target) {
      this(target, Optional.empty(), List.of());
    }

    Came(KvRows target, Optional<String> from, List<String> sample) {
      this.target = target;
      target.scanContents(this, from, sample);
    }

    @Override
    public void reached(String position) {
      positions.add(position);
    }

    @Override
    public void content(String id, byte[] content) {
      assertThat(contents.put(id, content)).isNull();
    }

    @Override
    public void row(Row row) {
      content(row.id(), target.content(row).content());
    }

    @Override
    public void tombstone(String id) {
      tombstones.add(id);
    }

    @Override
    public void expiredTombstone(String id, String reason) {
      expired.put(id, reason);
    }

    @Override
    public void consumed(long bytes, double readUnits) {
      assertThat(bytes).isPositive();
      assertThat(readUnits).isZero();
    }

    @Override
    public void unexpected(String id, Kind kind, String reason, byte[] content) {
      assertThat(kind).isEqualTo(Kind.UNDECODABLE);
      unexpected.add(id);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "layout: key-only",
        "layout: key-value",
        "layout: key-value, include: [cost, seen]",
        "layout: key-value, include: [cost, seen], primaryKeyForm: components",
        "layout: key-value, include: [cost, notes]",
        "layout: list, include: [cost, seen, notes]"
      })
  void scansAndReadsWhatWasDerived(String form) throws Exception {
    ViewGeneration generation = generation(form);
    Map<String, RowContent> derived = fill(generation);
    KvRows target = new KvRows(store, generation);

    assertThat(derived).hasSize(ROWS);
    Came came = new Came(target);
    assertThat(came.contents.keySet()).isEqualTo(derived.keySet());
    came.contents.forEach((id, content) -> assertSame(content, derived.get(id)));
    assertThat(came.unexpected).isEmpty();
    derived.forEach(
        (id, row) ->
            assertThat(target.content(target.read(id, (bytes, readUnits) -> {}).orElseThrow()))
                .isEqualTo(row));
  }

  @ParameterizedTest
  @ValueSource(strings = {"layout: key-only", "layout: key-value", "layout: list"})
  void goesOnFromEachPosition(String form) throws Exception {
    ViewGeneration generation = generation(form);
    Map<String, RowContent> derived = fill(generation);
    store.put(new KvKey(KvLayout.of(generation).parent(), List.of("scribble")), new byte[] {'x'});
    KvRows target = new KvRows(store, generation);
    List<String> sample = List.copyOf(derived.keySet());

    Came whole = new Came(target, Optional.empty(), sample);

    assertThat(whole.contents.keySet()).isEqualTo(derived.keySet());
    assertThat(whole.unexpected).hasSize(1);
    assertThat(whole.positions).containsExactly("org 0", "org 1", "org 2");
    for (int done = 0; done < 3; done++) {
      Came rest = new Came(target, Optional.of(whole.positions.get(done)), sample);

      String before = whole.positions.get(done).replace(" ", "%20");
      assertThat(rest.contents.keySet())
          .isEqualTo(
              derived.keySet().stream()
                  .filter(id -> id.split("/")[3].compareTo(before) >= 0)
                  .collect(Collectors.toSet()));
      assertThat(rest.unexpected).isEmpty();
      assertThat(rest.positions)
          .isEqualTo(whole.positions.subList(done + 1, whole.positions.size()));
    }
  }

  private static void assertSame(byte[] content, RowContent derived) {
    assertThat(content).as(derived.id()).isEqualTo(derived.content());
  }

  @Test
  void knowsARowThatIsWrittenOtherwiseAgain() throws Exception {
    ViewGeneration generation = generation("layout: key-value, include: [cost, seen]");
    Map<String, RowContent> derived = fill(generation);
    KvRows target = new KvRows(store, generation);
    String id = derived.keySet().iterator().next();

    alter(id, "\"_revision\":7", "\"later\":[], \"_revision\": 7");

    assertThat(new Came(target).contents.get(id)).isNotEqualTo(derived.get(id).content());
    assertThat(target.content(target.read(id, (bytes, readUnits) -> {}).orElseThrow()))
        .isEqualTo(derived.get(id));
  }

  /** Where rows are written anew from what was read, a part of it would get lost. */
  @Test
  void tellsRowsApartThatTheSinkWouldWriteAlike() throws Exception {
    ViewGeneration generation = generation("layout: key-value, include: [cost, seen]");
    Map<String, RowContent> derived = fill(generation);
    KvRows target = new KvRows(store, generation);
    String id = derived.keySet().iterator().next();

    alter(id, "Z\"", "9Z\"");

    assertThat(target.content(target.read(id, (bytes, readUnits) -> {}).orElseThrow()))
        .returns(derived.get(id).revision(), RowContent::revision)
        .isNotEqualTo(derived.get(id));
  }

  @Test
  void tellsWhatIsNoRowAndWhatIsDeleted() throws Exception {
    ViewGeneration generation = generation("layout: key-value, include: [cost, seen]");
    Map<String, RowContent> derived = fill(generation);
    List<String> ids = List.copyOf(derived.keySet());
    alter(ids.get(0), "\"cost\"", "\"_deleted\":true,\"cost\"");
    alter(ids.get(1), "\"seen\":\"2", "\"seen\":\"x2");
    alter(ids.get(2), "\"_revision\"", "\"_rev\"");

    Came came = new Came(new KvRows(store, generation));

    assertThat(came.expired).containsOnlyKeys(ids.get(0));
    assertThat(came.tombstones).isEmpty();
    assertThat(came.unexpected).containsExactlyInAnyOrder(ids.get(1), ids.get(2));
    assertThat(came.contents).hasSize(ROWS - 3);
  }

  /** The sink's retention is over, and so is the time that it takes to remove what it kept. */
  @ParameterizedTest
  @ValueSource(strings = {"layout: key-value", "layout: list"})
  void tellsTombstonesThatShouldBeGone(String form) throws Exception {
    ViewGeneration generation = generation(form);
    List<String> ids = List.copyOf(fill(generation).keySet());
    ManualClock clock = new ManualClock();
    KvRows target =
        new KvRows(
            store,
            generation,
            new TombstoneRetention(Duration.ofDays(10), Duration.ofDays(2), clock));
    long kept = clock.millis();
    delete(ids.get(0), kept - 1);
    delete(ids.get(1), kept);
    clock.pass(Duration.ofDays(12));

    Came came = new Came(target);

    assertThat(came.expired).containsOnlyKeys(ids.get(0));
    assertThat(came.expired.get(ids.get(0)))
        .contains("deleted at 2017-08-20T11:59:59.999Z", "kept for 10 days");
    assertThat(came.tombstones).containsExactly(ids.get(1));
    assertThat(came.unexpected).isEmpty();
    assertThat(came.contents).hasSize(ROWS - 2);
    assertThat(target.unexpected(ids.get(0), (bytes, readUnits) -> {})).isPresent();
    for (String id : ids.subList(1, ids.size())) {
      assertThat(target.unexpected(id, (bytes, readUnits) -> {})).as(id).isEmpty();
    }
  }

  private void delete(String id, long revision) {
    String primaryKey = id.contains(" ") ? id.substring(id.indexOf(' ') + 1) : null;
    String before =
        primaryKey == null ? "\"_revision\":7" : "\"" + primaryKey + "\",\"_revision\":7";
    alter(id, before, before.substring(0, before.length() - 1) + revision + ",\"_deleted\":true");
  }

  @ParameterizedTest
  @ValueSource(strings = {"layout: key-value", "layout: list"})
  void tellsWhatHoldsAnOlderRowOff(String form) throws Exception {
    ViewGeneration generation = generation(form);
    List<String> ids = List.copyOf(fill(generation).keySet());
    KvRows target = new KvRows(store, generation);
    alter(ids.get(0), "\"_revision\":7", "\"_revision\":8,\"_deleted\":true");

    assertThat(target.read(ids.get(0), (bytes, readUnits) -> {})).isEmpty();
    assertThat(revision(target, ids.get(0))).hasValue(8);
    assertThat(revision(target, ids.get(1))).hasValue(7);
    store.delete(KvKey.fromString(ids.get(2).split(" ")[0]));
    assertThat(revision(target, ids.get(2))).isEmpty();
  }

  @Test
  void takesWhatIsInARowsPlaceForWhatHoldsItOff() throws Exception {
    ViewGeneration generation = generation("layout: key-value");
    List<String> ids = List.copyOf(fill(generation).keySet());
    KvRows target = new KvRows(store, generation);
    alter(ids.get(0), "\"/p/", "\"/q/");
    alter(ids.get(1), "\"_revision\"", "\"_rev\"");

    assertThat(new Came(target).unexpected).containsExactlyInAnyOrder(ids.get(0), ids.get(1));
    assertThat(revision(target, ids.get(0))).hasValue(7);
    assertThat(revision(target, ids.get(1))).isEmpty();
  }

  @Test
  void knowsThatNothingHoldsAKeyOnlyRowOff() throws Exception {
    ViewGeneration generation = generation("layout: key-only");
    String id = fill(generation).keySet().iterator().next();

    assertThat(revision(new KvRows(store, generation), id)).isEmpty();
  }

  /** The store takes no record of such a key; a view topic may hold the row. */
  @Test
  void knowsAKeyOnlyRowWhoseKeyIsOneOfLargeObjects() throws Exception {
    ViewGeneration generation = generation("layout: key-only");
    GenericRecord key = new GenericData.Record(RowSchemas.of(generation).key());
    key.put("org", "org 1");
    key.put("_primaryKey", "/p/model.lob");

    assertThat(new KvRows(store, generation).id(key)).endsWith("model.lob");
  }

  private static OptionalLong revision(KvRows target, String id) {
    return target.revision(id, (bytes, readUnits) -> assertThat(bytes).isPositive());
  }

  private void alter(String id, String what, String with) {
    KvKey key = KvKey.fromString(id.split(" ")[0]);
    String value = new String(store.get(key).orElseThrow().value(), StandardCharsets.UTF_8);
    assertThat(value).contains(what);
    store.put(key, value.replaceFirst(Pattern.quote(what), with).getBytes(StandardCharsets.UTF_8));
  }
}
