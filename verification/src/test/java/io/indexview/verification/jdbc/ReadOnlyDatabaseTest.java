package io.indexview.verification.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.verification.jdbc.ReadOnlyDatabase.ReplicaException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;

class ReadOnlyDatabaseTest {
  /** A verification that has read rows waits for what is transient. */
  @Test
  void replicaIsATransientFailure() {
    assertThat((Throwable) new ReplicaException())
        .isInstanceOf(SQLTransientConnectionException.class);
  }
}
