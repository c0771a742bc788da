package io.indexview.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.verification.Row;
import io.indexview.verification.RowContent;
import io.indexview.verification.TargetReader;
import io.indexview.verification.jdbc.JdbcRows;
import io.indexview.verification.jdbc.JdbcTarget;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.sink.SinkRecord;

/** What Debezium's JDBC sink writes, as the guide configures it, is read as it was derived. */
class JdbcRowsPropertyIT {
  private static final String DOCUMENT =
      """
      name: parcels
      source: parcels
      kind: document
      target: jdbc
      """;
  private static final String INDEX =
      """
      name: parcels-by-all
      source: parcels
      key: [depot, State, pieces, grams, length, fee, express, due, seenAt, scanned]
      include: [tags, price]
      target: jdbc
      """;
  private static final List<String> PREFIXES = List.of("", "-/", "ä", "\"", "\uD83D\uDE00");
  private static final int RECORDS = 30;
  private static final int MAX_FETCH_SIZE = 9;

  private static final AtomicInteger generations = new AtomicInteger();
  private static TestPostgres database;
  private static GenericJdbcSink sink;

  @BeforeContainer
  static void start() throws IOException {
    database = TestPostgres.start(Map.of());
    sink = new GenericJdbcSink(JdbcSinkIT.sinkConfig(database), Set.of());
  }

  @AfterContainer
  static void stop() throws IOException {
    if (sink != null) {
      sink.close();
    }
    if (database != null) {
      database.close();
    }
  }

  /** Everything that a scan came by. */
  private static class Seen implements TargetReader.ContentVisitor {
    private final List<String> ids = new ArrayList<>();
    private final Map<String, String> contents = new TreeMap<>();
    private final List<String> positions = new ArrayList<>();

    /** How many rows came before each of them. */
    private final List<Integer> before = new ArrayList<>();

    private final TargetReader reader;
    private final Consumer<String> each;
    private long bytes;

    Seen(TargetReader reader, Consumer<String> each) {
      this.reader = reader;
      this.each = each;
    }

    @Override
    public void row(Row row) {
      ids.add(row.id());
      contents.put(row.id(), hex(reader.content(row)));
      each.accept(row.id());
    }

    @Override
    public void content(String id, byte[] content) {
      throw new AssertionError("not decoded: " + id);
    }

    @Override
    public void reached(String position) {
      positions.add(position);
      before.add(ids.size());
    }

    @Override
    public void tombstone(String id) {
      throw new AssertionError("a tombstone: " + id);
    }

    @Override
    public void unexpected(String id, Kind kind, String reason, byte[] content) {
      throw new AssertionError(id + ": " + reason);
    }

    @Override
    public void consumed(long moreBytes, double readUnits) {
      bytes += moreBytes;
    }
  }

  private static String hex(RowContent row) {
    return "%s %s %s"
        .formatted(row.primaryKey(), row.revision(), HexFormat.of().formatHex(row.content()));
  }

  private static Seen scan(JdbcRows rows, Optional<String> from, Consumer<String> each) {
    Seen seen = new Seen(rows, each);
    rows.scanContents(seen, from, List.of());
    return seen;
  }

  @Property(tries = 12)
  void isReadAsItWasDerived(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    isReadAsItWasDerived("", seed);
  }

  /** Behind some pools of connections there is nothing else. */
  @Property(tries = 6)
  void isReadFromTextsAsItWasDerived(@ForAll(supplier = Seeds.class) long seed) throws Exception {
    isReadAsItWasDerived("?binaryTransfer=false", seed);
  }

  private static void isReadAsItWasDerived(String parameters, long seed) throws Exception {
    Random random = new Random(seed);
    boolean isIndex = random.nextBoolean();
    ViewTopicRecords topic =
        new ViewTopicRecords(
            RandomParcels.SET, isIndex ? INDEX : DOCUMENT, generations.incrementAndGet());
    try (JdbcRows rows =
        new JdbcRows(target(parameters, 1 + random.nextInt(MAX_FETCH_SIZE)), topic.generation())) {
      Map<String, String> expected = write(topic, rows, random, isIndex ? 1 : 20);

      Seen all = scan(rows, Optional.empty(), id -> {});
      assertThat(all.contents).isEqualTo(expected);
      assertThat(all.ids).doesNotHaveDuplicates();
      assertThat(all.bytes).isPositive();
      for (int i = 0; i < all.positions.size(); i++) {
        assertThat(scan(rows, Optional.of(all.positions.get(i)), id -> {}).ids)
            .isEqualTo(all.ids.subList(all.before.get(i), all.ids.size()));
      }
      for (String id : expected.keySet()) {
        assertThat(rows.read(id, (bytes, units) -> {}))
            .hasValueSatisfying(
                row -> assertThat(hex(rows.content(row))).isEqualTo(expected.get(id)));
      }
      standsWhileOthersComeAndGo(topic, rows, all.ids, random);
    }
  }

