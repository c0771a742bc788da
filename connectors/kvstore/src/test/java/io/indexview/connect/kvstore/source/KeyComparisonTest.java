package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvKey;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyComparisonTest {
  /** What other producers may have put on the change topic. */
  @ParameterizedTest
  @ValueSource(strings = {"", "no path", "/Other/people/1", "/Corporate/%70eople/1"})
  void leavesKeysAloneThatAreNotOfItsRecordSet(String key) {
    assertThat(KeyComparison.ownKey(People.RECORD_SET, key)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {KvKey.MAX_SERIALIZED_BYTES, 1 << 20})
  void leavesKeysAloneThatNoStoreTakes(int length) {
    String key = "/Corporate/people/" + "x".repeat(length);
    assertThat(KeyComparison.ownKey(People.RECORD_SET, key)).isEmpty();
  }
}
