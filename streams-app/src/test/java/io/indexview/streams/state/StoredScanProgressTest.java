package io.indexview.streams.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.streams.state.StoredScanProgress.Phase;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class StoredScanProgressTest {

  @Property(tries = 300)
  void encodedProgressIsDecodedEqual(@ForAll("states") StoredScanProgress state) {
    assertThat(StoredScanProgress.decode(state.encode()))
        .usingRecursiveComparison()
        .isEqualTo(state);
  }

  @Property(tries = 100)
  void refusesBytesThatWereCut(@ForAll("states") StoredScanProgress state) {
    byte[] whole = state.encode();

    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> StoredScanProgress.decode(cut))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("damaged");
    }
  }

  @Test
  void keepsItsFormat() {
    StoredScanProgress state =
        new StoredScanProgress(
            Phase.RUNNING, new byte[] {7, 8}, 64, new RowCounts(3, 200, 1, "too many"), "x");

    assertThat(HexFormat.of().formatHex(state.encode()))
        .isEqualTo(
            "01" + "01" + "030708" + "8001" + "06" + "9003" + "02" + "08746f6f206d616e79" + "0178");
  }

  @Test
  void namesBothFormatsWhenANewerReleaseWroteTheState() {
    assertThatThrownBy(() -> StoredScanProgress.decode(new byte[] {2, 0}))
        .hasMessageContainingAll("format 2", "reads format 1");
  }

  @Provide
  Arbitrary<StoredScanProgress> states() {
    Arbitrary<Long> numbers = Arbitraries.longs().greaterOrEqual(0);
    Arbitrary<String> reasons = Arbitraries.strings().ofMaxLength(20);
    Arbitrary<RowCounts> counts =
        Combinators.combine(numbers, numbers, numbers, reasons).as(RowCounts::new);
    Arbitrary<byte[]> cursors = Arbitraries.bytes().array(byte[].class).ofMaxSize(20);
    return Combinators.combine(
            Arbitraries.of(Phase.class), cursors.injectNull(0.3), numbers, counts, reasons)
        .as(StoredScanProgress::new);
  }
}
