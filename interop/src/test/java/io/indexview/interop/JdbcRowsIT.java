package io.indexview.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.verification.Row;
import io.indexview.verification.RowContent;
import io.indexview.verification.TargetReader;
import io.indexview.verification.jdbc.JdbcRows;
import io.indexview.verification.jdbc.JdbcTarget;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that Debezium's JDBC sink made, after somebody else wrote into them. */
@Timeout(300)
class JdbcRowsIT {
  private static final String TABLE = "\"indexview_view_jdbc_parcels-by-day_%d\"";
  private static final String READER = "reader";
  private static final String SEEN =
      "{name: seen, source: parcels, kind: document, include: [seen], target: jdbc}";

  private static TestPostgres database;
  private static GenericJdbcSink sink;
  private static int generations;

  private final List<String> unexpected = new ArrayList<>();
  private final List<Row> seen = new ArrayList<>();
  private ViewTopicRecords topic;
  private String table;
  private JdbcRows rows;
  private RowContent derived;

  @BeforeAll
  static void start() throws Exception {
    database = TestPostgres.start(Map.of());
    database.execute("CREATE ROLE %s LOGIN".formatted(READER));
    sink = new GenericJdbcSink(JdbcSinkIT.sinkConfig(database), Set.of());
  }

  @AfterAll
  static void stop() throws IOException {
    if (sink != null) {
      sink.close();
    }
    if (database != null) {
      database.close();
    }
  }

  @BeforeEach
  void write() throws Exception {
    topic =
        new ViewTopicRecords(
            RandomParcels.SET,
            """
            name: parcels-by-day
            source: parcels
            key: [due, State, seenAt]
            include: [pieces, price, tags, depot, opens]
            target: jdbc
            """,
            ++generations);
    table = TABLE.formatted(generations);
    rows = new JdbcRows(database.target(TestPostgres.USER, 2), topic.generation());
    GenericRecord parcel = new RandomParcels(new Random(5)).next(0);
    parcel.put("due", 17_398);
    parcel.put(
        "State",
        new GenericData.EnumSymbol(
            RandomParcels.SET.schema().getField("State").schema().getTypes().get(1), "SENT"));
    parcel.put("seenAt", 1_503_221_400_123L);
    sink.write(topic.upserts(parcel, "/p/1", 7));
    derived = topic.derived(rows, parcel, "/p/1", 7).get(0);
  }

  @AfterEach
  void close() {
    rows.close();
  }

  private void scan() {
    scan(rows);
  }

  private void scan(JdbcRows reader) {
    reader.scan(
        new TargetReader.Visitor() {
          @Override
          public void consumed(long bytes, double readUnits) {}

          @Override
          public void row(Row row) {
            seen.add(row);
          }

          @Override
          public void tombstone(String id) {
            throw new AssertionError(id);
          }

          @Override
          public void unexpected(String id, Kind kind, String reason, byte[] content) {
            unexpected.add(id + ": " + kind.text() + ": " + reason);
            assertThat(reader.unexpected(id, (bytes, units) -> {})).hasValue(content);
            assertThat(reader.read(id, (bytes, units) -> {})).isEmpty();
          }
        });
  }

  private String refusal(JdbcRows reader) {
    try (reader) {
      NotVerifiableException refused =
          catchThrowableOfType(NotVerifiableException.class, () -> scan(reader));
      assertThat(refused).isNotNull();
      assertThat(refused.getMessage()).doesNotContain("secret");
      return refused.getMessage();
    }
  }

  @Test
  void namesRowsByTheirKeys() {
    scan();

    assertThat(derived.id())
        .isEqualTo("[\"2017-08-20\",\"SENT\",\"2017-08-20T09:30:00.123\",\"/p/1\"]");
    assertThat(seen).hasSize(1).allSatisfy(row -> assertThat(rows.content(row)).isEqualTo(derived));
    assertThat(rows.unexpected(derived.id(), (bytes, units) -> {})).isEmpty();
    assertThat(rows.revision(derived.id(), (bytes, units) -> {})).isEmpty();
    assertThat(rows.removesUnexpected()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pieces = pieces + 1",
        "pieces = NULL",
        "price = price + 0.01",
        "price = 'NaN'",
        "tags = tags || '{x}'",
        "tags = ARRAY[ARRAY['a'], ARRAY['b']]",
        "depot = NULL",
        "opens = opens + interval '1 microsecond'",
        "\"_revision\" = 8",
      })
  void tellsValuesThatSomebodyElseWrote(String change) throws Exception {
    database.execute("UPDATE %s SET %s".formatted(table, change));

    scan();

    assertThat(seen).hasSize(1).allSatisfy(row -> assertThat(row.id()).isEqualTo(derived.id()));
    assertThat(rows.content(seen.get(0))).isNotEqualTo(derived);
    assertThat(rows.read(derived.id(), (bytes, units) -> {})).hasValue(seen.get(0));
  }

