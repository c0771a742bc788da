package io.indexview.connect.common.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.SourceState.Scan;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScanFieldsTest {
  private static final Scan SCAN =
      new Scan(
          3,
          100,
          200,
          42,
          true,
          7,
          Optional.of(new KeyScope("/people", ".lob")),
          Map.of(0, 5L, 1, 0L),
          Map.of(0, 9L, 1, 8L));
  private static final ScanFields FIELDS = new ScanFields("last.", "number");

  private static Map<String, Object> offset() {
    Map<String, Object> offset = new HashMap<>();
    FIELDS.put(SCAN, offset);
    return offset;
  }

  @Test
  void encodedScanIsDecodedEqual() {
    assertThat(FIELDS.get(offset())).isEqualTo(SCAN);
    assertThat(FIELDS.isIn(offset())).isTrue();
    assertThat(FIELDS.isIn(Map.of("number", 3L))).isFalse();
  }

  @Test
  void encodedScanKeepsTheMinorPathsOfItsScope() {
    KeyScope scope = new KeyScope("/people", null, List.of("/-", "/-/keys/public,old"));
    Scan scan = new Scan(1, 1, 1, 0, false, 0, Optional.of(scope), Map.of(), Map.of());
    Map<String, Object> offset = new HashMap<>();
    FIELDS.put(scan, offset);
    assertThat(FIELDS.get(offset)).isEqualTo(scan);
  }

  @Test
  void scanIsDecodedFromNumbersOfAnySize() {
    Map<String, Object> offset = offset();
    offset.put("last.number", 3);
    assertThat(FIELDS.get(offset)).isEqualTo(SCAN);
  }

  @Test
  void scanIsDecodedWithoutTheFieldsThatMayBeMissing() {
    Map<String, Object> kvstore = offset();
    kvstore.remove("last.request");
    kvstore.remove("last.scope");
    kvstore.remove("last.scopeExcept");
    kvstore.put("last.adHoc", false);
    assertThat(FIELDS.get(kvstore))
        .isEqualTo(
            new Scan(3, 100, 200, 42, false, 0, Optional.empty(), SCAN.begins(), SCAN.ends()));

    kvstore.remove("last.adHoc");
    kvstore.remove("last.begins");
    assertThat(FIELDS.get(kvstore))
        .isEqualTo(
            new Scan(
                3, 100, 200, 42, false, 0, Optional.empty(), Map.of(0, 0L, 1, 0L), SCAN.ends()));
  }

  @Test
  void encodedScanWithoutPartitionsIsDecodedEqual() {
    Scan nothing = new Scan(1, 1, 1, 0, false, 0, Optional.empty(), Map.of(), Map.of());
    Map<String, Object> offset = new HashMap<>();
    FIELDS.put(nothing, offset);
    assertThat(FIELDS.get(offset)).isEqualTo(nothing);
  }

  @ParameterizedTest
  @CsvSource({
    "last.number, -1",
    "last.startedAt, soon",
    "last.adHoc, perhaps",
    "last.request, none",
    "last.begins, 0:1:2",
    "last.begins, 0:1",
    "last.ends, 0-9",
    "last.ends, '0:9,'"
  })
  void namesTheFieldThatIsWrong(String field, String value) {
    Map<String, Object> offset = offset();
    offset.put(field, field.endsWith("number") ? Long.valueOf(value) : value);
    String named = value.equals("0:1") ? "last.ends" : field;
    assertThatThrownBy(() -> FIELDS.get(offset))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(named);
  }

  @Test
  void namesTheFieldThatIsMissing() {
    Map<String, Object> offset = offset();
    offset.remove("last.ends");
    assertThatThrownBy(() -> FIELDS.get(offset)).hasMessageContaining("last.ends: missing");
  }
}
