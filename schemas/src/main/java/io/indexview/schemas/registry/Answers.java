package io.indexview.schemas.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Set;

/** What the status and body of an answer mean. */
final class Answers {
  static final JsonMapper JSON = new JsonMapper();

  private static final int OPERATION_NOT_PERMITTED = 42205;
  private static final Set<Integer> LATER = Set.of(408, 425, 429, 500, 502, 503, 504);
  private static final int MAX_QUOTE = 300;

  private Answers() {}

  /** The body of a good answer, always an object; a {@link RegistryException} for any other. */
  static JsonNode read(Endpoint endpoint, String action, int status, byte[] body) {
    JsonNode json = parse(body);
    String where = "schema registry %s: %s: ".formatted(endpoint, action);
    if (status == 200) {
      if (json == null) {
        throw new RegistryException(
            where
                + "the answer is not a JSON object, so no schema registry speaks there; check the path in "
                + RegistryConfig.URL_CONFIG,
            null);
      }
      return json;
    }
    throw failure(status, json, where);
  }

  private static RegistryException failure(int status, JsonNode json, String where) {
    String what = where + said(status, json);
    int code = json == null ? 0 : json.path("error_code").asInt();
    if (LATER.contains(status)) {
      return new RegistryException.Unavailable(what, null);
    }
    return switch (status) {
      case 404 -> {
        if (code >= 40400 && code <= 40499) {
          yield new RegistryException.NotFound(what);
        }
        yield new NoSuchResource(
            what
                + "; nothing there speaks the schema registry's API: check the path in "
                + RegistryConfig.URL_CONFIG);
      }
      case 405 -> new NoSuchResource(what);
      case 409 -> new RegistryException.Incompatible(what);
      case 422 ->
          // The subject is read-only for now, which says nothing of the schema.
          code == OPERATION_NOT_PERMITTED
              ? new RegistryException(what, null)
              : new RegistryException.Rejected(what, null);
      case 401, 403 ->
          new RegistryException(
              what
                  + "; check "
                  + RegistryConfig.USER_INFO_CONFIG
                  + " or "
                  + RegistryConfig.BEARER_TOKEN_CONFIG
                  + " and the permissions behind it",
              null);
      default -> new RegistryException(what, null);
    };
  }

  private static String said(int status, JsonNode json) {
    if (json == null || !json.has("error_code")) {
      return "HTTP " + status;
    }
    String message = json.path("message").asText();
    String quote = message.length() > MAX_QUOTE ? message.substring(0, MAX_QUOTE) + "..." : message;
    return "HTTP %d, code %d: %s".formatted(status, json.path("error_code").asInt(), quote);
  }

  private static JsonNode parse(byte[] body) {
    try {
      JsonNode json = JSON.readTree(body);
      return json != null && json.isObject() ? json : null;
    } catch (IOException e) {
      // Not JSON: for the caller the same as JSON of another shape.
      return null;
    }
  }

  /** The server knows no such path or method: not an answer of the registry's. */
  static final class NoSuchResource extends RegistryException {
    NoSuchResource(String message) {
      super(message, null);
    }
  }
}
