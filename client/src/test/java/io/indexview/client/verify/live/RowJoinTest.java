package io.indexview.client.verify.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowJoinTest {
  private static final int ROWS = 5_000;

  @TempDir private Path directory;

  private static RowImage image(String id) {
    return new RowImage("of-" + id, OptionalLong.of(7), ByteBuffer.allocate(16));
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
