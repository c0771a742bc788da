package io.indexview.streams.health;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class RestoreProgressTest {
  private static final TopicPartition FIRST = new TopicPartition("changelog", 0);
  private static final TopicPartition SECOND = new TopicPartition("changelog", 1);

  private final RestoreProgress progress = new RestoreProgress();

  @Test
  void addsUpWhatIsLeftOfAllPartitions() {
    progress.onRestoreStart(FIRST, "store", 10, 110);
    progress.onRestoreStart(SECOND, "store", 0, 50);
    assertThat(progress.partitions()).isEqualTo(2);
    assertThat(progress.offsets()).isEqualTo(150);

    // Of a compacted topic: fewer records than offsets.
    progress.onBatchRestored(FIRST, "store", 99, 7);
    assertThat(progress.offsets()).isEqualTo(60);
  }

  @Test
  void forgetsWhatIsOverOrGivenUp() {
    progress.onRestoreStart(FIRST, "store", 0, 100);
    progress.onRestoreStart(SECOND, "store", 0, 50);
    progress.onRestoreEnd(FIRST, "store", 100);
    progress.onRestoreSuspended(SECOND, "store", 1);
    progress.onBatchRestored(SECOND, "store", 5, 1);

    assertThat(progress.partitions()).isZero();
    assertThat(progress.offsets()).isZero();
  }
}
