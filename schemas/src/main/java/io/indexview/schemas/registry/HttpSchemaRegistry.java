package io.indexview.schemas.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.schemas.time.Time;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;

/**
 * Client of the REST API of Confluent's schema registry and of those that speak the same.
 *
 * <p>It is our own, since no library for this API can be had from Maven Central: Confluent's client
 * is not there, but for the one inside Flink's format jar, which also holds Guava and Commons under
 * their own names; and Apicurio's speaks only Apicurio's own API. The few requests that are needed
 * use the JDK's HTTP client and Jackson, so that plugins and the client library hold nothing else
 * for them. {@code ConfluentInteropIT} compares it with Confluent's client.
 *
 * <p>Callers wait out an outage, and reject a record for an answer about its schema: so the two are
 * told apart, an id that a restored registry does not have yet counts as an outage for a while, and
 * answers that differ between registries are understood.
 */
final class HttpSchemaRegistry implements SchemaRegistry {
  private static final int MAX_REFERENCE_DEPTH = 20;

  private final RegistryHttp http;
  private final UnknownIds unknownIds;

  // Requests are made outside the maps: a slow registry must not block those who find their entry.
  private final Map<Integer, Schema> schemas = new ConcurrentHashMap<>();
  private final Map<SubjectSchema, Integer> ids = new ConcurrentHashMap<>();

  /**
   * @param unknownIdTimeout see {@link RegistryConfig#UNKNOWN_ID_TIMEOUT_CONFIG}
   */
  HttpSchemaRegistry(RegistryHttp http, Duration unknownIdTimeout, Time time) {
    this.http = http;
    this.unknownIds = new UnknownIds(unknownIdTimeout, time);
  }

  @Override
  public int register(String subject, Schema schema) {
    SubjectSchema key = new SubjectSchema(subject, schema);
    Integer known = ids.get(key);
    if (known != null) {
      return known;
    }
    int id = postSchema(subject, schema);
    ids.put(key, id);
    return id;
  }

  /**
   * Asks once more after a conflict: some registries (Apicurio) also answer so to all but one of
   * several clients that create a subject at the same moment.
   */
  private int postSchema(String subject, Schema schema) {
    String action = "register a schema under subject " + subject;
    ObjectNode body = body(schema);
    try {
      return intField(http.post(action, versions(subject), body), "id", action);
    } catch (RegistryException.Incompatible conflict) {
      return intField(http.post(action, versions(subject), body), "id", action);
    }
  }

  @Override
  public Schema byId(int id) {
    Schema known = schemas.get(id);
    if (known != null) {
      return known;
    }
    String action = "get schema id " + id;
    Schema schema;
    try {
      schema = parse(http.get(action, "/schemas/ids/" + id), action);
    } catch (RegistryException.NotFound e) {
      throw unknownIds.judge(id, e);
    }
    unknownIds.found(id);
    Schema earlier = schemas.putIfAbsent(id, schema);
    return earlier == null ? schema : earlier;
  }

  @Override
  public Optional<Registered> latest(String subject) {
    String action = "get the latest schema of subject " + subject;
    JsonNode answer;
    try {
      answer = http.get(action, versions(subject) + "/latest");
    } catch (RegistryException.NotFound e) {
      return Optional.empty();
    }
    return Optional.of(
        new Registered(
            intField(answer, "id", action),
            intField(answer, "version", action),
            parse(answer, action)));
  }

  @Override
  public boolean isCompatible(String subject, Schema schema) {
    String action = "check a schema against subject " + subject;
    String path = "/compatibility" + versions(subject);
    ObjectNode body = body(schema);
    JsonNode answer;
    try {
      answer = compatibility(action, path, body);
    } catch (RegistryException.NotFound e) {
      return true;
    }
    JsonNode verdict = answer.get("is_compatible");
    if (verdict == null || !verdict.isBoolean()) {
      throw unexpected(action, "is_compatible");
    }
    return verdict.booleanValue();
  }

  /** The check under the subject's own rule; not all registries have it, all have the other. */
  private JsonNode compatibility(String action, String path, ObjectNode body) {
    try {
      return http.post(action, path, body);
    } catch (Answers.NoSuchResource e) {
      return http.post(action, path + "/latest", body);
    }
  }

