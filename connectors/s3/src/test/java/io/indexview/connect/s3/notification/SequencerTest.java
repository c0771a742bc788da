package io.indexview.connect.s3.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.s3.notification.ObjectEvent.Sequencer;
import io.indexview.schemas.change.SourceVersion;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
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

  /**
   * Sequencers as Ceph prints them, of times that rise: the first is the sample of its event record
   * (2019-11-22T13:47:35.147931847Z), then a nanosecond, a second and a carry later.
   */
  @Example
  void ordersCephsAsTheTimesThatTheyAre() {
    List<String> rising =
        Stream.of("F7E6D75DC742D108", "F7E6D75DC842D108", "F8E6D75D00000000", "00E7D75D00000000")
            .map(Sequencer::ofCeph)
            .toList();

    assertThat(rising).isSorted();
    assertThat(rising.get(0)).isEqualTo("5DD7E6F708D142C7");
    assertThat(Long.parseLong(rising.get(0).substring(0, 8), 16))
        .isEqualTo(Instant.parse("2019-11-22T13:47:35Z").getEpochSecond());
  }
}
