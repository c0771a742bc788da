package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.Message;

/** What a web page can send to the parts of a stack on the same machine. */
class ForgedRequestsIT {
  private static final String RESTART = "POST /connectors/none/restart";
  private static final String MESSAGE = "POST /?Action=SendMessage&MessageBody=x&QueueUrl=";
  private static final String FORM = "Content-Type: application/x-www-form-urlencoded";

  private static LocalStack stack;
  private static URI worker;
  private static URI tables;
  private static URI queue;

  @BeforeAll
  static void start() {
    stack =
        LocalStack.start(
            StackConfig.builder()
                .parts(PartName.BROKER, PartName.CONNECT, PartName.DYNAMODB, PartName.SQS)
                .build());
    worker = stack.connect().url();
    tables = stack.dynamoDbUrl();
    queue = stack.queueUrl();
  }

  @AfterAll
  static void stop() {
    stack.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: attacker.example",
        "Host: 127.0.0.1\r\nOrigin: http://attacker.example",
        "Host: 127.0.0.1\r\nOrigin: null\r\n" + FORM,
        "Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\n" + FORM,
      })
  void aPageIsRefused(String headers) throws IOException {
    assertThat(status(worker, RESTART, headers)).isEqualTo(403);
    assertThat(status(worker, "GET /connectors", headers)).isEqualTo(403);
    assertThat(status(tables, "POST /", headers)).isEqualTo(403);
    assertThat(status(queue, MESSAGE + queue, headers)).isEqualTo(403);
    try (SqsClient client = StandInClients.sqs(stack.sqsUrl())) {
      assertThat(SqsPart.messages(client, queue)).isZero();
    }
  }

  @Test
  void aProgramIsServed() throws IOException {
    assertThat(status(worker, RESTART, "Host: " + worker.getAuthority())).isEqualTo(404);
    assertThat(status(worker, "GET /connectors", "Host: localhost:1")).isEqualTo(200);
    try (DynamoDbClient client = StandInClients.dynamoDb(tables)) {
      assertThat(client.listTables().tableNames()).isEmpty();
    }
    assertThat(status(queue, MESSAGE + queue, "Host: localhost:1")).isEqualTo(200);
    try (SqsClient client = StandInClients.sqs(stack.sqsUrl())) {
      List<Message> messages =
          client
              .receiveMessage(request -> request.queueUrl(queue.toString()).waitTimeSeconds(20))
              .messages();
      assertThat(messages).extracting(Message::body).containsExactly("x");
      client.deleteMessage(
          request ->
              request.queueUrl(queue.toString()).receiptHandle(messages.get(0).receiptHandle()));
    }
  }

  private static int status(URI part, String request, String headers) throws IOException {
    try (Socket socket = new Socket(part.getHost(), part.getPort())) {
      String text =
          "%s HTTP/1.1\r\n%s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
              .formatted(request, headers);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
      BufferedReader answer =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      return Integer.parseInt(answer.readLine().split(" ")[1]);
    }
  }
}
