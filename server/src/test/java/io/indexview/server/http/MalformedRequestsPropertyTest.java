package io.indexview.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import io.indexview.server.People;
import io.indexview.server.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever is sent to the server: whoever sent it is told what is wrong with it. */
class MalformedRequestsPropertyTest {
  private static final long MAX_BYTES = 1 << 20;

  /** What is unknown of HTTP, and what may be otherwise later. */
  private static final Set<Integer> NO_FAILURES = Set.of(501, 503, 504, 505);

  private static final JsonMapper FIRST_OF_SEVERAL = JsonMapper.builder().build();

  private static final String[] METHODS = {"GET", "PUT", "POST", "DELETE", "PATCH", "HEAD"};

  /** Methods and paths as the server knows them; what has a body has the most ways to be wrong. */
  private static final String[] ROUTES = {
    "PUT /views/by-org",
    "PUT /views/by-org?dryRun=true",
    "POST /views/by-org/rebuild",
    "POST /records/people",
    "POST /records/people/execute",
    "POST /record-sets/people/published-again",
    "GET /views",
    "GET /views/by-org",
    "DELETE /views/by-org",
    "POST /views/by-org/rollback",
    "GET /views/by-org/rows?org=Support&from=2017-08-20&to=a%2Fb&limit=5&desc&isNull=email",
    "GET /views/by-org/rows?key.prefix=x&prefix=S&policy=wait&timeout=10s&atLeast=v1~t~0~5&page=AAEC",
    "GET /views/by-org/rows?maxStaleness=5s&consistency=eventual&fetch=true&index=i",
    "GET /records/people?key=/World/people/1",
    "DELETE /records/people?key=%2FWorld%2Fpeople%2F1&ifVersion=0:1",
    "GET /records/people/under?key=/World/people&after=/World/people/1&limit=5",
    "DELETE /records/people/under?key=%2FWorld%2Fpeople%2F1&limit=7",
    "GET /record-sets",
    "GET /sources",
    "DELETE /sources/people-source",
    "GET /health/ready",
    "GET /metrics",
    "GET /openapi.yaml"
  };

  private static final int WITH_BODY = 6;

  private static final String[] HEADERS = {
    "Content-Type: application/json",
    "Content-Type: application/yaml",
    "Content-Type: application/json; charset=utf-16",
    "Accept: application/json;q=0.5, text/*",
    "If-Match: \"1001\", W/\"7\"",
    "If-None-Match: *",
    "Authorization: Bearer 0123456789abcdef",
    "Origin: http://127.0.0.1",
    "X-Forwarded-For: 10.0.0.1",
    "Cookie: a=b; c=d",
    "Range: bytes=0-5"
  };

  private static final String[] BODIES = {
    """
    {"key": "/World/people/1", "ifAbsent": false, "value":
      {"name": "Ann", "org": "Support", "joined": "2017-08-20", "email": null, "cost": 12.5}}
    """,
    "{\"key\": [\"World\", \"people\", \"1\"], \"value\": {}, \"ifVersion\": \"0:1\"}",
    """
    {"operations": [{"op": "delete", "key": "/World/people/1", "ifVersion": "0:1"},
      {"op": "put", "key": "/World/people/1/-/mail", "ifAbsent": true, "value":
        {"name": "Ann", "org": "Support", "joined": "2017-08-20"}}]}
    """,
    "{\"from\": \"snapshot\"}",
    "{\"since\": \"2026-01-02T03:04:05Z\"}",
    People.definition("by-org", "org"),
    """
    name: by-org
    source: people
    key: [org]
    target: kv
    """
  };

  private static Path directory;
  private static KvStore store;
  private static TestServer server;

  @BeforeContainer
  static void start() throws IOException {
    directory = Files.createTempDirectory("malformed-requests");
    store = KvStores.open(KvStoreConfig.of("embedded:" + directory));
    server = TestServer.startWithRoom(store, MAX_BYTES);
    server.reset();
  }

  @AfterContainer
  static void stop() throws IOException {
    server.close();
    store.close();
    try (var files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Property(tries = 500)
  void malformedRequestIsAnsweredOrRefused(@ForAll(supplier = Seeds.class) long seed)
      throws IOException {
    Random random = new Random(seed);
    byte[] request = request(random, new Mutator(random));

    String answer = RawHttp.exchange(server.address(), request);

    if (!answer.isEmpty()) {
      assertAnswer(answer);
    }
  }

  private static byte[] request(Random random, Mutator mutator) {
    boolean hasBody = random.nextInt(3) > 0;
    String[] route =
        (hasBody ? ROUTES[random.nextInt(WITH_BODY)] : ROUTES[random.nextInt(ROUTES.length)])
            .split(" ", 2);
    String method = random.nextInt(8) > 0 ? route[0] : METHODS[random.nextInt(METHODS.length)];
    String target =
        hasBody && random.nextInt(4) > 0
            ? route[1]
            : mutator.text(route[1]).replaceAll("\\s", "%20");
    String header =
        random.nextInt(4) > 0
            ? HEADERS[random.nextInt(2)]
            : mutator.text(HEADERS).replaceAll("[\r\n]", " ");
    byte[] body = hasBody ? mutator.utf8(BODIES) : new byte[0];
    String head =
        "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\nContent-Length: %d\r\n\r\n"
            .formatted(method, target, header, body.length);
    return joined(head.getBytes(StandardCharsets.UTF_8), body);
  }

  /** Half requests, wrong lengths, chunks that are none: the protocol itself. */
  @Property(tries = 300)
  void holdsUpNobodyElse(@ForAll(supplier = Seeds.class) long seed) throws IOException {
    Random random = new Random(seed);
    Mutator mutator = new Mutator(random);
    byte[] request =
        random.nextBoolean()
            ? mutator.bytes(request(random, mutator), chunked(random, mutator))
            : mutator.utf8(new String(chunked(random, mutator), StandardCharsets.UTF_8));

    String answer = RawHttp.exchange(server.address(), request);

    if (!answer.isEmpty()) {
      assertAnswer(answer);
    }
    assertThat(
            RawHttp.send(
                server.address(),
                "GET /health/live HTTP/1.1",
                "Host: localhost",
                "Connection: close"))
        .startsWith("HTTP/1.1 200");
  }

  private static byte[] chunked(Random random, Mutator mutator) {
    String body = mutator.text(BODIES);
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    return """
    POST /records/people HTTP/1.1\r
    Host: localhost\r
    Content-Type: application/json\r
    Transfer-Encoding: chunked\r
    \r
    %x\r
    %s\r
    %s\r
    \r
    """
        .formatted(length, body, random.nextInt(3) == 0 ? "ffffffffffffffff" : "0")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static void assertAnswer(String answer) throws IOException {
    assertThat(answer).matches("(?s)HTTP/1\\.1 [1-5]\\d\\d .*");
    int status = Integer.parseInt(answer.substring(9, 12));
    assertThat(status < 500 || NO_FAILURES.contains(status)).as(answer).isTrue();
    String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
    if (status >= 400 && body.startsWith("{")) {
      assertThat(answer).containsIgnoringCase("Content-Type: application/problem+json");
      JsonNode problem = FIRST_OF_SEVERAL.readTree(body);
      assertThat(problem.path("status").asInt()).isEqualTo(status);
      assertThat(problem.path("detail").asText()).isNotBlank();
    }
  }

  private static byte[] joined(byte[] head, byte[] body) {
    byte[] whole = new byte[head.length + body.length];
    System.arraycopy(head, 0, whole, 0, head.length);
    System.arraycopy(body, 0, whole, head.length, body.length);
    return whole;
  }
}
