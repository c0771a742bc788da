package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.views.layout.KvPath.PrimaryKeyPath;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrimaryKeyPathTest {

  @ParameterizedTest
  @CsvSource({
    "/Corporate/people/-/10012, 'Corporate,people,-,10012'",
    "bucket/dir/file.txt, ',bucket,dir,file.txt'",
    "//x, ',,,x'",
    "plain, ',plain'",
    "/a/, 'a,'"
  })
  void splitsKeysIntoSteps(String primaryKey, String components) {
    assertThat(PrimaryKeyPath.split(primaryKey)).isEqualTo(List.of(components.split(",", -1)));
  }

  @Property(tries = 2000)
  void givesAnyKeyBack(
      @ForAll @Chars({'/', '-', '%', 'a', '\t', '\u0000'}) @StringLength(max = 8) String key) {
    List<String> components = PrimaryKeyPath.split(key);

    assertThat(components).isNotEmpty().noneMatch(component -> component.contains("/"));
    assertThat(PrimaryKeyPath.join(components)).isEqualTo(key);
  }

  @Property(tries = 2000)
  void neverSplitsTwoKeysAlike(
      @ForAll @Chars({'/', 'a'}) @StringLength(max = 5) String one,
      @ForAll @Chars({'/', 'a'}) @StringLength(max = 5) String two) {
    assertThat(PrimaryKeyPath.split(one).equals(PrimaryKeyPath.split(two)))
        .isEqualTo(one.equals(two));
  }
}
