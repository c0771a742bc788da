package io.indexview.benchmarks.flink;

import io.indexview.benchmarks.app.Entrant;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.ViewSet;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.flink.formats.avro.typeutils.AvroSchemaConverter;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/** The SQL of a contestant: its events, its rows, and how these come from those. */
final class SqlTables {
  private static final String PEOPLE = "people";

  /** Prefix of the names of a row's key fields: a field may be in key and value. */
  private static final String KEY = "key_";

  private final Entrant entrant;
  private final boolean isExactlyOnce;
  private final String registry;

  /**
   * @param registry URL of the one that knows the schema of the events
   */
  SqlTables(Entrant entrant, boolean isExactlyOnce, String registry) {
    this.entrant = entrant;
    this.isExactlyOnce = isExactlyOnce;
    this.registry = registry;
  }

  /** Statements that create all tables. */
  List<String> definitions() {
    List<String> statements = new ArrayList<>();
    statements.add(source());
    entrant.generations().forEach(view -> statements.add(sink(view)));
    return statements;
  }

  /** Statements that fill the tables of rows. */
  List<String> inserts() {
    return entrant.generations().stream().map(this::insert).toList();
  }

  /** Deletes have no fields but the key, so that none of the others is there for certain. */
  private String source() {
    List<String> columns = new ArrayList<>();
    columns.add(quoted(ViewFields.PRIMARY_KEY) + " STRING NOT NULL");
    types(People.SCHEMA)
        .forEach(
            (name, type) ->
                columns.add(quoted(name) + " " + type.copy(true).asSerializableString()));
    Map<String, String> options = options(entrant.changes());
    options.put("properties.group.id", entrant.id());
    options.put("properties.isolation.level", "read_committed");
    options.put("key.format", "raw");
    return table(PEOPLE, columns, List.of(quoted(ViewFields.PRIMARY_KEY)), options);
  }

  private String sink(ViewGeneration view) {
    RowSchemas schemas = RowSchemas.of(view);
    List<String> columns = new ArrayList<>();
    List<String> key = new ArrayList<>();
    types(schemas.key())
        .forEach(
            (name, type) -> {
              key.add(quoted(KEY + name));
              columns.add(quoted(KEY + name) + " " + type.asSerializableString());
            });
    types(schemas.value())
        .forEach((name, type) -> columns.add(quoted(name) + " " + type.asSerializableString()));
    Map<String, String> options = options(entrant.viewTopic(view));
    options.put("key.format", "avro-confluent");
    options.put("key.avro-confluent.url", registry);
    options.put("key.fields-prefix", KEY);
    if (isExactlyOnce) {
      options.put("sink.delivery-guarantee", "exactly-once");
      options.put("sink.transactional-id-prefix", entrant.viewTopic(view));
      // Flink's own is more than brokers allow.
      options.put("properties.transaction.timeout.ms", "900000");
    }
    return table(view.view(), columns, key, options);
  }

  private Map<String, String> options(String topic) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("connector", "upsert-kafka");
    options.put("topic", topic);
    options.put("properties.bootstrap.servers", entrant.bootstrap());
    options.put("value.format", "avro-confluent");
    options.put("value.avro-confluent.url", registry);
    options.put("value.fields-include", "EXCEPT_KEY");
    return options;
  }

  private String insert(ViewGeneration view) {
    ViewFields fields = view.fields();
    List<String> columns = new ArrayList<>();
    for (ViewFields.KeyField field : fields.key()) {
      columns.add(field.path().equals(fields.array()) ? "element" : quoted(field.path()));
    }
    columns.add(quoted(ViewFields.PRIMARY_KEY));
    fields.values().forEach(field -> columns.add(quoted(field.path())));
    columns.add(revision(view));
    String unnested =
        fields.array() == null
            ? ""
            : " CROSS JOIN UNNEST(%s) AS elements (element)".formatted(quoted(fields.array()));
    String filter =
        entrant.views().isFiltered() ? " WHERE org LIKE '%s%%'".formatted(ViewSet.KEPT) : "";
    return "INSERT INTO %s SELECT %s FROM %s%s%s"
        .formatted(quoted(view.view()), String.join(", ", columns), PEOPLE, unnested, filter);
  }

  /**
   * Nobody numbers revisions here: always 0. It asks for the fields that only other views have, as
   * the planner keeps one state for all queries of the same fields, and else one for each.
   */
  private String revision(ViewGeneration view) {
    Set<String> others = new LinkedHashSet<>();
    entrant.generations().forEach(other -> others.addAll(paths(other)));
    others.removeAll(paths(view));
    return Stream.concat(
            Stream.of("CAST(0 AS BIGINT)"),
            others.stream()
                .map(field -> "CASE WHEN %s IS NULL THEN 1 ELSE 0 END".formatted(quoted(field))))
        .collect(Collectors.joining(" + "));
  }

  private static Set<String> paths(ViewGeneration view) {
    Set<String> paths = new LinkedHashSet<>();
    view.fields().key().forEach(field -> paths.add(field.path()));
    view.fields().values().forEach(field -> paths.add(field.path()));
    return paths;
  }

  private static Map<String, LogicalType> types(Schema record) {
    RowType row =
        (RowType) AvroSchemaConverter.convertToDataType(record.toString()).getLogicalType();
    Map<String, LogicalType> types = new LinkedHashMap<>();
    row.getFields().forEach(field -> types.put(field.getName(), field.getType()));
    return types;
  }

  private static String table(
      String name, List<String> columns, List<String> key, Map<String, String> options) {
    return "CREATE TABLE %s (%s, PRIMARY KEY (%s) NOT ENFORCED) WITH (%s)"
        .formatted(
            quoted(name),
            String.join(", ", columns),
            String.join(", ", key),
            options.entrySet().stream()
                .map(option -> "'%s' = '%s'".formatted(option.getKey(), option.getValue()))
                .collect(Collectors.joining(", ")));
  }

  private static String quoted(String name) {
    return "`" + name + "`";
  }
}
