package io.indexview.benchmarks.read;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.benchmarks.data.People;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;

/** The server over HTTP/1.1; a page is its text. */
final class RestPages implements PageSource<byte[]> {
  private static final int OK = 200;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;
  private final String view;
  private final boolean fetch;

  RestPages(URI server, String view, boolean fetch) {
    this.server = server;
    this.view = view;
    this.fetch = fetch;
  }

  @Override
  public byte[] read(int person, int rows) throws IOException, InterruptedException {
    URI page =
        server.resolve(
            "/views/%s/rows?active=true&from=%s&limit=%d%s"
                .formatted(view, People.id(person), rows, fetch ? "&fetch=true" : ""));
    HttpResponse<byte[]> response =
        client.send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofByteArray());
    if (response.statusCode() != OK) {
      throw new IOException(
          "%s: %d %s".formatted(page, response.statusCode(), new String(response.body(), UTF_8)));
    }
    return response.body();
  }

  @Override
  public List<String> primaryKeys(byte[] page) throws IOException {
    List<String> keys = new ArrayList<>();
    for (JsonNode row : JsonMapper.builder().build().readTree(page).path("rows")) {
      keys.add(row.path("primaryKey").asText());
    }
    return keys;
  }
}
