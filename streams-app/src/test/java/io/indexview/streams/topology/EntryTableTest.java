package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class EntryTableTest {
  private final EntryTable table = new EntryTable();

  private void add(int hash, int place) {
    if (table.isFull()) {
      table.grow();
    }
    table.add(hash, place);
  }

  private static List<Integer> places(EntryTable table, int hash) {
    List<Integer> places = new ArrayList<>();
    for (int slot = table.first(hash); slot != EntryTable.NONE; slot = table.next(slot)) {
      places.add(table.place(slot));
    }
    return places;
  }

  @Test
  void takesNothingWhileItIsEmpty() {
    assertThat(table.bytes()).isZero();
    assertThat(table.isFull()).isTrue();
    assertThat(places(table, 5)).isEmpty();
  }

  @Test
  void findsAllPlacesOfOneHash() {
    add(7, 0);
    add(7, Integer.MAX_VALUE - 1);
    add(7 + 16, 3);
    add(7, 9);

    assertThat(places(table, 7)).containsExactly(0, Integer.MAX_VALUE - 1, 9);
    assertThat(places(table, 7 + 16)).containsExactly(3);
    assertThat(places(table, 8)).isEmpty();
  }

  @Test
  void refusesToRemoveOrMoveAnEntryThatIsMissing() {
    add(15, 1);

    assertThatThrownBy(() -> table.remove(15, 2))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no entry at place 2");
    assertThatThrownBy(() -> table.move(0, 1, 2)).isInstanceOf(IllegalStateException.class);
    assertThat(places(table, 15)).containsExactly(1);
  }

  @Test
  void saysHowMuchMoreItWillTake() {
    for (int i = 0; i < 100; i++) {
      long larger = table.bytes() + table.growth();
      if (table.isFull()) {
        table.grow();
        assertThat(table.bytes()).isEqualTo(larger);
      }
      table.add(i, i);
    }
    table.clear();
    assertThat(table.bytes()).isZero();
    assertThat(table.count()).isZero();
  }

  /** Few hashes, which lie beside each other across the end of the slots. */
  @Property(tries = 60)
  void tableHoldsExactlyWhatWasPut(@ForAll long seed) {
    Random random = new Random(seed);
    EntryTable tried = new EntryTable();
    Map<Integer, List<Integer>> model = new HashMap<>();
    int next = 0;
    for (int step = 0; step < 300; step++) {
      int hash = random.nextInt(6) - 3;
      List<Integer> places = model.computeIfAbsent(hash, unused -> new ArrayList<>());
      int kind = random.nextInt(5);
      if (kind < 3 || places.isEmpty()) {
        if (tried.isFull()) {
          tried.grow();
        }
        tried.add(hash, next);
        places.add(next++);
      } else if (kind == 3) {
        tried.remove(hash, places.remove(random.nextInt(places.size())));
      } else {
        int index = random.nextInt(places.size());
        tried.move(hash, places.get(index), next);
        places.set(index, next++);
      }
      model.forEach(
          (each, wanted) ->
              assertThat(places(tried, each)).containsExactlyInAnyOrderElementsOf(wanted));
      assertThat(tried.count()).isEqualTo(model.values().stream().mapToInt(List::size).sum());
    }
  }
}
