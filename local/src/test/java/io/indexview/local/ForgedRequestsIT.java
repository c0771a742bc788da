package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** What a web page can send to the parts of a stack on the same machine. */
class ForgedRequestsIT {
  private static final String RESTART = "POST /connectors/none/restart";
  private static final String FORM = "Content-Type: application/x-www-form-urlencoded";

  private static LocalStack stack;
  private static URI worker;
  private static URI tables;

  @BeforeAll
  static void start() {
    stack =
        LocalStack.start(
            StackConfig.builder()
                .parts(PartName.BROKER, PartName.CONNECT, PartName.DYNAMODB)
                .build());
    worker = stack.connect().url();
    tables = stack.dynamoDbUrl();
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
  }

  @Test
  void aProgramIsServed() throws IOException {
    assertThat(status(worker, RESTART, "Host: " + worker.getAuthority())).isEqualTo(404);
    assertThat(status(worker, "GET /connectors", "Host: localhost:1")).isEqualTo(200);
    try (DynamoDbClient client = AwsClients.dynamoDb(tables)) {
      assertThat(client.listTables().tableNames()).isEmpty();
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
