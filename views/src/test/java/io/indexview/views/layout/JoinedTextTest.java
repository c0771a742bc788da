package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.views.layout.IndexKey.JoinedText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class JoinedTextTest {

  @Property(tries = 3000)
  void ordersAsTheTextsOneAfterTheOther(
      @ForAll("texts") List<String> left, @ForAll("texts") List<String> right) {
    int expected = 0;
    for (int i = 0; i < left.size() && expected == 0; i++) {
      expected = compareUtf8(left.get(i), right.get(i));
    }

    int actual = compareUtf8(JoinedText.join(left), JoinedText.join(right));

    assertThat(Integer.signum(actual)).isEqualTo(Integer.signum(expected));
  }

  @Property(tries = 2000)
  void givesTextsBack(@ForAll("texts") List<String> texts) {
    String joined = JoinedText.join(texts);

    assertThat(joined).isNotEmpty();
    assertThat(JoinedText.split(joined)).isEqualTo(texts);
    assertThat(joined).startsWith(JoinedText.prefix(texts.subList(0, 2)));
  }

  @Test
  void keepsTheEmptyTextApart() {
    assertThat(JoinedText.join(List.of(""))).isEqualTo("\n");
    assertThat(JoinedText.split("\n")).containsExactly("");
    assertThat(JoinedText.join(List.of("", ""))).isEqualTo("\t");
  }

  @Test
  void refusesWhatItNeverWrites() {
    for (String text : List.of("a\n", "\nz", "\n ")) {
      assertThatThrownBy(() -> JoinedText.split(text)).isInstanceOf(LayoutException.class);
    }
  }

  @Provide
  Arbitrary<List<String>> texts() {
    return Arbitraries.strings()
        .withChars('\t', '\n', '\u0000', '\u0008', '\u000b', ' ', 'I', 'J', '@', 'z', 'é', '\uffff')
        .ofMaxLength(4)
        .list()
        .ofSize(3);
  }

  private static int compareUtf8(String left, String right) {
    return Arrays.compareUnsigned(
        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }
}
