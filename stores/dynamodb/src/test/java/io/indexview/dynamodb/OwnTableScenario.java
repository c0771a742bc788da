package io.indexview.dynamodb;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import com.amazonaws.services.dynamodbv2.local.shared.access.AmazonDynamoDBLocal;
import io.indexview.dynamodb.TableSpec.Index;
import io.indexview.dynamodb.TableSpec.Key;
import io.indexview.dynamodb.TableSpec.KeyType;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A table of its own for each test, on a DynamoDB Local of the class. */
abstract class OwnTableScenario {
  private static final boolean DISABLE_TELEMETRY = true;

  static final Duration TIMEOUT = Duration.ofMinutes(1);

  static AmazonDynamoDBLocal local;
  static ItemStore store;
  private static int tables;

  String table;

  @BeforeAll
  static void start() {
    local = DynamoDBEmbedded.create(DISABLE_TELEMETRY);
    store = DynamoDbItemStore.over(local.dynamoDbAsyncClient());
  }

  @AfterAll
  static void stop() {
    store.close();
    local.shutdown();
  }

  @BeforeEach
  void createTable() {
    table = "files-" + tables++;
    store.ensureTable(spec(table), TIMEOUT);
  }

  static TableSpec spec(String name) {
    return new TableSpec(
        name,
        new Key("id", KeyType.STRING),
        new Key("n", KeyType.NUMBER),
        List.of(
            new Index("by-user", new Key("user", KeyType.STRING), new Key("size", KeyType.NUMBER))),
        "expires");
  }
}
