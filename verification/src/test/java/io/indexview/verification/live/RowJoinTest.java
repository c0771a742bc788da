package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowJoinTest {
  private static final int ROWS = 5_000;

  @TempDir private Path directory;

  private static RowImage image(String id) {
    return image(id, 7);
  }

  private static RowImage image(String id, long revision) {
    return new RowImage("of-" + id, OptionalLong.of(revision), ByteBuffer.allocate(16));
  }

  /** A fence keeps what is ahead, however often the row changes. */
  @Test
  void accusesARowThatMovedIfItIsAheadOfAllChanges() {
    TreeSet<String> wrong = new TreeSet<>();
    TreeSet<String> moved = new TreeSet<>();
    try (RowJoin join = new RowJoin(directory.resolve("rows"), 2)) {
      for (long found : List.of(6L, 7L, 8L, 9L)) {
        String id = "found-" + found;
        join.suspect(id, Optional.of(image(id, 7)));
        join.found(id, image(id, found));
        join.moved(id, Optional.of(image(id, 8)));
      }
      join.suspect("deleted", Optional.of(image("deleted", 7)));
      join.found("deleted", image("deleted", 9));
      join.moved("deleted", Optional.empty());

      join.finish(
          new RowJoin.Results() {
            @Override
            public void right(String id, boolean stands) {
              throw new AssertionError(id + " is right");
            }

            @Override
            public void wrong(
                String id, Optional<RowImage> expected, Optional<RowImage> actual, boolean again) {
              assertThat(expected).contains(image(id, 8));
              assertThat(actual).contains(image(id, 9));
              assertThat(again).isTrue();
              wrong.add(id);
            }

            @Override
            public void moved(String id, Optional<RowImage> newest) {
              moved.add(id);
            }
          });
    }
    assertThat(wrong).containsExactly("found-9");
    assertThat(moved).containsExactly("deleted", "found-6", "found-7", "found-8");
  }

  /** More than is buffered. */
  @Test
  void takesActualRowsWhileItPassesOnWhatIsExpected() {
    TreeSet<String> passedOn = new TreeSet<>();
    TreeSet<String> right = new TreeSet<>();
    try (RowJoin join = new RowJoin(directory.resolve("rows"), 2)) {
      for (int i = 0; i < ROWS; i++) {
        join.expect("row-" + i, Optional.of(image("row-" + i)));
      }

      join.forEachExpected(
          id -> {
            passedOn.add(id);
            join.found(id, image(id));
          });
      join.finish(
          new RowJoin.Results() {
            @Override
            public void right(String id, boolean stands) {
              right.add(id);
            }

            @Override
            public void wrong(
                String id, Optional<RowImage> expected, Optional<RowImage> actual, boolean again) {
              throw new AssertionError(id + " is right");
            }

            @Override
            public void moved(String id, Optional<RowImage> newest) {
              throw new AssertionError(id + " did not change");
            }
          });
    }
    assertThat(passedOn).hasSize(ROWS);
    assertThat(right).isEqualTo(passedOn);
    assertThat(directory).isEmptyDirectory();
  }
}
