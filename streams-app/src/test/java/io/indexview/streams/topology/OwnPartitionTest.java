package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnPartitionTest {
  private final OwnPartition partitioner = new OwnPartition();

  @Test
  void sendsARowToThePartitionOfItsRecordWhateverItsKey() {
    for (int partition = 0; partition < 8; partition++) {
      OutgoingRow row = new OutgoingRow("view", partition, new byte[] {(byte) (partition * 31)});
      assertThat(partitioner.partitions("view", row, new byte[1], 8)).contains(Set.of(partition));
      assertThat(partitioner.partitions("view", row, null, 8)).contains(Set.of(partition));
    }
  }

  @Test
  void refusesAViewTopicWithFewerPartitions() {
    assertThatThrownBy(
            () -> partitioner.partitions("view", new OutgoingRow("view", 4, new byte[0]), null, 4))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("topic view has 4 partitions");
  }
}
