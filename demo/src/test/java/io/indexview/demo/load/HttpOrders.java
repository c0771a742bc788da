package io.indexview.demo.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.client.token.FreshnessToken;
import io.indexview.kvstore.KvKey;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.apache.avro.generic.GenericRecord;

/** Writes orders through the server. */
record HttpOrders(URI server, HttpClient http) {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  HttpOrders(URI server) {
    this(server, HttpClient.newHttpClient());
  }

  FreshnessToken put(KvKey key, GenericRecord order) throws IOException, InterruptedException {
    var body = JSON.createObjectNode().put("key", key.toString());
    body.set("value", JSON.readTree(order.toString()));
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(server.resolve("/records/" + Orders.NAME))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body.toString()))
                .build(),
            BodyHandlers.ofString());
    JsonNode written = JSON.readTree(answer.body());
    if (answer.statusCode() != 200 || !written.hasNonNull("token")) {
      throw new IllegalStateException(answer.statusCode() + " " + answer.body());
    }
    return FreshnessToken.parse(written.path("token").asText());
  }
}
