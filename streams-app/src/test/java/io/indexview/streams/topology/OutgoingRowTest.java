package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.topology.TaskForwarder.OutgoingRow;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OutgoingRowTest {
  @Test
  void sendsARowToThePartitionOfItsRecordWhateverItsKey() {
    for (int partition = 0; partition < 8; partition++) {
      OutgoingRow row = new OutgoingRow("view", partition, new byte[] {(byte) (partition * 31)});
      assertThat(row.partitionOf(8)).contains(Set.of(partition));
    }
  }

  @Test
  void sendsNothingToATopicThatSomebodyElseMadeTooSmall() {
    assertThat(new OutgoingRow("view", 4, new byte[0]).partitionOf(4)).contains(Set.of());
  }
}
