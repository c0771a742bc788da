package io.indexview.connect.s3.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.SourceVersion;
import java.util.Locale;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;

class SequencerTest {

  @Property(tries = 500)
  void ordersBytesAsTextThatIsPaddedOnTheRight(
      @ForAll
          @StringLength(min = 1, max = 20)
          @CharRange(from = '0', to = '9')
          @CharRange(from = 'A', to = 'F')
          String left,
      @ForAll
          @StringLength(min = 1, max = 20)
          @CharRange(from = '0', to = '9')
          @CharRange(from = 'A', to = 'F')
          String right) {
    int expected = Integer.signum(padded(left).compareTo(padded(right)));

    int actual = SourceVersion.compareSequences(Sequencer.decode(left), Sequencer.decode(right));

    assertThat(Integer.signum(actual)).isEqualTo(expected);
  }

  private static String padded(String hex) {
    return hex + "0".repeat(20 - hex.length());
  }

  @Example
  void readsBothCases() {
    assertThat(Sequencer.decode("0055AED6DCD90281E"))
        .isEqualTo(Sequencer.decode("0055AED6DCD90281E0".toLowerCase(Locale.ROOT)));
  }

  @Example
  void refusesWhatIsNoNumber() {
    assertThatThrownBy(() -> Sequencer.decode("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Sequencer.decode("0G")).isInstanceOf(IllegalArgumentException.class);
  }
}
