package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.schemas.control.ViewVerification.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnexpectedRowsTest {
  @Test
  void givesATombstoneADigestThatNoContentHas(@TempDir Path directory) {
    List<UnexpectedRow> rows = new ArrayList<>();
    try (UnexpectedRows unexpected = new UnexpectedRows(directory.resolve("unexpected"))) {
      unexpected.keep(true);
      unexpected.add(Kind.EXPIRED_TOMBSTONE, "a", UnexpectedRow.NO_CONTENT);
      unexpected.add(Kind.UNDECODABLE, "b", UnexpectedRow.digest(new byte[0]));
      unexpected.forEach((kind, row) -> rows.add(row));
    }

    assertThat(rows).extracting(row -> row.holds(new byte[0])).containsExactly(false, true);
  }
}
