package io.indexview.connect.dynamodb;

import io.indexview.schemas.docs.ConfigPage;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {
  @Test
  void describesTheSinkAsItIs() throws IOException {
    new ConfigPage(
            "dynamodb-sink.md",
            "DynamoDB sink",
            """
            `io.indexview.connect.dynamodb.DynamoDbSinkConnector` writes view rows into DynamoDB tables.
            Connect's own keys (`topics.regex`, converters, `errors.*`) come on top, and
            `consumer.override.isolation.level` must be `read_committed`,
            `consumer.override.partition.assignment.strategy`
            `org.apache.kafka.clients.consumer.CooperativeStickyAssignor`; see
            [settings of every connector](../connectors.md#settings-of-every-connector).""",
            DynamoDbSinkConfig.definition())
        .verify();
  }
}