  @Test
  void tellsThatThereIsNoRevision() throws Exception {
    database.execute(
        "ALTER TABLE %s ALTER \"_revision\" DROP NOT NULL; UPDATE %1$s SET \"_revision\" = NULL"
            .formatted(table));

    scan();

    assertThat(seen).hasSize(1).allSatisfy(row -> assertThat(row.revision()).isEmpty());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "due = 'infinity'",
        "\"State\" = 'LOST'",
        "\"seenAt\" = \"seenAt\" + interval '1 microsecond'",
        "\"seenAt\" = '-infinity'",
      })
  void tellsKeysThatNoRowHas(String change) throws Exception {
    database.execute("UPDATE %s SET %s".formatted(table, change));

    scan();

    String column = change.substring(0, change.indexOf(' ')).replace("\"", "");
    assertThat(seen).isEmpty();
    assertThat(unexpected).hasSize(1);
    assertThat(unexpected.get(0))
        .contains("undecodable: column \"" + column + "\" holds", "delete it by SQL");
  }

  /** A text with U+0000 is derived, and no database takes it. */
  @Test
  void findsNothingInThePlaceOfWhatTheDatabaseDoesNotTake() {
    assertThat(
            rows.read(
                "[\"2017-08-20\",\"SENT\",\"2017-08-20T09:30:00.123\",\"\\u0000\"]",
                (bytes, units) -> {}))
        .isEmpty();
    assertThat(rows.read(derived.id(), (bytes, units) -> {})).isPresent();
  }

  @Test
  void goesOnWhenItsConnectionIsLost() throws Exception {
    assertThat(rows.read(derived.id(), (bytes, units) -> {})).isPresent();
    assertThat(
            database.rows(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'indexview-verification'"))
        .isNotEmpty();

    assertThat(rows.read(derived.id(), (bytes, units) -> {})).isPresent();
  }

  @Test
  void leavesNoConnectionAndNoTransactionOpen() throws Exception {
    String sessions =
        "SELECT state FROM pg_stat_activity WHERE application_name = 'indexview-verification'";
    rows.read(derived.id(), (bytes, units) -> {});
    assertThat(database.rows(sessions)).containsOnly("idle");

    rows.close();

    await().until(() -> database.rows(sessions).isEmpty());
  }

  @Test
  void needsNothingButSelect() throws Exception {
    assertThat(refusal(new JdbcRows(database.target(READER, 2), topic.generation())))
        .contains(table, "permission denied", "grant SELECT", "target.jdbc.connection.username");
    database.execute("GRANT SELECT ON %s TO %s".formatted(table, READER));

    try (JdbcRows reader = new JdbcRows(database.target(READER, 2), topic.generation())) {
      scan(reader);
    }

    assertThat(seen).hasSize(1);
  }

  @Test
  void writesNothing() throws Exception {
    database.execute(
        """
        CREATE TABLE notes (note text);
        CREATE FUNCTION note() RETURNS boolean LANGUAGE sql VOLATILE AS
          $$ INSERT INTO notes VALUES ('read') RETURNING true $$;
        GRANT ALL ON notes TO %s; GRANT SELECT ON %s TO %1$s;
        ALTER TABLE %2$s ENABLE ROW LEVEL SECURITY;
        CREATE POLICY noting ON %2$s USING (note());
        """
            .formatted(READER, table));

    assertThat(refusal(new JdbcRows(database.target(READER, 2), topic.generation())))
        .contains("read-only transaction");
  }

  @Test
  void refusesReplicas() throws Exception {
    database.execute(
        """
        CREATE SCHEMA replica;
        CREATE FUNCTION replica.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
        CREATE ROLE behind LOGIN; GRANT USAGE ON SCHEMA replica TO behind;
        ALTER ROLE behind SET search_path = replica, pg_catalog, public;
        """);

    assertThat(refusal(new JdbcRows(database.target("behind", 2), topic.generation())))
        .contains("replica", "target.jdbc.connection.url", "targetServerType=primary");
  }

  @Test
  void saysWhatIsWrongWithTheTable() throws Exception {
    database.execute(
        """
        ALTER TABLE %s DROP COLUMN depot;
        ALTER TABLE %1$s ALTER pieces TYPE bigint;
        ALTER TABLE %1$s DROP CONSTRAINT "%s_pkey";
        ALTER TABLE %1$s ADD PRIMARY KEY (due, "_primaryKey");
        """
            .formatted(table, table.replace("\"", "")));

    assertThat(refusal(rows))
        .contains(
            table,
            "column \"depot\" is missing",
            "column \"pieces\" is of type int8 instead of int4",
            "the primary key is [_primaryKey, due] instead of [State, _primaryKey, due, seenAt]",
            "quote.identifiers=true");
  }

  @Test
  void saysThatThereIsNoTable() throws Exception {
    database.execute("DROP TABLE " + table);

    assertThat(refusal(rows)).contains("no table " + table, "target.jdbc.collection.name.format");
  }

  @Test
  void findsTablesOfOtherNames() throws Exception {
    database.execute(
        "CREATE SCHEMA views; ALTER TABLE %s SET SCHEMA views; ALTER TABLE views.%1$s RENAME TO \"p_%s\""
            .formatted(table, table.replace("\"", "")));
    JdbcTarget known = database.target(TestPostgres.USER, 2);
    JdbcTarget named =
        new JdbcTarget(
            "jdbc", known.url(), known.username(), known.password(), "views.p_${topic}", 2);

    try (JdbcRows reader = new JdbcRows(named, topic.generation())) {
      scan(reader);
    }

    assertThat(seen).hasSize(1);
  }

  @Test
  void saysThatNobodyAnswersOrLetsItIn() {
    JdbcTarget known = database.target(TestPostgres.USER, 2);
    JdbcTarget nobody =
        new JdbcTarget(
            "jdbc",
            "jdbc:postgresql://127.0.0.1:1/postgres",
            known.username(),
            known.password(),
            JdbcTarget.TOPIC,
            2);
    assertThat(refusal(new JdbcRows(nobody, topic.generation())))
        .contains("refused", "target.jdbc.connection.url");
    assertThat(refusal(new JdbcRows(database.target("stranger", 2), topic.generation())))
        .contains("stranger", "target.jdbc.connection.username");
    assertThat(known.toString()).doesNotContain("secret");
  }

  /** The sink writes UTC all the same, but times that its zone's clocks leave out it moves. */
  @Test
  void readsTimesOfASinkOfAnotherZone() throws Exception {
    ViewTopicRecords times = new ViewTopicRecords(JdbcSinkIT.PARCELS, SEEN, 1);
    Map<String, String> config = JdbcSinkIT.sinkConfig(database);
    config.put("use.time.zone", "Europe/Berlin");
    try (GenericJdbcSink berlin = new GenericJdbcSink(config, Set.of());
        JdbcRows reader = new JdbcRows(database.target(TestPostgres.USER, 2), times.generation())) {
      for (String time :
          List.of("2026-03-29T01:59:59Z", "2026-03-29T03:00:00Z", "2026-07-01T12:00:00Z")) {
        assertThat(isReadAsDerived(times, berlin, reader, time)).as(time).isTrue();
      }
      assertThat(isReadAsDerived(times, berlin, reader, "2026-03-29T02:30:00Z")).isFalse();
    }
    assertThat(database.rows("SELECT seen FROM indexview_view_jdbc_seen_1"))
        .containsExactly("2026-03-29 03:30:00");
  }

  private static boolean isReadAsDerived(
      ViewTopicRecords times, GenericJdbcSink sink, JdbcRows reader, String time) throws Exception {
    GenericRecord parcel = JdbcSinkIT.parcel("Cork", 3);
    parcel.put("seen", Instant.parse(time).toEpochMilli());
    sink.write(times.upserts(parcel, "/p/1", 7));
    RowContent expected = times.derived(reader, parcel, "/p/1", 7).get(0);
    Row row = reader.read(expected.id(), (bytes, units) -> {}).orElseThrow();
    return reader.content(row).equals(expected);
  }

  @Test
  void refusesFieldsThatHaveNoColumnOfTheirOwn() {
    ViewTopicRecords maps =
        new ViewTopicRecords(
            JdbcSinkIT.PARCELS,
            """
            {name: parcels, source: parcels, kind: document, include: [depot, userMetadata], target: jdbc}
            """,
            1);

    assertThatThrownBy(() -> new JdbcRows(database.target(TestPostgres.USER, 2), maps.generation()))
        .isInstanceOf(NotVerifiableException.class)
        .hasMessageContaining("userMetadata");
  }

  @Test
  void isNoIdOfAnotherTable() {
    assertThatThrownBy(() -> rows.read("[\"2017-08-20\"]", (bytes, units) -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
