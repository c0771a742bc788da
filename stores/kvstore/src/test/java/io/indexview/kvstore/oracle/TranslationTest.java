package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvDurability;
import oracle.kv.Durability;
import oracle.kv.Durability.ReplicaAckPolicy;
import oracle.kv.Durability.SyncPolicy;
import org.junit.jupiter.api.Test;

class TranslationTest {
  /** A master and a replica that crash must not take with them what nobody writes again. */
  @Test
  void hasWritesOnTheDisksOfAMajority() {
    Durability sync = Translation.durability(KvDurability.SYNC);

    assertThat(sync.getMasterSync()).isEqualTo(SyncPolicy.SYNC);
    assertThat(sync.getReplicaSync()).isEqualTo(SyncPolicy.SYNC);
    assertThat(sync.getReplicaAck()).isEqualTo(ReplicaAckPolicy.SIMPLE_MAJORITY);
  }

  @Test
  void hasWritesOutOfTheProcessesOfAMajority() {
    Durability writeNoSync = Translation.durability(KvDurability.WRITE_NO_SYNC);

    assertThat(writeNoSync.getMasterSync()).isEqualTo(SyncPolicy.WRITE_NO_SYNC);
    assertThat(writeNoSync.getReplicaSync()).isEqualTo(SyncPolicy.WRITE_NO_SYNC);
    assertThat(writeNoSync.getReplicaAck()).isEqualTo(ReplicaAckPolicy.SIMPLE_MAJORITY);
  }
}
