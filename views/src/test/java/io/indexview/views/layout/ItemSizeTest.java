package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.views.layout.ItemSize.ItemLimits;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ItemSizeTest {

  static Stream<Arguments> values() {
    return Stream.of(
        Arguments.of("", 0),
        Arguments.of("abc", 3),
        Arguments.of("äß€", 7),
        Arguments.of(new byte[5], 5),
        Arguments.of(true, 1),
        Arguments.of(0L, 1),
        Arguments.of(7L, 2),
        Arguments.of(-12L, 2),
        Arguments.of(123L, 3),
        Arguments.of(1_200_000L, 2),
        Arguments.of(0.25, 2),
        Arguments.of(new BigDecimal("12345678901234567890123456789012345678"), 20),
        Arguments.of(List.of(), 3),
        Arguments.of(List.of(1L, "ab"), 3 + 3 + 3),
        Arguments.of(Arrays.asList("a", null), 3 + 2 + 2),
        Arguments.of(Map.of("k", "ab"), 3 + 1 + 1 + 2));
  }

  @ParameterizedTest
  @MethodSource("values")
  void countsAsTheServiceDoes(Object value, int bytes) {
    assertThat(ItemSize.of(Map.of("name", value))).isEqualTo(4 + bytes);
  }

  @ParameterizedTest
  @MethodSource("values")
  void isNeverMoreThanTheCheapBound(Object value, int bytes) {
    Map<String, Object> item = Map.of("name", value);

    assertThat(ItemSize.isAtMost(4 + bytes - 1, item)).isFalse();
  }

  @Test
  void takesALongListOfSmallNumbersForWhatItIs() {
    Map<String, Object> item = Map.of("n", Collections.nCopies(20_000, 12L));

    assertThat(ItemSize.of(item)).isLessThan(100_000);
    new ItemLimits(
            new DynamoDbLayout.Table(
                "t",
                new DynamoDbLayout.KeyAttribute("id", DynamoDbLayout.AttributeType.S),
                null,
                List.of()))
        .checkItem(item);
  }
}
