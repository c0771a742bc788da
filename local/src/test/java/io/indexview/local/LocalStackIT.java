package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvVersion;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;

/** One stack is filled and closed; the tests look at a second one on the same data directory. */
class LocalStackIT {
  private static final String SCHEMA = "{\"schema\": \"{\\\"type\\\": \\\"string\\\"}\"}";
  private static final String SUBJECT = "indexview.changes.people-value";
  private static final String OBJECT_KEY = "USER001/a file+(1).txt";
  private static final KvKey PERSON = KvKey.ofMajor("Corporate", "people", "1");
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Logger LOGGER = LoggerFactory.getLogger(LocalStackIT.class);

  @TempDir static Path data;

  private static LocalStack stack;
  private static List<LocalStack.Address> firstAddresses;
  private static List<ProcessHandle> firstChildren;
  private static int schemaId;
  private static KvVersion version;

  @BeforeAll
  static void fillOneStackAndStartAnother() throws Exception {
    try (LocalStack first = start()) {
      firstAddresses = first.addresses();
      firstChildren = ProcessHandle.current().children().toList();
      produce(first);
      schemaId = register(first);
      putItem(first);
      putObject(first);
      try (KvStore store = first.openKvStore()) {
        version = store.put(PERSON, bytes("Jim"));
      }
    }
    stack = start();
  }

  @AfterAll
  static void close() {
    if (stack != null) {
      stack.close();
    }
  }

  private static LocalStack start() {
    return LocalStack.start(StackConfig.builder().dataDirectory(data).build(), LOGGER::info);
  }

  @Test
  void keepsItsAddressesWhenStartedAgain() {
    assertThat(stack.addresses()).isEqualTo(firstAddresses).hasSize(PartName.values().length);
  }

  @Test
  void leavesNoChildProcessWhenClosed() {
    assertThat(firstChildren).hasSize(2).noneMatch(ProcessHandle::isAlive);
  }

