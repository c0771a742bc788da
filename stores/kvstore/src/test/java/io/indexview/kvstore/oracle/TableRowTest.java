package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import java.util.UUID;
import oracle.kv.Value;
import oracle.kv.Version;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The store tells by a value's first byte what wrote it: nothing known, a table, its bindings. */
class TableRowTest {
  @ParameterizedTest
  @CsvSource({"0, false, 1", "1, true, 1", "2, true, 1", "-127, false, 2"})
  void isKnownByTheFormatOfItsValue(byte first, boolean tableRow, int length) {
    Value value = Value.fromByteArray(new byte[] {first, 5});

    KvRecord record =
        Translation.record(KvKey.ofMajor("a"), value, new Version(UUID.randomUUID(), 7));

    assertThat(record.tableRow()).isEqualTo(tableRow);
    assertThat(record.value()).hasSize(length);
    assertThat(record.version().vlsn()).isEqualTo(7);
  }
}
