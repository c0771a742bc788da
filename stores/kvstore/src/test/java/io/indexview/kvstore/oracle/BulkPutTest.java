package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BulkPutTest {
  @ParameterizedTest
  @CsvSource({"1, 3", "79, 3", "80, 4", "200, 10", "100000, 10"})
  void hasMoreRequestsAtOnceForMoreRecords(int records, int requests) {
    assertThat(BulkPut.options(records).getPerShardParallelism()).isEqualTo(requests);
  }

  @Test
  void replacesWhatIsThere() {
    assertThat(BulkPut.options(1).getOverwrite()).isTrue();
  }
}
