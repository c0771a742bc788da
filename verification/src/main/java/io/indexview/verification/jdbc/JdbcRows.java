package io.indexview.verification.jdbc;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.indexview.client.admin.NotVerifiableException;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.control.ViewVerification.NotLookedFor;
import io.indexview.verification.GenericTargetException;
import io.indexview.verification.Row;
import io.indexview.verification.TargetReader;
import io.indexview.verification.jdbc.ReadOnlyDatabase.ReplicaException;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.derive.RowSchemas;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.layout.LayoutException;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;

/**
 * The rows of one view generation in a table of PostgreSQL that a generic JDBC sink writes: a
 * column for each field, and the row's key as primary key. The id of a row is a JSON array of its
 * key columns, as text. What reading throws is a {@link NotVerifiableException} that says what to
 * do.
 *
 * <p>A scan asks for pages by the primary key, each in a transaction of its own: it may take days,
 * and holds off no vacuum. A row keeps its key, so it comes exactly once.
 */
public final class JdbcRows implements TargetReader {
  private static final String NO_SUCH_VALUE = "22";
  private static final String NO_CONNECTION = "08";
  private static final String NO_LOGIN = "28";
  private static final String NO_PRIVILEGE = "42501";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String COLUMNS =
      """
      SELECT a.attname, t.typname, COALESCE(a.attnum = ANY (i.indkey), false)
      FROM pg_attribute a
        JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
      WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped
      """;

  private final JdbcTarget target;
  private final String view;
  private final String table;
  private final List<ViewFields.KeyField> keyFields;
  private final List<Schema.Field> valueFields;
  private final List<Column> key;
  private final List<Column> values;
  private final String ofKey;
  private final String first;
  private final String following;
  private final ReadOnlyDatabase database;
  private boolean isTableKnown;

  /** A row as it lies in the table, its key columns first, then the values and the revision. */
  private record Stored(Object[] columns) {
    long bytes() {
      long bytes = 0;
      for (Object column : columns) {
        bytes += Column.bytes(column);
      }
      return bytes;
    }

    byte[] content() {
      return Arrays.deepToString(columns).getBytes(StandardCharsets.UTF_8);
    }
  }

  /**
   * Connects when something is read.
   *
   * @throws GenericTargetException if the generation has a field that the table holds in no form
   *     that is read
   */
  public JdbcRows(JdbcTarget target, ViewGeneration generation) {
    this.target = target;
    this.view = generation.view();
    this.table = target.table(generation.viewTopic());
    this.keyFields = generation.fields().key();
    RowSchemas schemas = RowSchemas.of(generation);
    this.key = columns(schemas.key().getFields());
    this.valueFields =
        schemas.value().getFields().stream()
            .filter(field -> !field.name().equals(ViewFields.REVISION))
            .toList();
    this.values = columns(schemas.value().getFields());
    String keyNames = names(key);
    String select = "SELECT %s, %s FROM %s".formatted(keyNames, names(values), table);
    String parameters = key.stream().map(Column::parameter).collect(Collectors.joining(", "));
    // %d would write digits of the locale.
    String page = " ORDER BY %s LIMIT %s".formatted(keyNames, target.fetchSize());
    this.first = select + page;
    this.following = "%s WHERE (%s) > (%s)%s".formatted(select, keyNames, parameters, page);
    this.ofKey = "%s WHERE (%s) = (%s)".formatted(select, keyNames, parameters);
    this.database = new ReadOnlyDatabase(target);
  }

  private List<Column> columns(List<Schema.Field> fields) {
    List<String> unreadable =
        fields.stream()
            .filter(field -> Column.of(field).isEmpty())
            .map(Schema.Field::name)
            .toList();
    if (!unreadable.isEmpty()) {
      throw new GenericTargetException(
          "view \"%s\" has fields that are not compared in a relational database: %s; include single fields of maps and records, and no arrays of them"
              .formatted(view, String.join(", ", unreadable)));
    }
    return fields.stream().map(field -> Column.of(field).orElseThrow()).toList();
  }

  private static String names(List<Column> columns) {
    return columns.stream().map(Column::quoted).collect(Collectors.joining(", "));
  }

  @Override
  public boolean removesUnexpected() {
    return false;
  }

  @Override
  public List<NotLookedFor> notLookedFor() {
    return List.of(
        new NotLookedFor(Kind.ORPHANED_ROWS, "the name of a table does not tell whose it is"),
        new NotLookedFor(Kind.ORPHANED_METADATA, "a generic sink writes no metadata"));
  }

