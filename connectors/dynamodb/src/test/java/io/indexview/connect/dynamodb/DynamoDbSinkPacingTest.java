package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;

/** How a session lives with the pace of its tables. */
class DynamoDbSinkPacingTest extends SinkSessionHarness {
  /** While the worker waits to call again nothing is sent, and the budget runs over. */
  @Test
  void staysAwayNoLongerEachTimeThatTheBudgetHoldsWritesBack() {
    DynamoDbSinkSession session =
        session(
            "dynamodb.table.write.units.per.second",
            "1",
            "dynamodb.buffer.max.records",
            "2",
            "retry.backoff.initial.ms",
            "1000",
            "retry.backoff.max.ms",
            "10000");
    List<SinkRecord> records = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      records.add(rows.upsert(0, "file" + i, i + 1, "u", 1L));
    }
    session.put(records);
    SinkRecord next = rows.upsert(0, "next", 51, "u", 1L);

    for (int call = 0; call < 3; call++) {
      int commits = context.commitRequests();
      assertThatThrownBy(() -> session.put(List.of(next)))
          .isInstanceOf(RetriableException.class)
          .hasMessageContaining("wait for DynamoDB");
      assertThat(context.nextLook()).isBetween(1L, 10L);
      assertThat(context.commitRequests()).isGreaterThan(commits);
    }
  }
}
