package io.indexview.schemas.change.json;

import java.nio.charset.StandardCharsets;

/** Messages in the form of Debezium's connectors for PostgreSQL and JsonConverter. */
final class ConnectMessages {
  /** Columns: the fields of a table with one of each kind. */
  static final String COLUMNS =
      """
      {"type":"int64","optional":false,"default":0,"field":"id"},
      {"type":"string","optional":false,"field":"customer"},
      {"type":"int32","optional":true,"name":"io.debezium.time.Date","version":1,"field":"ordered"},
      {"type":"int64","optional":true,"name":"io.debezium.time.MicroTimestamp","version":1,"field":"placed"},
      {"type":"string","optional":true,"name":"io.debezium.time.ZonedTimestamp","version":1,"field":"shipped"},
      {"type":"bytes","optional":true,"name":"org.apache.kafka.connect.data.Decimal","version":1,
        "parameters":{"scale":"2","connect.decimal.precision":"10"},"field":"total"},
      {"type":"struct","fields":[{"type":"int32","optional":false,"field":"scale"},{"type":"bytes","optional":false,"field":"value"}],
        "optional":true,"name":"io.debezium.data.VariableScaleDecimal","version":1,"field":"weight"},
      {"type":"struct","fields":[{"type":"int32","optional":false,"field":"scale"},{"type":"bytes","optional":false,"field":"value"}],
        "optional":true,"name":"io.debezium.data.VariableScaleDecimal","version":1,"field":"tare"},
      {"type":"string","optional":true,"name":"io.debezium.data.Uuid","version":1,"field":"reference"},
      {"type":"double","optional":true,"field":"ratio"},
      {"type":"boolean","optional":true,"field":"paid"},
      {"type":"array","items":{"type":"string","optional":true},"optional":true,"field":"tags"},
      {"type":"map","keys":{"type":"string","optional":false},"values":{"type":"string","optional":true},
        "optional":true,"name":"io.debezium.data.Json","field":"attributes"},
      {"type":"int16","optional":false,"default":3,"field":"priority"}
      """;

  static final String ROW =
      """
      {"id":17,"customer":"Ann","ordered":20455,"placed":1767268800123456,"shipped":"2026-01-01T12:00:00.5Z",
       "total":"AMg=","weight":{"scale":1,"value":"Bwk="},"tare":null,
       "reference":"b3b1a2c4-0000-4000-8000-000000000001","ratio":0.1,"paid":true,"tags":["a",null],
       "attributes":{"k":"v"},"priority":5}
      """;

  private static final String SCHEMA =
      """
      {"type":"struct","fields":[
        {"type":"struct","fields":[%1$s],"optional":true,"name":"shop.public.orders.Value","field":"before"},
        {"type":"struct","fields":[%1$s],"optional":true,"name":"shop.public.orders.Value","field":"after"},
        {"type":"struct","fields":[{"type":"string","optional":false,"field":"version"},
          {"type":"string","optional":true,"name":"io.debezium.data.Enum","version":1,
            "parameters":{"allowed":"true,first,first_in_data_collection,last_in_data_collection,last,false,incremental"},"default":"false","field":"snapshot"},
          {"type":"int64","optional":true,"field":"lsn"}],"optional":false,"name":"io.debezium.connector.postgresql.Source","field":"source"},
        {"type":"struct","fields":[{"type":"string","optional":false,"field":"id"}],"optional":true,"name":"event.block","version":1,"field":"transaction"},
        {"type":"string","optional":false,"field":"op"},
        {"type":"int64","optional":true,"field":"ts_ms"}],
       "optional":false,"name":"shop.public.orders.Envelope","version":2}
      """;

  private ConnectMessages() {}

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String payload(String op, String snapshot, String before, String after) {
    return """
    {"before":%s,"after":%s,"source":{"version":"3.6.0.Final","connector":"postgresql","name":"shop","ts_ms":1767268800000,
     "snapshot":"%s","db":"shop","schema":"public","table":"orders","txId":771,"lsn":4711},
     "transaction":null,"op":"%s","ts_ms":1767268800100}
    """
        .formatted(before, after, snapshot, op)
        .strip();
  }

  /** As with {@code schemas.enable=true}. */
  static byte[] withSchema(String columns, String payload) {
    return utf8(
        "{\"schema\":%s,\"payload\":%s}".formatted(SCHEMA.formatted(columns).strip(), payload));
  }

  static byte[] withSchema(String op, String before, String after) {
    return withSchema(COLUMNS, payload(op, "false", before, after));
  }

  /** As with {@code schemas.enable=false}. */
  static byte[] plain(String op, String before, String after) {
    return utf8(payload(op, "false", before, after));
  }
}