  @Override
  public void close() {
    http.close();
  }

  private Schema parse(JsonNode answer, String action) {
    String type = answer.path("schemaType").asText("AVRO");
    if (!type.equals("AVRO")) {
      throw new RegistryException.Rejected(
          "%s: its type is %s; only AVRO is supported".formatted(action, type), null);
    }
    // Lenient: a registered schema is a fact, and other clients check less than Avro does.
    Schema.Parser parser =
        new Schema.Parser(NameValidator.NO_VALIDATION).setValidateDefaults(false);
    try {
      parseReferences(answer, parser, action, 0);
      return parser.parse(textField(answer, "schema", action));
    } catch (AvroRuntimeException e) {
      throw new RegistryException.Rejected(action + ": not a valid Avro schema", e);
    }
  }

  /** A schema may name types of other subjects; they must be known to the parser before it. */
  private void parseReferences(JsonNode answer, Schema.Parser parser, String action, int depth) {
    if (depth > MAX_REFERENCE_DEPTH) {
      throw new RegistryException.Rejected(action + ": its references form a cycle", null);
    }
    for (JsonNode reference : answer.path("references")) {
      if (!parser.getTypes().containsKey(reference.path("name").asText())) {
        String subject = textField(reference, "subject", action);
        int version = intField(reference, "version", action);
        JsonNode referenced = http.get(action, versions(subject) + "/" + version);
        parseReferences(referenced, parser, action, depth + 1);
        parser.parse(textField(referenced, "schema", action));
      }
    }
  }

  private static ObjectNode body(Schema schema) {
    return Answers.JSON.createObjectNode().put("schema", schema.toString());
  }

  private static String versions(String subject) {
    String encoded = URLEncoder.encode(subject, StandardCharsets.UTF_8).replace("+", "%20");
    return "/subjects/" + encoded + "/versions";
  }

  private static int intField(JsonNode answer, String field, String action) {
    JsonNode value = answer.get(field);
    if (value == null || !value.canConvertToInt()) {
      throw unexpected(action, field);
    }
    return value.intValue();
  }

  private static String textField(JsonNode answer, String field, String action) {
    JsonNode value = answer.get(field);
    if (value == null || !value.isTextual()) {
      throw unexpected(action, field);
    }
    return value.textValue();
  }

  private static RegistryException unexpected(String action, String field) {
    return new RegistryException(
        "schema registry: %s: the answer has no usable field \"%s\", so it is not a registry's; check %s"
            .formatted(action, field, RegistryConfig.URL_CONFIG),
        null);
  }

  private record SubjectSchema(String subject, Schema schema) {}

  /**
   * Tells a registry that lost its data, or does not have it yet, from an id that never was: only
   * what stays unknown is. What was judged so stays so until the registry has it, and only some ids
   * are waited for: wrong records hold up their readers once, and not each.
   */
  private static final class UnknownIds {
    private static final int MAX_IDS = 16;

    /** Age from which an unknown id gives its room to another one. */
    private static final Duration KEPT = Duration.ofMinutes(10);

    private final Duration timeout;
    private final Time time;
    private final Map<Integer, Long> since = new LinkedHashMap<>();

    UnknownIds(Duration timeout, Time time) {
      this.timeout = timeout;
      this.time = time;
    }

    synchronized RegistryException judge(int id, RegistryException.NotFound unknown) {
      long now = time.nanoTime();
      if (!since.containsKey(id) && since.size() == MAX_IDS) {
        since.values().removeIf(begun -> now - begun > KEPT.toNanos());
      }
      if (since.size() == MAX_IDS && !since.containsKey(id)) {
        return unknown;
      }
      since.putIfAbsent(id, now);
      return now - since.get(id) < TimeUnit.NANOSECONDS.convert(timeout)
          ? new RegistryException.Unavailable(
              "%s; it is asked again for %d s, as a registry that was restored, or lags behind, gets ids back"
                  .formatted(unknown.getMessage(), timeout.toSeconds()),
              unknown)
          : unknown;
    }

    synchronized void found(int id) {
      since.remove(id);
    }
  }
}
