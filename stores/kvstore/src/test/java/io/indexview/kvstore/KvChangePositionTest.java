package io.indexview.kvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.indexview.kvstore.KvChangePosition.Entry;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KvChangePositionTest {
  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void readsWhatItWrote(@ForAll("positions") KvChangePosition position) {
    assertThat(KvChangePosition.parse(position.toText())).isEqualTo(position);
    assertThat(position.toText()).matches("[!-~]*");
  }

  @Provide
  Arbitrary<KvChangePosition> positions() {
    Arbitrary<String> shard =
        Arbitraries.strings().withChars("aZ09._-").ofMinLength(1).ofMaxLength(36);
    Arbitrary<Long> numbers = Arbitraries.longs().between(0, Long.MAX_VALUE);
    Arbitrary<Entry> entry =
        Combinators.combine(numbers, numbers, Arbitraries.longs())
            .as(
                (one, other, check) ->
                    new Entry(Math.min(one, other), Math.max(one, other), check));
    return Arbitraries.maps(shard, entry)
        .ofMaxSize(4)
        .map(shards -> new KvChangePosition(new TreeMap<>(shards)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rg1 | 'rg1' is not shard:resumeAt:sequence:check",
        "rg1:5 | 'rg1:5' is not",
        "rg1:5:5 | 'rg1:5:5' is not",
        "rg1:5:-5:0 | 'rg1:5:-5:0' is not",
        "rg1:5:5:xyz | 'rg1:5:5:xyz' is not",
        "rg1:5:5:0, | '' is not",
        "r/1:5:5:0 | 'r/1:5:5:0' is not",
        "rg1:5:5:0,rg1:6:6:0 | shard rg1 comes twice",
        "rg1:6:5:0 | resumeAt 6 must be",
        "rg1:5:9223372036854775808:0 | 'rg1:5:9223372036854775808:0' is too large",
      })
  void saysWhatIsWrongWithAText(String text, String problem) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KvChangePosition.parse(text))
        .withMessageContaining("'" + text + "'")
        .withMessageContaining(problem);
  }

  @Test
  void takesNoTextWithoutEnd() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KvChangePosition.parse("rg1:1:1:0,".repeat(10_000)))
        .withMessageContaining("100,000 characters");
  }

  @Test
  void namesNoShardThatItCouldNotRead() {
    Entry entry = new Entry(1, 0);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> KvChangePosition.of("a,b", entry))
        .withMessageContaining("'a,b'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KvChangePosition(new TreeMap<>(Map.of("", entry))));
    assertThatIllegalArgumentException().isThrownBy(() -> new Entry(-1, 0));
  }
}
