package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import com.amazonaws.services.dynamodbv2.local.shared.access.AmazonDynamoDBLocal;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.dynamodb.DynamoDbItemStore;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class DynamoDbSinkTaskIT {
  private static final boolean DISABLE_TELEMETRY = true;

  @Test
  void writesCommitsGivesUpAndCloses() {
    AmazonDynamoDBLocal local = DynamoDBEmbedded.create(DISABLE_TELEMETRY);
    FaultyItemStore store =
        new FaultyItemStore(DynamoDbItemStore.over(local.dynamoDbAsyncClient()));
    DynamoDbSinkTask task = new DynamoDbSinkTask(config -> store);
    FileRows rows = new FileRows("FileMetaData");
    TopicPartition partition = new TopicPartition(rows.topic(), 0);
    task.initialize(new FakeSinkContext());
    task.start(Map.of("aws.region", "local", "dynamodb.auto.create", "true"));

    task.put(List.of(rows.upsert(0, "a.txt", 1, "USER001", 10L)));
    task.close(List.of(partition));

    assertThat(store.get("FileMetaData", Map.of("objectKey", "a.txt"))).isPresent();
    assertThat(task.preCommit(Map.of())).isEmpty();
    task.stop();
    assertThat(store.closed()).isTrue();
    local.shutdown();
  }

  @Test
  void stopsThoughItNeverStarted() {
    DynamoDbSinkTask task = new DynamoDbSinkTask();

    task.close(List.of());
    task.stop();

    assertThat(task.version()).isNotBlank();
  }
}
