package io.indexview.dynamodb;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;

/** Answers as the service gives them. */
final class ServiceAnswers {
  private ServiceAnswers() {}

  static void fail(HttpExchange exchange, int status, String error) throws IOException {
    send(
        exchange,
        status,
        "{\"__type\":\"com.amazonaws.dynamodb.v20120810#%s\",\"message\":\"no\"}".formatted(error));
  }

  static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.getRequestBody().readAllBytes();
    exchange.getResponseHeaders().add("Content-Type", "application/x-amz-json-1.0");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
