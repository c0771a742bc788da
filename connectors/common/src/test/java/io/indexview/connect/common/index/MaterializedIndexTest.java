package io.indexview.connect.common.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sleepycat.je.DatabaseException;
import com.sleepycat.je.dbi.DbEnvPool;
import io.indexview.connect.common.index.IndexedTopic.IndexState;
import io.indexview.connect.common.index.MaterializedIndex.IndexInUseException;
import io.indexview.connect.common.index.MaterializedIndex.IndexRow;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import java.io.IOError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MaterializedIndexTest {
  private static final NotedState STATE = new NotedState("topic", Map.of(0, 7L), "a");
  private static final Entry ENTRY =
      new Entry(new SourceVersion("1/s", new byte[] {1}), false, List.of(), 5, 6, 7_000, null);

  @TempDir private Path directory;

  private MaterializedIndex<NotedState> open() {
    return MaterializedIndex.open(directory, NotedState.class);
  }

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> keys(List<IndexRow> rows) {
    return rows.stream().map(row -> new String(row.key(), StandardCharsets.UTF_8)).toList();
  }

  @Test
  void refusesADirectoryUntilWhoHasItClosesIt() {
    Path sameByAnotherName = directory.resolve("..").resolve(directory.getFileName());
    try (MaterializedIndex<NotedState> first = open()) {
      assertThatThrownBy(() -> MaterializedIndex.open(sameByAnotherName, NotedState.class))
          .isInstanceOf(IndexInUseException.class)
          .hasMessageContaining("in use by another process or task");
      assertThat(first.state()).isEmpty();
    }
    try (var second = MaterializedIndex.open(sameByAnotherName, NotedState.class)) {
      assertThat(second.state()).isEmpty();
    }
  }

  @Test
  void opensADirectoryThatCouldNotBeOpenedBefore() throws IOException {
    Path settings = Files.writeString(directory.resolve("je.properties"), "je.nonsense=1");
    assertThatThrownBy(this::open).isInstanceOf(IllegalArgumentException.class);
    Files.delete(settings);

    try (MaterializedIndex<NotedState> index = open()) {
      assertThat(index.state()).isEmpty();
    }
  }

  @Test
  void opensADirectoryAgainThatCouldNotBeWritten() {
    MaterializedIndex<NotedState> failed = open();
    failed.reset(STATE);
    DbEnvPool.getInstance()
        .getEnvImpls()
        .forEach(impl -> impl.invalidate(new IOError(new IOException("No space left"))));
    assertThatThrownBy(() -> failed.change(batch -> batch.put(key("b"), ENTRY)))
        .isInstanceOf(DatabaseException.class);
    assertThatThrownBy(failed::close).isInstanceOf(DatabaseException.class);

    try (MaterializedIndex<NotedState> index = open()) {
      assertThat(index.state()).contains(STATE);
    }
  }

  @Test
  void letsGoOfADirectoryWhoseStateItCannotRead() {
    try (var other = MaterializedIndex.open(directory, OtherState.class)) {
      other.reset(new OtherState("topic", Map.of(), 1));
    }
    assertThatThrownBy(this::open)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("%s is damaged; delete the directory", directory.getFileName());
    try (var other = MaterializedIndex.open(directory, OtherState.class)) {
      assertThat(other.state()).isPresent();
    }
  }

  @Test
  void keepsRowsAndStateTogether() {
    try (MaterializedIndex<NotedState> index = open()) {
      index.reset(STATE);
      index.change(
          batch -> {
            batch.put(key("b"), ENTRY);
            batch.state(STATE.withPositions(Map.of(0, 8L)));
            assertThat(batch.entry(key("b"))).contains(ENTRY);
          });
    }
    try (MaterializedIndex<NotedState> index = open()) {
      assertThat(index.state()).contains(new NotedState("topic", Map.of(0, 8L), "a"));
      assertThat(index.entry(key("b"))).contains(ENTRY);
      assertThat(index.entry(key("c"))).isEmpty();
    }
  }

  @Test
  void takesBackEverythingOfAChangeThatFails() {
    try (MaterializedIndex<NotedState> index = open()) {
      index.reset(STATE);
      assertThatThrownBy(
              () ->
                  index.change(
                      batch -> {
                        batch.put(key("b"), ENTRY);
                        batch.state(STATE.withPositions(Map.of(0, 8L)));
                        throw new IllegalStateException("no registry");
                      }))
          .hasMessage("no registry");

      assertThat(index.state()).contains(STATE);
      assertThat(index.entry(key("b"))).isEmpty();
      index.change(batch -> batch.put(key("b"), ENTRY));
      assertThat(index.entry(key("b"))).as("its lock is free").isPresent();
    }
  }

  @Test
  void tellsRowsInTheOrderOfTheirBytes() {
    try (MaterializedIndex<NotedState> index = open()) {
      index.reset(STATE);
      index.change(
          batch -> List.of("é", "b", "a", "b/c").forEach(each -> batch.put(key(each), ENTRY)));

      assertThat(keys(index.rowsAfter(null, 10))).containsExactly("a", "b", "b/c", "é");
      assertThat(keys(index.rowsAfter(key("a"), 2))).containsExactly("b", "b/c");
      assertThat(keys(index.rowsAfter(key("aa"), 1))).containsExactly("b");
      assertThat(index.rowsAfter(key("é"), 1)).isEmpty();
      index.change(batch -> batch.remove(key("b")));
      assertThat(keys(index.rowsAfter(null, 10))).containsExactly("a", "b/c", "é");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2_500})
  void forgetsEveryRowWhenItBeginsAnew(int count) {
    try (MaterializedIndex<NotedState> index = open()) {
      index.reset(STATE);
      index.change(
          batch -> {
            for (int i = 0; i < count; i++) {
              batch.put(key("a" + i), ENTRY);
            }
          });
      index.reset(new NotedState("other", Map.of(), "b"));
      index.change(batch -> batch.put(key("c"), ENTRY));
    }
    try (MaterializedIndex<NotedState> index = open()) {
      assertThat(index.state()).contains(new NotedState("other", Map.of(), "b"));
      assertThat(keys(index.rowsAfter(null, 10))).containsExactly("c");
    }
  }

  record OtherState(String topicId, Map<Integer, Long> positions, long number)
      implements IndexState<OtherState> {
    @Override
    public OtherState withPositions(Map<Integer, Long> next) {
      return new OtherState(topicId, next, number);
    }
  }
}
