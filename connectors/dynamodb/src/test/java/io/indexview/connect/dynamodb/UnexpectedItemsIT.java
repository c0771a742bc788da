package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.metadata.StateRecords;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.dynamodb.ItemStore;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.UnexpectedRemoval;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Removes what is no row, and never a row, whoever wrote it when. */
class UnexpectedItemsIT extends SinkSessionHarness {
  private static final Duration RETENTION = Duration.ofDays(5);

  private final StateRecords control = new StateRecords();

  private static UnexpectedRow unexpected(FileRows of, Map<String, Object> item) {
    return new UnexpectedRow(
        DynamoDbLayout.of(of.generation()).id(item),
        UnexpectedRow.digest(DynamoDbLayout.content(item)));
  }

  private Map<String, Object> put(String objectKey, Map<String, Object> rest) {
    Map<String, Object> item = new HashMap<>(rest);
    item.put("objectKey", objectKey);
    ItemStore.await(tables.put(table, item));
    return item(objectKey);
  }

  private static UnexpectedRemoval removal(FileRows of, UnexpectedRow... rows) {
    return new UnexpectedRemoval(of.generation(), List.of(rows));
  }

  private static void remove(ItemStore store, UnexpectedRemoval removal) {
    remove(new UnexpectedItems(store, removal, Clock.systemUTC()));
  }

  private static void remove(UnexpectedItems removal) {
    removal.run(new StopLatch(), () -> {});
  }

  @Test
  void removesWhatHasNoRevisionByItsCommandOnTheTopic() {
    DynamoDbSinkSession session = session();
    putAll(session, rows.upsert(0, "row.txt", 7, "u", 1L));
    Map<String, Object> scribble = put("scribble.txt", Map.of("size", 3, "tags", List.of("a")));
    Map<String, Object> changed = put("changed.txt", Map.of("size", 3));
    UnexpectedRow asFound = unexpected(rows, changed);
    put("changed.txt", Map.of("size", 4));

    session.put(
        List.of(
            control.command(
                UnexpectedRemoval.COMMAND,
                rows.topic(),
                removal(
                        rows,
                        unexpected(rows, scribble),
                        asFound,
                        unexpected(rows, item("row.txt")),
                        new UnexpectedRow("no key", "00"),
                        new UnexpectedRow("[\"gone.txt\"]", "00"))
                    .toJson(),
                5)));
    callUntil(session, () -> committed(session) == 6);

    assertThat(item("scribble.txt")).isNull();
    assertThat(item("changed.txt")).as("another thing than what was found").isNotNull();
    assertThat(item("row.txt")).isNotNull();
    putAndAwait(session, rows.upsert(0, "row.txt", 8, "w", 1L));
    assertThat(item("row.txt"))
        .as("the session goes on with the topic")
        .containsEntry("uploadUser", "w");
  }

  @Test
  void removesRowsOfOlderGenerationsInASharedTable() {
    FileRows second = new FileRows(table, 2, "in-place");
    DynamoDbSinkSession session = session();
    putAll(session, second.upsert(0, "row.txt", 7, "u", 1L));
    Map<String, Object> older = put("older.txt", Map.of("revision", 5, "gen", 1));
    Map<String, Object> newer = put("newer.txt", Map.of("revision", 5, "gen", 3));
    Map<String, Object> torn = put("torn.txt", Map.of("revision", 5, "gen", 2));

    remove(
        tables,
        removal(
            second,
            Stream.of(older, newer, torn, item("row.txt"))
                .map(item -> unexpected(second, item))
                .toArray(UnexpectedRow[]::new)));

    assertThat(item("older.txt")).isNull();
    assertThat(item("newer.txt")).as("of a generation to come").isNotNull();
    assertThat(item("torn.txt")).as("no condition tells it from a row").isNotNull();
    assertThat(item("row.txt")).isNotNull();
  }

  @Test
  void removesTombstonesWhoseTimeToLiveIsOver() {
    ManualClock clock = new ManualClock();
    DynamoDbSinkSession session =
        session(context, clock, "row.tombstone.retention.ms", Long.toString(RETENTION.toMillis()));
    putAll(session, rows.upsert(0, "row.txt", 7, "u", 1L), rows.delete(0, "old.txt", 7));
    clock.pass(Duration.ofSeconds(1));
    session.put(List.of(rows.delete(0, "kept.txt", 7)));
    drain(session, 3);
    clock.pass(RETENTION);
    String[] keys = {"row.txt", "old.txt", "kept.txt"};
    UnexpectedRow[] found =
        Stream.of(keys)
            .map(key -> new UnexpectedRow("[\"%s\"]".formatted(key), ""))
            .toArray(UnexpectedRow[]::new);

    remove(new UnexpectedItems(tables, removal(rows, found), clock));

    assertThat(Stream.of(keys).filter(key -> item(key) != null))
        .containsExactly("row.txt", "kept.txt");
  }

  /** Of the same row, when it is deleted again. */
  @ParameterizedTest
  @ValueSource(strings = {"get", "delete"})
  void neverRemovesATombstoneThatIsWrittenMeanwhile(String before) {
    ManualClock clock = new ManualClock();
    DynamoDbSinkSession session = session(context, clock);
    putAll(session, rows.delete(0, "a.txt", 7));
    clock.pass(Duration.ofDays(20));
    Consumer<String> deleting =
        key -> {
          putAndAwait(session, rows.delete(0, key, 9));
        };

    remove(
        new UnexpectedItems(
            racing(before, deleting), removal(rows, new UnexpectedRow("[\"a.txt\"]", "")), clock));

    assertThat(item("a.txt")).containsEntry("_deleted", true).containsEntry("revision", nine());
  }

  private static Object nine() {
    return BigDecimal.valueOf(9);
  }

  /** The sink itself, or another task of it, at the worst moments. */
  @ParameterizedTest
  @ValueSource(strings = {"get", "delete"})
  void neverRemovesARowThatIsWrittenMeanwhile(String before) {
    FileRows shared = new FileRows(table, 2, "in-place");
    DynamoDbSinkSession session = session();
    putAll(session, shared.upsert(0, "warm-up.txt", 7, "u", 1L));
    Map<String, Object> unversioned = put("a.txt", Map.of("size", 3));
    Map<String, Object> older = put("b.txt", Map.of("revision", 5, "gen", 1));
    UnexpectedRow[] found = {unexpected(shared, unversioned), unexpected(shared, older)};
    writes = shared;
    remove(racing(before, key -> drain(session, key)), removal(shared, found));

    assertThat(item("a.txt")).containsEntry("uploadUser", "sink");
    assertThat(item("b.txt")).containsEntry("uploadUser", "sink");
  }

  private static ItemStore racing(String before, Consumer<String> writing) {
    return (ItemStore)
        Proxy.newProxyInstance(
            ItemStore.class.getClassLoader(),
            new Class<?>[] {ItemStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals(before)) {
                writing.accept(((Map<?, ?>) arguments[1]).get("objectKey").toString());
              }
              try {
                return method.invoke(tables, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private FileRows writes;

  private void drain(DynamoDbSinkSession session, String key) {
    putAndAwait(session, writes.upsert(0, key, 9, "sink", 1L));
  }

  /** Offsets that were committed before say nothing of these. */
  private static void putAndAwait(DynamoDbSinkSession session, SinkRecord record) {
    session.put(List.of(record));
    drainAll(session);
  }
}
