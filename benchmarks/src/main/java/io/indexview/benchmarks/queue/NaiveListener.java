package io.indexview.benchmarks.queue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.indexview.benchmarks.data.TemporaryDirectory;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;

/**
 * The listener that users start from: one message at a time, a consistent read of the file's item,
 * a comparison of sequencers, a conditional put, a delete. It does more than the source, which
 * leaves the items to the streams app and a sink. DynamoDB Local answers without added time.
 */
final class NaiveListener implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TABLE = "files";
  private static final String KEY = "objectKey";
  private static final String SEQUENCER = "sequencer";
  private static final String VERSION = "version";

  private static final KeySchemaElement HASH =
      KeySchemaElement.builder().attributeName(KEY).keyType(KeyType.HASH).build();
  private static final AttributeDefinition ATTRIBUTE =
      AttributeDefinition.builder().attributeName(KEY).attributeType(ScalarAttributeType.S).build();

  private final TemporaryDirectory directory = TemporaryDirectory.in(null);
  private final LocalStack stack;
  private final DynamoDbClient items;

  NaiveListener() {
    stack =
        LocalStack.start(
            StackConfig.builder()
                .dataDirectory(directory.path().resolve("data"))
                .parts(PartName.DYNAMODB)
                .build());
    items =
        DynamoDbClient.builder()
            .endpointOverride(stack.dynamoDbUrl())
            .region(Region.of(StackConfig.REGION))
            .credentialsProvider(credentials(StackConfig.ACCESS_KEY, StackConfig.SECRET_KEY))
            .httpClientBuilder(UrlConnectionHttpClient.builder())
            .build();
    items.createTable(
        table ->
            table
                .tableName(TABLE)
                .keySchema(List.of(HASH))
                .attributeDefinitions(List.of(ATTRIBUTE))
                .billingMode(BillingMode.PAY_PER_REQUEST));
  }

  private static StaticCredentialsProvider credentials(String key, String secret) {
    return StaticCredentialsProvider.create(AwsBasicCredentials.create(key, secret));
  }

  /** Takes so many messages, and returns when they are deleted. */
  void take(QueueAccess access, int messages) throws IOException {
    URI endpoint = access.queue().resolve("/");
    String queue = access.queue().toString();
    try (SqsClient sqs =
        SqsClient.builder()
            .endpointOverride(endpoint)
            .region(Region.of(MessageServer.REGION))
            .credentialsProvider(credentials(MessageServer.ACCOUNT, MessageServer.ACCOUNT))
            .httpClientBuilder(UrlConnectionHttpClient.builder())
            .build()) {
      for (int taken = 0; taken < messages; ) {
        for (Message message :
            sqs.receiveMessage(r -> r.queueUrl(queue).waitTimeSeconds(1)).messages()) {
          for (JsonNode event : JSON.readTree(message.body()).get("Records")) {
            register(event.at("/s3/object"));
          }
          sqs.deleteMessage(r -> r.queueUrl(queue).receiptHandle(message.receiptHandle()));
          taken++;
        }
      }
    }
  }

  private void register(JsonNode object) {
    String key = URLDecoder.decode(object.get("key").asText(), StandardCharsets.UTF_8);
    String sequencer = object.get(SEQUENCER).asText();
    Map<String, AttributeValue> before =
        items
            .getItem(r -> r.tableName(TABLE).key(Map.of(KEY, text(key))).consistentRead(true))
            .item();
    if (!before.isEmpty() && before.get(SEQUENCER).s().compareTo(sequencer) >= 0) {
      return;
    }
    long version = before.isEmpty() ? 0 : Long.parseLong(before.get(VERSION).n());
    items.putItem(
        r ->
            r.tableName(TABLE)
                .item(
                    Map.of(
                        KEY,
                        text(key),
                        SEQUENCER,
                        text(sequencer),
                        "size",
                        number(object.get("size").asLong()),
                        VERSION,
                        number(version + 1)))
                .conditionExpression("attribute_not_exists(objectKey) OR version = :seen")
                .expressionAttributeValues(Map.of(":seen", number(version))));
  }

  private static AttributeValue text(String value) {
    return AttributeValue.builder().s(value).build();
  }

  private static AttributeValue number(long value) {
    return AttributeValue.builder().n(Long.toString(value)).build();
  }

  @Override
  public void close() {
    items.close();
    stack.close();
    directory.close();
  }
}
