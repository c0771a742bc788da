package io.indexview.views.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.views.filter.TextFunctions.TextSearch;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;

class TextSearchPropertyTest {

  @Property(tries = 300)
  void findsWhatThePlatformFinds(
      @ForAll @CharRange(from = 'a', to = 'b') @StringLength(max = 12) String unit,
      @ForAll @CharRange(from = 'a', to = 'b') @StringLength(max = 12) String end) {
    String text = (unit + end).repeat(2_000) + unit;

    for (String part : new String[] {unit.repeat(60), unit.repeat(60) + end, end + unit + "c"}) {
      assertThat(TextSearch.contains(text, part)).isEqualTo(text.contains(part));
      assertThat(TextSearch.contains(text + part, part)).isTrue();
      assertThat(TextSearch.contains(part, text)).isEqualTo(part.contains(text));
    }
  }
}
