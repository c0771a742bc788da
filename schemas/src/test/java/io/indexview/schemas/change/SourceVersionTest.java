package io.indexview.schemas.change;

import static io.indexview.schemas.change.SourceVersion.compareSequences;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SourceVersionTest {

  @ParameterizedTest
  @CsvSource({
    "00, 01, -1",
    "7f, 80, -1",
    "ff, 00, 1",
    "0055, 0056, -1",
    "5500, 55, 0",
    "55, 550001, -1",
    "5501, 55, 1",
    "'', 0000, 0",
    "'', 01, -1"
  })
  void comparesUnsignedAfterRightZeroPadding(String left, String right, int expected) {
    int order = compareSequences(HexFormat.of().parseHex(left), HexFormat.of().parseHex(right));

    assertThat(Integer.signum(order)).isEqualTo(expected);
  }

  @Property(tries = 300)
  void comparesLikePaddedNumbers(
      @ForAll @Size(max = 6) byte[] left, @ForAll @Size(max = 6) byte[] right) {
    int expected =
        new BigInteger(1, Arrays.copyOf(left, 6))
            .compareTo(new BigInteger(1, Arrays.copyOf(right, 6)));

    assertThat(Integer.signum(compareSequences(left, right))).isEqualTo(expected);
  }

  @Property(tries = 300)
  void isEqualWhateverThePadding(@ForAll @Size(max = 6) byte[] sequence) {
    SourceVersion version = new SourceVersion("e", sequence);
    SourceVersion padded = new SourceVersion("e", Arrays.copyOf(sequence, sequence.length + 2));

    assertThat(padded).isEqualTo(version).hasSameHashCodeAs(version);
    assertThat(new SourceVersion("f", sequence)).isNotEqualTo(version);
  }

  @Test
  void comparesValuesByTheirBytesWhereverTheyLie() {
    FramedValue value = new FramedValue(3, new byte[] {1, 2, 3}, 1, 2);

    assertThat(new FramedValue(3, new byte[] {2, 3}, 0, 2))
        .isEqualTo(value)
        .hasSameHashCodeAs(value);
    assertThat(new FramedValue(4, new byte[] {2, 3}, 0, 2)).isNotEqualTo(value);
    assertThat(new FramedValue(3, new byte[] {2, 4}, 0, 2)).isNotEqualTo(value);
    assertThat(value.hashCode())
        .isNotEqualTo(new FramedValue(4, new byte[] {2, 3}, 0, 2).hashCode())
        .isNotEqualTo(new FramedValue(3, new byte[] {2, 4}, 0, 2).hashCode());
    assertThat(value.toString()).doesNotContain("2, 3").contains("2 bytes");
  }

  @Test
  void knowsWhatIsOfEveryRecord() throws MalformedEventException {
    assertThat(Op.ofEvent("u")).isEqualTo(Op.UPDATE);
    assertThatThrownBy(() -> Op.ofEvent("t"))
        .isInstanceOfSatisfying(
            MalformedEventException.class, e -> assertThat(e.isOfEveryRecord()).isTrue());
    assertThatThrownBy(() -> Op.ofEvent("m"))
        .isInstanceOfSatisfying(
            MalformedEventException.class, e -> assertThat(e.isOfEveryRecord()).isFalse())
        .hasMessageContaining("a logical decoding message is no change");
    assertThatThrownBy(() -> Op.ofEvent(null)).hasMessageContaining("\"op\" is null");
  }

  @Test
  void refusesEventsThatContradictThemselves() {
    FramedValue value = new FramedValue(3, new byte[0], 0, 0);

    assertThatThrownBy(() -> new ChangeEvent(Op.DELETE, 0, Origin.Unordered.INSTANCE, value))
        .hasMessage("a delete carries no value");
    assertThatThrownBy(() -> new ChangeEvent(Op.CREATE, 0, Origin.Unordered.INSTANCE, null))
        .hasMessage("op c without a value");
    assertThatThrownBy(() -> Op.ofCode("z")).hasMessageContaining("op \"z\"");
  }
}