  @Override
  public Row expected(GenericRecord rowKey, GenericRecord rowValue, long revision) {
    Map<String, Object> keys = keys(rowKey);
    Map<String, Object> plain = new LinkedHashMap<>();
    for (Schema.Field field : valueFields) {
      plain.put(field.name(), PlainValues.of(field.schema(), rowValue.get(field.name())));
    }
    String primaryKey = primaryKey(rowKey);
    return new Row(id(keys, primaryKey), primaryKey, keys, plain, OptionalLong.of(revision));
  }

  private Map<String, Object> keys(GenericRecord rowKey) {
    Map<String, Object> keys = new LinkedHashMap<>();
    for (ViewFields.KeyField field : keyFields) {
      keys.put(field.name(), field.type().normalise(rowKey.get(field.name())));
    }
    return keys;
  }

  private static String primaryKey(GenericRecord rowKey) {
    return rowKey.get(ViewFields.PRIMARY_KEY).toString();
  }

  @Override
  public String id(GenericRecord rowKey) {
    return id(keys(rowKey), primaryKey(rowKey));
  }

  private String id(Map<String, Object> keys, String primaryKey) {
    List<Object> columns = new ArrayList<>(key.size());
    for (int i = 0; i < keyFields.size(); i++) {
      columns.add(key.get(i).ofKey(keys.get(keyFields.get(i).name())));
    }
    columns.add(primaryKey);
    return id(columns);
  }

