package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.read.StoredView.TestRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What reading gives, compared with a plain filter over all rows. */
final class ReadingProperties {
  private static final int ROWS = 30;
  private static final int QUERIES = 6;
  private static final int MAX_PAGE_BYTES = 500;

  private final StoredView stored;
  private final RandomRows random;
  private final IndexViewReader reader;

  /** Its pages end at their bytes, too. */
  private final IndexViewReader bounded;

  ReadingProperties(StoredView stored, RandomRows random) {
    this.stored = stored;
    this.random = random;
    this.reader = stored.reader(StoredView.LOOKING);
    int bytes = 1 + random.random().nextInt(MAX_PAGE_BYTES);
    this.bounded = stored.reader(StoredView.LOOKING.withMaxPageBytes(bytes));
    stored.prepare(random.generation());
    stored.serve(random.generation());
  }

  /** What identifies a row. */
  private record Id(Map<String, Object> key, String primaryKey) {}

  private static Id id(TestRow row) {
    return new Id(row.key(), row.primaryKey());
  }

  private static Id id(RowPage.Row row) {
    return new Id(row.key(), row.primaryKey());
  }

  void answersAsAPlainFilterDoes() {
    List<TestRow> rows = random.rows(ROWS, "p");
    rows.forEach(row -> stored.put(random.generation(), row, 7));
    if (random.holdsTombstones()) {
      random.rows(5, "gone").forEach(row -> stored.mark(random.generation(), row, 9));
    }
    for (int i = 0; i < QUERIES; i++) {
      RandomRows.Asked asked = random.ask(rows);
      ViewQuery query = random.query(asked);
      List<Id> expected = ids(random.answer(rows, asked, query.descending()));

      RowPage all = reader.read(query.withLimit(1_000));

      assertThat(all.next()).isNull();
      List<Id> found = all.rows().stream().map(ReadingProperties::id).toList();
      assertThat(found).as("%s", query).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(keys(found)).as("%s", query).isEqualTo(keys(expected));
      for (int size = 1; size <= 1 + found.size(); size += 1 + random.random().nextInt(3)) {
        assertThat(paged(reader, query.withLimit(size), page -> {}))
            .as("%s", query)
            .isEqualTo(found);
      }
      assertThat(paged(bounded, query.withLimit(1 + random.random().nextInt(ROWS)), page -> {}))
          .as("%s", query)
          .isEqualTo(found);
    }
  }

  void givesEachRowOnceWhileOthersComeAndGo() {
    List<TestRow> rows = random.rows(ROWS, "p");
    rows.forEach(row -> stored.put(random.generation(), row, 7));
    RandomRows.Asked asked = random.ask(rows);
    ViewQuery query = random.query(asked);
    List<Id> expected =
        reader.read(query.withLimit(1_000)).rows().stream().map(r -> id(r)).toList();
    List<TestRow> others = random.rows(ROWS, "other");
    Random chance = random.random();

    List<Id> found =
        paged(
            chance.nextBoolean() ? reader : bounded,
            query.withLimit(1 + chance.nextInt(4)),
            page -> {
              for (RowPage.Row row : page.rows()) {
                if (chance.nextBoolean()) {
                  stored.delete(
                      random.generation(), new TestRow(row.key(), row.primaryKey(), Map.of()));
                }
              }
              for (TestRow other : others) {
                if (chance.nextInt(4) == 0) {
                  stored.put(random.generation(), other, 8);
                } else if (chance.nextInt(4) == 0) {
                  stored.delete(random.generation(), other);
                }
              }
            });

    assertThat(found).as("%s", query).doesNotHaveDuplicates();
    List<Id> strangers = ids(others);
    assertThat(found.stream().filter(id -> !strangers.contains(id)).toList())
        .as("%s", query)
        .isEqualTo(expected);
  }

  private interface BetweenPages {
    void after(RowPage page);
  }

  private static List<Id> paged(IndexViewReader reader, ViewQuery query, BetweenPages between) {
    List<Id> found = new ArrayList<>();
    String token = null;
    do {
      RowPage page = reader.read(query.from(token));
      assertThat(page.rows().size()).isLessThanOrEqualTo(query.limit());
      if (page.next() != null) {
        assertThat(page.rows()).as("%s", query).isNotEmpty();
      }
      page.rows().forEach(row -> found.add(id(row)));
      between.after(page);
      token = page.next();
    } while (token != null);
    return found;
  }

  private static List<Id> ids(List<TestRow> rows) {
    return rows.stream().map(ReadingProperties::id).toList();
  }

  private static List<Map<String, Object>> keys(List<Id> ids) {
    return ids.stream().map(Id::key).toList();
  }
}
