package io.indexview.server.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import io.indexview.server.IndexviewServer;
import io.indexview.server.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** The description of the API, as tests ask it. */
public final class OpenApiDocument {
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete", "patch");

  private final JsonNode root;

  private OpenApiDocument(JsonNode root) {
    this.root = root;
  }

  public static OpenApiDocument load() {
    try (InputStream in = IndexviewServer.class.getResourceAsStream("openapi.yaml")) {
      return new OpenApiDocument(new YAMLMapper().readTree(in));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One method of one path. */
  record Operation(String method, String path, JsonNode node) {
    String name() {
      return method + " " + path;
    }
  }

  List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : root.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        if (METHODS.contains(method.getKey())) {
          operations.add(
              new Operation(
                  method.getKey().toUpperCase(Locale.ROOT), path.getKey(), method.getValue()));
        }
      }
    }
    return operations;
  }

  /** The operation that a request is for; null: none. */
  Operation operation(String method, String requestPath) {
    return operations().stream()
        .filter(operation -> operation.method().equals(method))
        .filter(operation -> pattern(operation.path()).matcher(requestPath).matches())
        .findFirst()
        .orElse(null);
  }

  private static Pattern pattern(String path) {
    return Pattern.compile(path.replace(".", "\\.").replaceAll("\\{[^}]+}", "[^/]+"));
  }

  /** Follows a reference inside the document. */
  JsonNode resolve(JsonNode node) {
    return node.has("$ref") ? root.at(node.get("$ref").asText().substring(1)) : node;
  }

  /** The description of an answer; missing: there is none. */
  JsonNode response(Operation operation, int status) {
    JsonNode responses = operation.node().path("responses");
    String code = Integer.toString(status);
    return resolve(responses.has(code) ? responses.get(code) : responses.path("default"));
  }

  /** What is wrong with a value. */
  Set<ValidationMessage> problems(JsonNode schema, JsonNode value) {
    ObjectNode whole = Json.MAPPER.createObjectNode();
    whole.putArray("allOf").add(schema);
    whole.set("components", root.path("components"));
    return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
        .getSchema(whole)
        .validate(value);
  }
}
