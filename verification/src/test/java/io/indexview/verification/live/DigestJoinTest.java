package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.verification.RowContent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Joins at random, beside maps. */
class DigestJoinTest {
  /** More than is read at once. */
  private static final int MANY = 700_000;

  private final Map<String, Optional<RowContent>> expected = new HashMap<>();
  private final Map<String, byte[]> actual = new HashMap<>();
  private final Map<String, Optional<RowContent>> moved = new HashMap<>();

  @Property(tries = 300)
  void joinFindsTheSameAsAComparisonOfMaps(@ForAll(supplier = Seeds.class) long seed)
      throws IOException {
    Random random = new Random(seed);
    int ids = 1 + random.nextInt(200);
    compare(
        1 + random.nextInt(4),
        join -> {
          for (int i = random.nextInt(3 * ids); i > 0; i--) {
            expect(join, "id-" + random.nextInt(ids), random);
          }
          for (int id = 0; id < ids; id++) {
            if (random.nextInt(4) > 0) {
              find(join, "id-" + id, random);
            }
          }
          for (int i = random.nextInt(1 + ids / 4); i > 0; i--) {
            move(join, "id-" + random.nextInt(ids), random);
          }
        });
  }

  @Example
  void takesRowsLargerThanItsBuffers() throws IOException {
    Random random = new Random(0);
    compare(
        2,
        join -> {
          for (int i = 0; i < 20; i++) {
            String id = "é".repeat(random.nextInt(MANY)) + i;
            expect(join, id, random);
            if (random.nextBoolean()) {
              find(join, id, random);
            }
          }
        });
  }

  @Example
  void emptyJoinReportsNothing() throws IOException {
    compare(3, join -> {});
  }

  private void expect(DigestJoin join, String id, Random random) {
    Optional<RowContent> row = row(id, random);
    join.expect(id, row);
    expected.put(id, row);
  }

  private void move(DigestJoin join, String id, Random random) {
    Optional<RowContent> row = row(id, random);
    join.moved(id, row);
    moved.put(id, row);
  }

  private void find(DigestJoin join, String id, Random random) {
    byte[] content = content(random);
    join.found(id, content);
    actual.put(id, content);
  }

  private static Optional<RowContent> row(String id, Random random) {
    return random.nextInt(4) == 0
        ? Optional.empty()
        : Optional.of(
            new RowContent(
                id,
                "of-" + random.nextInt(9),
                random.nextBoolean() ? OptionalLong.of(random.nextLong()) : OptionalLong.empty(),
                content(random)));
  }

  private static byte[] content(Random random) {
    return random.nextInt(5) == 0 ? new byte[0] : new byte[] {(byte) random.nextInt(2)};
  }

  private interface Filling {
    void fill(DigestJoin join);
  }

  private void compare(int partitions, Filling filling) throws IOException {
    List.of(expected, actual, moved).forEach(Map::clear);
    Path directory = Files.createTempDirectory("digest-join");
    Reported reported = new Reported();
    try (DigestJoin join = new DigestJoin(directory.resolve("rows"), partitions)) {
      filling.fill(join);
      join.finish(reported);
    }
    assertThat(directory).isEmptyDirectory();
    Files.delete(directory);

    Reported should = new Reported();
    moved.forEach((id, row) -> should.moved(id, row.map(RowImage::of)));
    for (String id : ids()) {
      Optional<RowContent> row = expected.getOrDefault(id, Optional.empty());
      Optional<String> content = row.map(one -> text(one.content()));
      if (!content.equals(Optional.ofNullable(actual.get(id)).map(DigestJoinTest::text))) {
        should.suspect(id, row.map(RowImage::of));
      } else {
        should.right(row.isPresent());
      }
    }
    assertThat(reported.suspects).isEqualTo(should.suspects);
    assertThat(reported.moved).isEqualTo(should.moved);
    assertThat(reported.right).isEqualTo(should.right);
  }

  /** Those that did not move. */
  private List<String> ids() {
    List<String> ids = new ArrayList<>(expected.keySet());
    actual.keySet().stream().filter(id -> !expected.containsKey(id)).forEach(ids::add);
    ids.removeAll(moved.keySet());
    return ids;
  }

  private static String text(byte[] content) {
    return new String(content, StandardCharsets.ISO_8859_1);
  }

  private static final class Reported implements DigestJoin.Results {
    private final Map<Boolean, Integer> right = new TreeMap<>();
    private final Map<String, Optional<RowImage>> suspects = new TreeMap<>();
    private final Map<String, Optional<RowImage>> moved = new TreeMap<>();

    @Override
    public void right(boolean stands) {
      right.merge(stands, 1, Integer::sum);
    }

    @Override
    public void suspect(String id, Optional<RowImage> row) {
      assertThat(suspects.put(id, row)).isNull();
    }

    @Override
    public void moved(String id, Optional<RowImage> newest) {
      assertThat(moved.put(id, newest)).isNull();
    }
  }
}
