package io.indexview.kvstore.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvKey;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class KeyCodecTest {
  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void keepsOrderAndContent(@ForAll("keys") KvKey one, @ForAll("keys") KvKey other) {
    byte[] left = KeyCodec.encode(one);
    byte[] right = KeyCodec.encode(other);

    assertThat(KeyCodec.decode(left)).isEqualTo(one);
    assertThat(Integer.signum(Arrays.compareUnsigned(left, right)))
        .isEqualTo(Integer.signum(one.compareTo(other)));
  }

  @Provide
  Arbitrary<KvKey> keys() {
    Arbitrary<String> component =
        Arbitraries.oneOf(
            Arbitraries.of("", "a", "ab", "a\u0001", "\u0000", "a\u0000", "\u0001", "\uD83D\uDE00"),
            Arbitraries.strings()
                .withChars('\u0000', '\u0002', 'a', '\u0080', '\uFFFF')
                .ofMaxLength(3));
    return Combinators.combine(
            component.list().ofMinSize(1).ofMaxSize(3), component.list().ofMaxSize(3))
        .as(KvKey::new);
  }
}
