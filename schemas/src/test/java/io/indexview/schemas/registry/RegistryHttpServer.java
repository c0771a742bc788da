package io.indexview.schemas.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.indexview.schemas.registry.SchemaRegistry.Registered;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.avro.Schema;
import org.apache.avro.SchemaParseException;

/** Confluent's REST API over an in-memory registry, with answers that tests can put before it. */
public final class RegistryHttpServer implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  private final InMemorySchemaRegistry registry;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Queue<Answer> scripted = new ArrayDeque<>();
  private final List<Request> requests = new ArrayList<>();

  /** Listens at a free port of the loopback interface. */
  public RegistryHttpServer(InMemorySchemaRegistry registry) throws IOException {
    this(
        registry, HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
  }

  RegistryHttpServer(InMemorySchemaRegistry registry, HttpServer server) {
    this.registry = registry;
    this.server = server;
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  public String url() {
    return "http://" + address();
  }

  String address() {
    return server.getAddress().getHostString() + ":" + server.getAddress().getPort();
  }

  /** The next requests get these answers, in this order; those after them real ones. */
  void answerNext(Answer... answers) {
    synchronized (scripted) {
      scripted.addAll(Arrays.asList(answers));
    }
  }

  List<Request> requests() {
    synchronized (requests) {
      return List.copyOf(requests);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String method = exchange.getRequestMethod();
      String path = exchange.getRequestURI().getRawPath();
      synchronized (requests) {
        requests.add(
            new Request(method, path, exchange.getRequestHeaders().getFirst("Authorization")));
      }
      Answer answer = nextScripted();
      if (answer == null) {
        answer = answer(method, path.substring(1).split("/"), body);
      }
      byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().add("Content-Type", "application/vnd.schemaregistry.v1+json");
      exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private Answer nextScripted() {
    synchronized (scripted) {
      return scripted.poll();
    }
  }

  private Answer answer(String method, String[] path, byte[] body) throws IOException {
    try {
      return switch (method + " " + path[0]) {
        case "GET schemas" -> schemaOf(registry.byId(Integer.parseInt(path[2])));
        case "GET subjects" -> version(decode(path[1]), path[3]);
        case "POST subjects" ->
            path.length == 2
                ? lookUp(decode(path[1]), schema(body))
                : json().with("id", registry.register(decode(path[1]), schema(body))).answer();
        case "POST compatibility" ->
            json()
                .with("is_compatible", registry.isCompatible(decode(path[2]), schema(body)))
                .answer();
        default -> Answer.error(404, 404, "HTTP 404 Not Found");
      };
    } catch (RegistryException.NotFound e) {
      return Answer.error(404, 40403, e.getMessage());
    } catch (RegistryException.Incompatible e) {
      return Answer.error(409, 409, e.getMessage());
    } catch (SchemaParseException e) {
      return Answer.error(422, 42201, e.getMessage());
    }
  }

  private Answer lookUp(String subject, Schema schema) {
    return registry
        .find(subject, schema)
        .map(found -> version(subject, found))
        .orElseGet(() -> Answer.error(404, 40403, "Schema not found"));
  }

  private Answer version(String subject, String version) {
    List<Registered> versions = registry.versions(subject);
    if (versions.isEmpty()) {
      return Answer.error(404, 40401, "Subject '" + subject + "' not found.");
    }
    int number = version.equals("latest") ? versions.size() : Integer.parseInt(version);
    return number > versions.size()
        ? Answer.error(404, 40402, "Version " + version + " not found.")
        : version(subject, versions.get(number - 1));
  }

  private static Answer version(String subject, Registered registered) {
    return json()
        .with("subject", subject)
        .with("version", registered.version())
        .with("id", registered.id())
        .with("schema", registered.schema().toString())
        .answer();
  }

  private static Answer schemaOf(Schema schema) {
    return json().with("schema", schema.toString()).answer();
  }

  private static Schema schema(byte[] body) throws IOException {
    JsonNode request = JSON.readTree(body);
    return new Schema.Parser().parse(request.get("schema").asText());
  }

  private static String decode(String segment) {
    return URLDecoder.decode(segment, StandardCharsets.UTF_8);
  }

  private static Body json() {
    return new Body(JSON.createObjectNode());
  }

  record Request(String method, String path, String authorization) {}

  record Answer(int status, String body) {
    static Answer error(int status, int code, String message) {
      Body body = json().with("error_code", code).with("message", message);
      return new Answer(status, body.node().toString());
    }
  }

  private record Body(ObjectNode node) {
    Body with(String field, Object value) {
      node.putPOJO(field, value);
      return this;
    }

    Answer answer() {
      return new Answer(200, node.toString());
    }
  }
}
