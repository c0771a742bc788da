package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.ViewRepair.Repaired;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class KafkaRepairRequestsTest {
  private static final int MAX_RECORD = 1_000_000;

  @Test
  void asksInPartsForTheRowsOfARecordThatNoRecordOfATopicTakes() {
    List<byte[]> extraRows = new ArrayList<>();
    for (int row = 0; row < 1_000; row++) {
      extraRows.add(new byte[1_200 + row]);
    }

    List<Repaired> parts = KafkaRepairRequests.parts("7", 3, extraRows);

    List<byte[]> found = new ArrayList<>();
    for (Repaired part : parts) {
      assertThat(part.primaryKey()).isEqualTo("7");
      assertThat(part.above()).isEqualTo(3);
      assertThat(part.extraRows().stream().mapToInt(key -> key.length).sum())
          .isBetween(1, MAX_RECORD);
      found.addAll(part.extraRows());
    }
    assertThat(found).isEqualTo(extraRows);
  }

  /** Its rows are written anew. */
  @Test
  void asksOnceForARecordWithoutExtraRows() {
    assertThat(KafkaRepairRequests.parts("7", 0, Collections.emptyList()))
        .singleElement()
        .satisfies(part -> assertThat(part.extraRows()).isEmpty());
  }
}