  /** Id of a row by its key columns, as the database holds them. */
  private String id(List<Object> columns) {
    String[] texts = new String[columns.size()];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = key.get(i).text(columns.get(i));
    }
    try {
      return JSON.writeValueAsString(texts);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts have a form in JSON", e);
    }
  }

  private List<Object> keyOf(String id) {
    try {
      String[] texts = JSON.readValue(id, String[].class);
      if (texts.length == key.size()) {
        List<Object> columns = new ArrayList<>(texts.length);
        for (int i = 0; i < texts.length; i++) {
          columns.add(key.get(i).parse(texts[i]));
        }
        return columns;
      }
    } catch (JsonProcessingException | DateTimeParseException | NumberFormatException e) {
      throw new IllegalArgumentException("no id of a row of %s: %s".formatted(table, id), e);
    }
    throw new IllegalArgumentException("no id of a row of %s: %s".formatted(table, id));
  }

  @Override
  public void scan(Visitor visitor) {
    scan(visitor, Optional.empty(), position -> {});
  }

  /** A position is the id of the row before it. */
  @Override
  public void scanContents(ContentVisitor visitor, Optional<String> from, List<String> sample) {
    scan(visitor, from, visitor::reached);
  }

  private void scan(Visitor visitor, Optional<String> from, Consumer<String> reached) {
    String query = from.isEmpty() ? first : following;
    List<Object> after = from.map(this::keyOf).orElse(List.of());
    List<Stored> page;
    do {
      page = page(query, after);
      visitor.consumed(page.stream().mapToLong(Stored::bytes).sum(), 0);
      page.forEach(row -> visit(row, visitor));
      if (!page.isEmpty()) {
        query = following;
        after = keyOf(page.get(page.size() - 1));
        reached.accept(id(after));
      }
    } while (page.size() == target.fetchSize());
  }

  private List<Stored> stored(ResultSet rows) throws SQLException {
    List<Stored> all = new ArrayList<>();
    while (rows.next()) {
      Object[] columns = new Object[key.size() + values.size()];
      for (int i = 0; i < columns.length; i++) {
        Column column = i < key.size() ? key.get(i) : values.get(i - key.size());
        columns[i] = column.read(rows, i + 1);
      }
      all.add(new Stored(columns));
    }
    return all;
  }

  private List<Object> keyOf(Stored stored) {
    return Arrays.asList(stored.columns).subList(0, key.size());
  }

  private void visit(Stored stored, Visitor visitor) {
    Row row;
    try {
      row = row(stored);
    } catch (LayoutException e) {
      visitor.unexpected(id(keyOf(stored)), Kind.UNDECODABLE, e.getMessage(), stored.content());
      return;
    }
    visitor.row(row);
  }

  /**
   * What somebody else wrote into columns that are no key makes another row, which is written over;
   * a key that no row has is none.
   */
  private Row row(Stored stored) {
    Map<String, Object> keys = new LinkedHashMap<>();
    for (int i = 0; i < keyFields.size(); i++) {
      keys.put(keyFields.get(i).name(), key.get(i).key(stored.columns[i]));
    }
    Map<String, Object> plain = new LinkedHashMap<>();
    for (int i = 0; i < valueFields.size(); i++) {
      plain.put(valueFields.get(i).name(), values.get(i).plain(stored.columns[key.size() + i]));
    }
    Object revision = stored.columns[stored.columns.length - 1];
    return new Row(
        id(keyOf(stored)),
        (String) stored.columns[keyFields.size()],
        keys,
        plain,
        revision == null ? OptionalLong.empty() : OptionalLong.of((Long) revision));
  }

  @Override
  public Optional<Row> read(String id, Meter meter) {
    try {
      return get(id, meter).map(this::row);
    } catch (LayoutException e) {
      // Something else lies in the row's place.
      return Optional.empty();
    }
  }

  @Override
  public Optional<byte[]> unexpected(String id, Meter meter) {
    return get(id, meter).filter(this::isUnexpected).map(Stored::content);
  }

  private boolean isUnexpected(Stored stored) {
    try {
      row(stored);
      return false;
    } catch (LayoutException e) {
      return true;
    }
  }

  /** The sink has no fence. */
  @Override
  public OptionalLong revision(String id, Meter meter) {
    return OptionalLong.empty();
  }

  private Optional<Stored> get(String id, Meter meter) {
    Optional<Stored> found;
    try {
      found = rows(ofKey, keyOf(id)).stream().findFirst();
    } catch (SQLException e) {
      if (!isOf(NO_SUCH_VALUE, e)) {
        throw unreadable(e);
      }
      // Derived, but nothing that the database takes, as a text with U+0000.
      found = Optional.empty();
    }
    meter.consumed(found.map(Stored::bytes).orElse(0L), 0);
    return found;
  }

  private List<Stored> page(String query, List<Object> after) {
    try {
      return rows(query, after);
    } catch (SQLException e) {
      throw unreadable(e);
    }
  }

  private List<Stored> rows(String query, List<Object> parameters) throws SQLException {
    if (!isTableKnown) {
      requireTable();
      isTableKnown = true;
    }
    return database.ask(query, parameters, this::stored);
  }

  private NotVerifiableException unreadable(SQLException e) {
    return new NotVerifiableException(
        "table %s of target %s cannot be read: %s; %s"
            .formatted(table, target.name(), e.getMessage(), remedy(e)),
        e);
  }

  private static boolean isOf(String classOfStates, SQLException e) {
    return e.getSQLState() != null && e.getSQLState().startsWith(classOfStates);
  }

  private String remedy(SQLException e) {
    if (e instanceof ReplicaException) {
      return "name the primary in %s, or add targetServerType=primary to it"
          .formatted(target.key("connection.url"));
    } else if (isOf(NO_PRIVILEGE, e)) {
      return "grant SELECT on it, and on tables that the sink makes later, to the user of %s"
          .formatted(target.key("connection.username"));
    } else if (isOf(NO_LOGIN, e)) {
      return "see to %s and %s"
          .formatted(target.key("connection.username"), target.key("connection.password"));
    } else if (isOf(NO_CONNECTION, e)) {
      return "see to it that the database of %s runs and lets this server in"
          .formatted(target.key("connection.url"));
    }
    return "then verify again";
  }

  /** The sink made it of this generation. */
  private void requireTable() throws SQLException {
    Map<String, String> types = new TreeMap<>();
    Set<String> primaryKey = new TreeSet<>();
    database.ask(
        COLUMNS,
        List.of(table),
        rows -> {
          while (rows.next()) {
            types.put(rows.getString(1), rows.getString(2));
            if (rows.getBoolean(3)) {
              primaryKey.add(rows.getString(1));
            }
          }
          return types;
        });
    if (types.isEmpty()) {
      throw new NotVerifiableException(
          "target %s has no table %s: the sink makes it with the first row of view \"%s\"; if there are rows, see that %s is the sink's collection.name.format, and that the user of %s may use its schema"
              .formatted(
                  target.name(),
                  table,
                  view,
                  target.key("collection.name.format"),
                  target.key("connection.username")));
    }
    List<String> problems = new ArrayList<>();
    Stream.concat(key.stream(), values.stream())
        .forEach(
            column -> {
              String type = types.get(column.name());
              if (type == null) {
                problems.add("column \"%s\" is missing".formatted(column.name()));
              } else if (!column.types().contains(type)) {
                problems.add(
                    "column \"%s\" is of type %s instead of %s"
                        .formatted(column.name(), type, column.types().get(0)));
              }
            });
    Set<String> keyNames =
        key.stream().map(Column::name).collect(Collectors.toCollection(TreeSet::new));
    if (!primaryKey.equals(keyNames)) {
      problems.add("the primary key is %s instead of %s".formatted(primaryKey, keyNames));
    }
    if (!problems.isEmpty()) {
      throw new NotVerifiableException(
          "table %s of target %s is not as the sink makes it of view \"%s\": %s; see that the sink has quote.identifiers=true, primary.key.mode=record_key and no transformation of rows, and rebuild the view"
              .formatted(table, target.name(), view, String.join(", ", problems)));
    }
  }

  @Override
  public void close() {
    database.close();
  }
}
