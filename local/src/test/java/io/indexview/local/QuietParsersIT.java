package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import io.indexview.local.DynamoDbPart.QuietParsers;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

@SuppressWarnings("checkstyle:regexp") // looks at what is written to it
class QuietParsersIT {
  private final PrintStream standardError = System.err;

  @AfterEach
  void restore() {
    System.setErr(standardError);
  }

  @Test
  void letsNothingBeSaidWhenExpressionsAreParsed() throws Exception {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));

    QuietParsers.load();
    try (DynamoDbClient client = DynamoDBEmbedded.create(true).dynamoDbClient()) {
      client.createTable(
          table ->
              table
                  .tableName("abc")
                  .billingMode(BillingMode.PAY_PER_REQUEST)
                  .attributeDefinitions(
                      AttributeDefinition.builder()
                          .attributeName("k")
                          .attributeType(ScalarAttributeType.S)
                          .build())
                  .keySchema(
                      KeySchemaElement.builder().attributeName("k").keyType(KeyType.HASH).build()));
      client.putItem(
          put ->
              put.tableName("abc")
                  .item(Map.of("k", AttributeValue.fromS("x")))
                  .conditionExpression("attribute_not_exists(k)"));
    }

    assertThat(said.toString(StandardCharsets.UTF_8)).doesNotContain("ANTLR");
  }
}
