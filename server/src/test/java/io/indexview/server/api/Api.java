package io.indexview.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.indexview.server.json.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;

/** Asks a server, and holds every answer against the description of the API. */
public final class Api {
  private static final OpenApiDocument DOCUMENT = OpenApiDocument.load();

  private final URI server;
  private final HttpClient http = HttpClient.newHttpClient();

  public Api(URI server) {
    this.server = server;
  }

  /**
   * An answer.
   *
   * @param body missing if it is none, or no JSON
   */
  public record Answer(
      int status, String type, String text, JsonNode body, HttpResponse<String> http) {
    public String header(String name) {
      return http.headers().firstValue(name).orElse(null);
    }

    /** The last part of the type of a problem. */
    public String problem() {
      return body.path("type").asText().replaceFirst("^urn:indexview:problem:", "");
    }
  }

  public Answer get(String path, String... headers) {
    return send("GET", path, null, headers);
  }

  public Answer delete(String path, String... headers) {
    return send("DELETE", path, null, headers);
  }

  public Answer put(String path, String body, String... headers) {
    return send("PUT", path, body, withType(headers));
  }

  public Answer post(String path, String body, String... headers) {
    return send("POST", path, body, body == null ? headers : withType(headers));
  }

  private static String[] withType(String... headers) {
    if (String.join(" ", headers).contains("Content-Type")) {
      return headers;
    }
    String[] more = new String[headers.length + 2];
    System.arraycopy(headers, 0, more, 2, headers.length);
    more[0] = "Content-Type";
    more[1] = "application/json";
    return more;
  }

  /** Sends a request; a null body is none. */
  public Answer send(String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.resolve(path))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      HttpResponse<String> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return checked(method, URI.create(path).getPath(), response);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static Answer checked(String method, String path, HttpResponse<String> response)
      throws IOException {
    String type = response.headers().firstValue("Content-Type").orElse("").replaceFirst(";.*", "");
    boolean json = type.endsWith("json");
    JsonNode body = json ? Json.MAPPER.readTree(response.body()) : MissingNode.getInstance();
    describedAnswer(method, path, response, type, body);
    assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(response.headers().firstValue("Server")).isEmpty();
    return new Answer(response.statusCode(), type, response.body(), body, response);
  }

  private static void describedAnswer(
      String method, String path, HttpResponse<String> response, String type, JsonNode body) {
    Optional<OpenApiDocument.Operation> operation =
        Optional.ofNullable(DOCUMENT.operation(method, path));
    if (operation.isEmpty()) {
      return;
    }
    JsonNode described = DOCUMENT.response(operation.get(), response.statusCode());
    assertThat(described.isMissingNode())
        .as("%s describes %d", operation.get().name(), response.statusCode())
        .isFalse();
    if (type.isEmpty()) {
      assertThat(described.has("content")).as("%s: an answer without body", path).isFalse();
      return;
    }
    JsonNode schema = described.path("content").path(type).path("schema");
    assertThat(schema.isMissingNode())
        .as(
            "%s describes %d as %s: %s",
            operation.get().name(), response.statusCode(), type, response.body())
        .isFalse();
    if (!body.isMissingNode()) {
      assertThat(DOCUMENT.problems(schema, body)).as(body.toString()).isEmpty();
    }
  }
}
