package io.indexview.benchmarks.read;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.http.BlockingHttp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The server over HTTP/1.1; a page is its text. */
final class RestPages implements PageSource<byte[]> {
  private final BlockingHttp server;
  private final String view;
  private final boolean fetch;

  RestPages(BlockingHttp server, String view, boolean fetch) {
    this.server = server;
    this.view = view;
    this.fetch = fetch;
  }

  @Override
  public byte[] read(int person, int rows) throws IOException {
    return server.get(
        "/views/%s/rows?active=true&from=%s&limit=%d%s"
            .formatted(view, People.id(person), rows, fetch ? "&fetch=true" : ""));
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
