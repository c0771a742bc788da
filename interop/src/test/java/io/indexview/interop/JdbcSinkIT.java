package io.indexview.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.views.definition.RecordSet;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A generic JDBC sink on view topics, configured as the guide says, and a relational database. */
@Timeout(300)
class JdbcSinkIT {
  static final RecordSet PARCELS =
      new RecordSet(
          "parcels",
          "indexview.changes.parcels",
          RecordFormat.ENVELOPE,
          List.of(),
          new Schema.Parser()
              .parse(
                  """
                  {"type": "record", "name": "Parcel", "namespace": "test", "fields": [
                    {"name": "depot", "type": "string"},
                    {"name": "due", "type": {"type": "int", "logicalType": "date"}},
                    {"name": "grams", "type": ["null", "long"]},
                    {"name": "pieces", "type": "int"},
                    {"name": "fee", "type": ["null", "double"]},
                    {"name": "express", "type": "boolean"},
                    {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["SENT", "HERE"]}},
                    {"name": "price", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}]},
                    {"name": "seen", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
                    {"name": "label", "type": ["null", "bytes"]},
                    {"name": "userMetadata", "type": {"type": "map", "values": "string"}}
                  ]}
                  """));
  private static final String PLAIN =
      """
      name: parcels
      source: parcels
      kind: document
      include: [depot, due, grams, pieces, fee, express, state, price, seen, label, userMetadata.cost-center]
      target: jdbc
      """;
  private static final String BY_DEPOT =
      """
      name: parcels-by-depot
      source: parcels
      key: [depot, due]
      include: [pieces]
      target: jdbc
      """;

  private static TestPostgres database;

  @BeforeAll
  static void startDatabase() throws IOException {
    database = TestPostgres.start(Map.of());
  }

  @AfterAll
  static void stopDatabase() throws IOException {
    if (database != null) {
      database.close();
    }
  }

  @Test
  void keepsATableLikeTheView() throws Exception {
    ViewTopicRecords topic = new ViewTopicRecords(PARCELS, PLAIN, 1);
    GenericRecord first = parcel("Cork", 3);
    GenericRecord second = parcel("Cork", 5);
    try (GenericJdbcSink sink = sink(topic)) {
      sink.write(topic.upserts(first, "/p/-/1", 2));
      sink.write(topic.upserts(sparse(), "/p/-/2", 2));

      assertThat(
              database.rows("SELECT * FROM indexview_view_jdbc_parcels_1 ORDER BY \"_primaryKey\""))
          .containsExactly(
              "/p/-/1|Cork|2017-08-20|1500|3|4.5|t|SENT|12.34|2017-08-20 09:30:00.123|\\x6f6b|7|2",
              "/p/-/2||2017-08-20|null|0|null|t|SENT|null|null|null|null|2");
      assertThat(
              database.rows(
                  "SELECT depot FROM indexview_view_jdbc_parcels_1 WHERE cost_center = '7'"))
          .containsExactly("Cork");

      List<SinkRecord> changes = new ArrayList<>(topic.upserts(second, "/p/-/1", 3));
      changes.addAll(topic.tombstones(sparse(), "/p/-/2", 3));
      sink.write(changes);
      // Delivered again after a crash.
      sink.write(changes);

      assertThat(database.rows("SELECT \"_primaryKey\", pieces FROM indexview_view_jdbc_parcels_1"))
          .containsExactly("/p/-/1|5");
    }
  }

  /** The sink knows Debezium's names, and would make a time of day of this one; hours are 25. */
  @Test
  void keepsANumberThatDebeziumNames() throws Exception {
    RecordSet shifts =
        new RecordSet(
            "shifts",
            "shop.public.shifts",
            RecordFormat.ENVELOPE,
            List.of(),
            new Schema.Parser()
                .parse(
                    """
                    {"type": "record", "name": "Value", "namespace": "shop.public.shifts", "fields": [
                      {"name": "id", "type": "long"},
                      {"name": "lasts", "type": {"type": "long", "connect.name": "io.debezium.time.MicroTime"}}
                    ]}
                    """));
    ViewTopicRecords topic =
        new ViewTopicRecords(
            shifts,
            """
            name: shifts
            source: shifts
            key: [id]
            include: [lasts]
            target: jdbc
            """,
            1);
    GenericRecord shift = new GenericData.Record(shifts.schema());
    shift.put("id", 7L);
    shift.put("lasts", 90_000_000_000L);
    try (GenericJdbcSink sink = sink(topic)) {
      sink.write(topic.upserts(shift, "7", 2));

      assertThat(database.rows("SELECT lasts FROM indexview_view_jdbc_shifts_1"))
          .containsExactly("90000000000");
    }
  }