  @Test
  void keepsRecordsAndRetentionWhenStartedAgain() throws Exception {
    TopicPartition people = new TopicPartition("indexview.changes.people", 0);
    List<String> values = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, stack.bootstrapServers()),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(people));
      consumer.seekToBeginning(List.of(people));
      Instant deadline = Instant.now().plusSeconds(60);
      while (values.isEmpty() && Instant.now().isBefore(deadline)) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          values.add(record.value());
        }
      }
    }
    assertThat(values).containsExactly("Jim");
    assertThat(topicConfig(people.topic(), "retention.ms")).isEqualTo("1296000000");
    assertThat(topicConfig("indexview.source-states", "cleanup.policy")).isEqualTo("compact");
    assertThat(topicConfig("indexview.dead-letters.kv", "message.timestamp.type"))
        .isEqualTo("LogAppendTime");
    assertThat(topicConfig("indexview.dead-letters.kv", "retention.ms")).isEqualTo("2592000000");
  }

  @Test
  void keepsSchemaIdsAndCompatibilityWhenStartedAgain() throws Exception {
    assertThat(register(stack)).isEqualTo(schemaId);
    assertThat(get(stack.registryUrl() + "/config").path("compatibilityLevel").asText())
        .isEqualTo("BACKWARD");
    assertThat(get(stack.registryUrl() + "/schemas/ids/" + schemaId).path("schema").asText())
        .contains("string");
  }

  @Test
  void keepsDynamoDbItemsWhenStartedAgain() {
    try (DynamoDbClient dynamoDb = StandInClients.dynamoDb(stack.dynamoDbUrl())) {
      assertThat(
              dynamoDb
                  .getItem(
                      request ->
                          request
                              .tableName("FileMetaData")
                              .key(Map.of("objectKey", AttributeValue.fromS("one"))))
                  .item())
          .containsEntry("bucketName", AttributeValue.fromS("files"));
    }
  }

  @Test
  void keepsKvRecordsAndVersionsWhenStartedAgain() {
    try (KvStore store = stack.openKvStore()) {
      KvRecord record = store.get(PERSON, KvConsistency.ABSOLUTE).orElseThrow();

      assertThat(record.value()).isEqualTo(bytes("Jim"));
      assertThat(record.version()).isEqualTo(version);
    }
  }

  @Test
  void keepsObjectsAndUnreadNotificationsWhenStartedAgain() throws Exception {
    try (S3Client s3 = stack.openS3();
        SqsClient sqs = StandInClients.sqs(stack.sqsUrl())) {
      assertThat(
              s3.getObjectAsBytes(
                      request -> request.bucket(StackConfig.DEFAULT_BUCKET).key(OBJECT_KEY))
                  .asUtf8String())
          .isEqualTo("hello");
      assertThat(stack.queuedNotifications()).isEqualTo(1);
      List<Message> messages =
          sqs.receiveMessage(
                  request ->
                      request
                          .queueUrl(stack.queueUrl().toString())
                          .maxNumberOfMessages(10)
                          .waitTimeSeconds(5))
              .messages();
      assertThat(messages).hasSize(1);
      JsonNode record = JSON.readTree(messages.get(0).body()).path("Records").path(0);
      assertThat(record.path("eventName").asText()).isEqualTo("ObjectCreated:Put");
      assertThat(record.at("/s3/object/key").asText()).isEqualTo("USER001/a+file%2B%281%29.txt");
      assertThat(record.at("/s3/object/size").asLong()).isEqualTo(5);
      assertThat(record.at("/s3/object/eTag").asText())
          .isEqualTo("5d41402abc4b2a76b9719d911017c592");
    }
  }

  @Test
  void restartsAPartOnItsAddressAndDataWhenAsked() {
    List<LocalStack.Address> before = stack.addresses();

    stack.restart(PartName.SQS);

    assertThat(stack.addresses()).isEqualTo(before);
    assertThat(stack.queuedNotifications()).isEqualTo(1);
  }

  @Test
  void saysWhyWhenTheWorkerRefusesAConnector() {
    assertThatThrownBy(() -> stack.connect().put("none", Map.of("connector.class", "no.Such")))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("create connector none")
        .hasMessageContaining("no.Such");
  }

  @Test
  void refusesASecondStackOnTheSameDirectory() {
    assertThatThrownBy(LocalStackIT::start)
        .isInstanceOf(StackException.class)
        .hasMessageContaining("another stack of this process");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void listensOnLoopbackOnly() throws IOException {
    List<ListeningSockets.Socket> sockets = ListeningSockets.ofThisProcessTree();
    assertThat(sockets)
        .hasSizeGreaterThanOrEqualTo(7)
        .allMatch(ListeningSockets.Socket::isLoopback);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void produce(LocalStack stack) throws Exception {
    stack.createChangeTopics(List.of("people"), 2);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, stack.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      producer
          .send(new ProducerRecord<>(stack.config().topics().changes("people"), 0, "1", "Jim"))
          .get();
    }
  }

  private String topicConfig(String topic, String key) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try (Admin admin =
        Admin.create(
            Map.<String, Object>of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, stack.bootstrapServers()))) {
      return admin.describeConfigs(List.of(resource)).values().get(resource).get().get(key).value();
    }
  }

  private static int register(LocalStack stack) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(stack.registryUrl() + "/subjects/" + SUBJECT + "/versions"))
            .header("Content-Type", "application/vnd.schemaregistry.v1+json")
            .POST(HttpRequest.BodyPublishers.ofString(SCHEMA))
            .build();
    return send(request).path("id").asInt(-1);
  }

  private static JsonNode get(String url) throws Exception {
    return send(HttpRequest.newBuilder(URI.create(url)).build());
  }

  private static JsonNode send(HttpRequest request) throws Exception {
    HttpResponse<String> response =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body());
  }

  private static void putItem(LocalStack stack) {
    try (DynamoDbClient dynamoDb = StandInClients.dynamoDb(stack.dynamoDbUrl())) {
      dynamoDb.createTable(
          request ->
              request
                  .tableName("FileMetaData")
                  .billingMode(BillingMode.PAY_PER_REQUEST)
                  .attributeDefinitions(
                      AttributeDefinition.builder()
                          .attributeName("objectKey")
                          .attributeType(ScalarAttributeType.S)
                          .build())
                  .keySchema(
                      KeySchemaElement.builder()
                          .attributeName("objectKey")
                          .keyType(KeyType.HASH)
                          .build()));
      dynamoDb.putItem(
          request ->
              request
                  .tableName("FileMetaData")
                  .item(
                      Map.of(
                          "objectKey", AttributeValue.fromS("one"),
                          "bucketName", AttributeValue.fromS("files"))));
    }
  }

  private static void putObject(LocalStack stack) {
    try (S3Client s3 = stack.openS3()) {
      s3.putObject(
          request -> request.bucket(StackConfig.DEFAULT_BUCKET).key(OBJECT_KEY),
          RequestBody.fromString("hello"));
    }
  }
}