  private static JdbcTarget target(String parameters, int fetchSize) {
    JdbcTarget known = database.target(TestPostgres.USER, fetchSize);
    return new JdbcTarget(
        known.name(),
        known.url() + parameters,
        known.username(),
        known.password(),
        JdbcTarget.TOPIC,
        fetchSize);
  }

  /** Writes changes of some records, and tells what the target has to hold then. */
  private static Map<String, String> write(
      ViewTopicRecords topic, JdbcRows rows, Random random, int nulls) throws Exception {
    RandomParcels parcels = new RandomParcels(random);
    Map<String, GenericRecord> records = new HashMap<>();
    Map<String, String> expected = new TreeMap<>();
    List<SinkRecord> batch = new ArrayList<>();
    // No table comes of a tombstone.
    GenericRecord first = parcels.next(0);
    batch.addAll(topic.upserts(first, "/p/first", 1));
    records.put("/p/first", first);
    topic.derived(rows, first, "/p/first", 1).forEach(row -> expected.put(row.id(), hex(row)));
    for (long revision = 2; revision < 2 * RECORDS; revision++) {
      String primaryKey =
          "/p/" + PREFIXES.get(random.nextInt(PREFIXES.size())) + random.nextInt(RECORDS);
      GenericRecord before = records.remove(primaryKey);
      if (before != null) {
        for (RowContent row : topic.derived(rows, before, primaryKey, revision)) {
          expected.remove(row.id());
        }
        batch.addAll(topic.tombstones(before, primaryKey, revision));
      }
      if (before == null || random.nextInt(3) > 0) {
        GenericRecord parcel = parcels.next(nulls);
        records.put(primaryKey, parcel);
        batch.addAll(topic.upserts(parcel, primaryKey, revision));
        for (RowContent row : topic.derived(rows, parcel, primaryKey, revision)) {
          expected.put(row.id(), hex(row));
        }
      }
      if (random.nextInt(10) == 0) {
        sink.write(batch);
        batch = new ArrayList<>();
      }
    }
    sink.write(batch);
    return expected;
  }

  private static void standsWhileOthersComeAndGo(
      ViewTopicRecords topic, JdbcRows rows, List<String> ids, Random random) throws SQLException {
    String table = "\"%s\"".formatted(topic.topic().replace('.', '_'));
    List<String> columns =
        database.rows(
            "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0"
                .formatted(table));
    String copied =
        String.join(", ", columns)
            .replace("\"_primaryKey\"", "\"_primaryKey\" || ' ' || ? AS \"_primaryKey\"");
    try (Connection sql = database.connect();
        PreparedStatement copy =
            sql.prepareStatement(
                "INSERT INTO %s SELECT %s FROM %s ORDER BY random() LIMIT 1"
                    .formatted(table, copied, table));
        PreparedStatement delete =
            sql.prepareStatement(
                "DELETE FROM %s WHERE ctid IN (SELECT ctid FROM %s WHERE \"_primaryKey\" LIKE '%% %%' ORDER BY random() LIMIT 1)"
                    .formatted(table, table))) {
      int[] planted = {0};
      Consumer<String> meanwhile =
          id -> {
            try {
              if (random.nextBoolean()) {
                copy.setString(1, Integer.toString(planted[0]++));
                copy.executeUpdate();
              } else {
                delete.executeUpdate();
              }
            } catch (SQLException e) {
              throw new IllegalStateException(e);
            }
          };

      Seen seen = scan(rows, Optional.empty(), meanwhile);

      assertThat(planted[0]).isPositive();
      assertThat(seen.ids).doesNotHaveDuplicates().containsAll(ids);
    }
  }
}
