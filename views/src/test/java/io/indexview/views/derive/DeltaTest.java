package io.indexview.views.derive;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class DeltaTest {

  @Property(tries = 1000)
  void turnsOldRowsIntoNewOnes(
      @ForAll("rows") List<ViewRow> oldRows, @ForAll("rows") List<ViewRow> newRows) {
    Delta delta = Delta.between(oldRows, newRows);

    Map<ByteBuffer, ViewRow> table = table(oldRows);
    delta.upserts().forEach(row -> table.put(ByteBuffer.wrap(row.keyBody()), row));
    delta.deletes().forEach(row -> table.remove(ByteBuffer.wrap(row.keyBody())));

    assertThat(table).isEqualTo(table(newRows));
    assertThat(delta.upserts()).noneMatch(oldRows::contains);
    assertThat(oldRows).containsAll(delta.deletes());
    assertThat(delta).isEqualTo(Delta.between(List.copyOf(oldRows), List.copyOf(newRows)));
  }

  @Property(tries = 200)
  void emitsNothingForTheSameRows(@ForAll("rows") List<ViewRow> rows) {
    List<ViewRow> copies =
        rows.stream()
            .map(row -> new ViewRow(row.keyBody().clone(), row.valueBody().clone()))
            .toList();

    assertThat(Delta.between(rows, copies)).isSameAs(Delta.NONE);
  }

  @Test
  void keepsTheOrderOfRows() {
    Delta delta =
        Delta.between(
            List.of(row("a", "1"), row("b", "1"), row("c", "1")),
            List.of(row("e", "1"), row("b", "2"), row("d", "1")));

    assertThat(delta.upserts()).containsExactly(row("e", "1"), row("b", "2"), row("d", "1"));
    assertThat(delta.deletes()).containsExactly(row("a", "1"), row("c", "1"));
  }

  @Provide
  Arbitrary<List<ViewRow>> rows() {
    return Arbitraries.maps(
            Arbitraries.strings().withCharRange('a', 'h').ofMinLength(1).ofMaxLength(2),
            Arbitraries.of("1", "2"))
        .ofMaxSize(20)
        .map(
            table ->
                table.entrySet().stream()
                    .map(entry -> row(entry.getKey(), entry.getValue()))
                    .toList());
  }

  private static ViewRow row(String key, String value) {
    return new ViewRow(
        key.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
  }

  private static Map<ByteBuffer, ViewRow> table(List<ViewRow> rows) {
    Map<ByteBuffer, ViewRow> table = new LinkedHashMap<>();
    rows.forEach(row -> table.put(ByteBuffer.wrap(row.keyBody()), row));
    return table;
  }
}