  @Test
  void takesTheRowsOfAnOldGenerationAwayAfterTheSwitch() throws Exception {
    ViewTopicRecords old = new ViewTopicRecords(PARCELS, BY_DEPOT, 1);
    ViewTopicRecords built =
        new ViewTopicRecords(PARCELS, BY_DEPOT.replace("[pieces]", "[pieces, express]"), 2);
    GenericRecord parcel = parcel("Cork", 3);
    database.execute(
        """
        CREATE TABLE "indexview_view_jdbc_parcels-by-depot_1" (
          depot text, due date, "_primaryKey" text, pieces integer NOT NULL,
          "_revision" bigint NOT NULL, PRIMARY KEY (depot, due, "_primaryKey"))
        """);
    try (GenericJdbcSink sink = sink(old, built)) {
      sink.write(old.tombstones(parcel, "/p/-/0", 1));
      sink.write(old.upserts(parcel, "/p/-/1", 1));
      serve(1);
      sink.write(built.upserts(parcel, "/p/-/1", 2));
      assertThat(database.rows("SELECT depot, due, pieces FROM parcels_by_depot"))
          .containsExactly("Cork|2017-08-20|3");

      serve(2);
      sink.write(old.tombstones(parcel, "/p/-/1", 2));

      assertThat(database.rows("SELECT depot, due, pieces FROM parcels_by_depot WHERE express"))
          .containsExactly("Cork|2017-08-20|3");
      assertThat(database.rows("SELECT * FROM \"indexview_view_jdbc_parcels-by-depot_1\""))
          .isEmpty();
    }
  }

  /** As the guide has it. */
  private void serve(int generation) throws SQLException {
    database.execute(
        """
        BEGIN;
        DROP VIEW IF EXISTS parcels_by_depot;
        CREATE VIEW parcels_by_depot AS
          SELECT * FROM "indexview_view_jdbc_parcels-by-depot_%d";
        COMMIT;
        """
            .formatted(generation));
  }

  /** As the guide has it. */
  static Map<String, String> sinkConfig(TestPostgres database) throws IOException {
    Map<String, String> config = GuideConfig.of("relational.md");
    config.put("connection.url", database.url());
    config.put("connection.username", TestPostgres.USER);
    config.put("connection.password", "secret");
    return config;
  }

  private static GenericJdbcSink sink(ViewTopicRecords... topics) throws IOException {
    return new GenericJdbcSink(
        sinkConfig(database),
        Arrays.stream(topics)
            .map(topic -> new TopicPartition(topic.topic(), 0))
            .collect(Collectors.toSet()));
  }

  static GenericRecord parcel(String depot, int pieces) {
    GenericRecord parcel = sparse();
    parcel.put("depot", depot);
    parcel.put("pieces", pieces);
    parcel.put("grams", 1_500L);
    parcel.put("fee", 4.5);
    parcel.put("price", ByteBuffer.wrap(new byte[] {4, -46}));
    parcel.put("seen", Instant.parse("2017-08-20T09:30:00.123Z").toEpochMilli());
    parcel.put("label", ByteBuffer.wrap("ok".getBytes(StandardCharsets.UTF_8)));
    parcel.put("userMetadata", Map.of("cost-center", "7"));
    return parcel;
  }

  /** With null wherever null can be. */
  private static GenericRecord sparse() {
    GenericRecord parcel = new GenericData.Record(PARCELS.schema());
    parcel.put("depot", "");
    parcel.put("due", (int) LocalDate.of(2017, 8, 20).toEpochDay());
    parcel.put("pieces", 0);
    parcel.put("express", true);
    parcel.put(
        "state", new GenericData.EnumSymbol(PARCELS.schema().getField("state").schema(), "SENT"));
    parcel.put("userMetadata", Map.of());
    return parcel;
  }
}
