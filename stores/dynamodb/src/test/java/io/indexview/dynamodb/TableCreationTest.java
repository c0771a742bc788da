package io.indexview.dynamodb;

import static io.indexview.dynamodb.ServiceAnswers.fail;
import static io.indexview.dynamodb.ServiceAnswers.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.indexview.dynamodb.TableSpec.Key;
import io.indexview.dynamodb.TableSpec.KeyType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How tables are created and checked, on a service that answers as scripted. */
class TableCreationTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final TableSpec FILES =
      new TableSpec("files", new Key("id", KeyType.STRING), null, List.of(), null);

  private static final TableSpec INDEXED =
      new TableSpec(
          "files",
          FILES.partitionKey(),
          null,
          List.of(new TableSpec.Index("by-id", FILES.partitionKey(), null)),
          null);

  private static final TableSpec EXPIRING =
      new TableSpec("files", new Key("id", KeyType.STRING), null, List.of(), "expires");

  /** What the service does with the creations to come, in this order. */
  private enum Creation {
    DONE,
    /** Done, but answered as a failure that the SDK repeats. */
    DONE_UNHEARD,
    /** Somebody else's table comes first. */
    SOMEBODY_ELSES,
    NOT_AVAILABLE
  }

  private final Queue<Creation> creations = new ConcurrentLinkedQueue<>();
  private volatile String table;
  private volatile String keyAttribute = "id";
  private volatile Instant somebodyElses;
  private volatile boolean active = true;

  /** So many times more the index is told of as not built yet. */
  private final AtomicInteger indexScans = new AtomicInteger();

  /** Nobody has made the index yet; whoever asks for it finds that somebody was quicker. */
  private volatile boolean isIndexMissing;

  private final Queue<String> denied = new ConcurrentLinkedQueue<>();
  private final Queue<String> updated = new ConcurrentLinkedQueue<>();
  private HttpServer service;
  private ItemStore store;

  @BeforeEach
  void start() throws IOException {
    service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext("/", this::answer);
    service.start();
    URI endpoint = URI.create("http://127.0.0.1:" + service.getAddress().getPort());
    store = DynamoDbItemStore.open(new DynamoDbSettings("local", endpoint, "key", "secret", 4));
  }

  @AfterEach
  void stop() {
    store.close();
    service.stop(0);
  }

  @Test
  void tellsTheIdentityBeforeTheTableCanBeUsed() {
    active = false;
    creations.add(Creation.DONE);
    Queue<String> reported = new ConcurrentLinkedQueue<>();

    store.ensureTable(
        FILES,
        TIMEOUT,
        identity -> {
          reported.add(identity);
          active = true;
        });

    assertThat(reported).containsExactly("id-1");
  }

  @Test
  void cannotUseATableYetThatSomebodyElseStillCreates() {
    active = false;
    table = description(Instant.now());

    assertThatThrownBy(() -> store.checkTable(FILES))
        .isInstanceOf(ItemStoreException.Unavailable.class)
        .hasMessageContaining("it is CREATING");
  }

  @Test
  void waitsForAnIndexThatIsStillBuiltThoughTheTableIsActive() {
    table = description(Instant.now());
    indexScans.set(3);

    assertThatThrownBy(() -> store.checkTable(INDEXED))
        .isInstanceOf(ItemStoreException.Unavailable.class)
        .hasMessageContaining("it is ACTIVE, index by-id CREATING");
    store.ensureTable(INDEXED, TIMEOUT);

    assertThat(indexScans).hasNegativeValue();
    assertThatCode(() -> store.checkTable(INDEXED)).doesNotThrowAnyException();
  }

  @Test
  void takesAnIndexThatSomebodyElseAddsFirst() {
    table = description(Instant.now());
    isIndexMissing = true;

    assertThatCode(() -> store.ensureTable(INDEXED, TIMEOUT)).doesNotThrowAnyException();
    assertThat(updated).containsExactly("UpdateTable");
  }

  @Test
  void usesATableWhoseTimeToLiveItMayNotLookAt() {
    denied.add("DescribeTimeToLive");
    table = description(Instant.now());

    assertThatCode(() -> store.checkTable(EXPIRING)).doesNotThrowAnyException();
    assertThatCode(() -> store.ensureTable(EXPIRING, TIMEOUT)).doesNotThrowAnyException();
    assertThat(updated).isEmpty();
  }

  @Test
  void switchesTimeToLiveOfItsTableOnThoughItMayNotLookAtIt() {
    denied.add("DescribeTimeToLive");
    creations.add(Creation.DONE);
    Queue<String> reported = new ConcurrentLinkedQueue<>();

    store.ensureTable(EXPIRING, TIMEOUT, reported::add);

    assertThat(reported).containsExactly("id-1");
    assertThat(updated).containsExactly("UpdateTimeToLive");
  }

  @Test
  void usesNoTableThatItMayNotLookAt() {
    denied.add("DescribeTable");

    assertThatThrownBy(() -> store.checkTable(EXPIRING))
        .isInstanceOf(ItemStoreException.Permanent.class)
        .isNotInstanceOf(ItemStoreException.NoTable.class);
  }

  @Test
  void knowsItsTableWhereTheAnswerWasLost() {
    creations.add(Creation.DONE_UNHEARD);

    assertThat(ensure()).containsExactly("id-1");
  }

  @Test
  void claimsNoTableThatIsThereAlready() {
    table = description(Instant.now());

    assertThat(ensure()).isEmpty();
  }

  @Test
  void claimsNoTableThatComesBeforeItsOnlyAttempt() {
    somebodyElses = Instant.now().plusSeconds(60);
    creations.add(Creation.SOMEBODY_ELSES);

    assertThat(ensure()).isEmpty();
  }

  @Test
  void claimsNoTableThatIsOlderThanItsAttempts() {
    somebodyElses = Instant.now().minusSeconds(1);
    creations.addAll(List.of(Creation.NOT_AVAILABLE, Creation.SOMEBODY_ELSES));

    assertThat(ensure()).isEmpty();
  }

  @Test
  void claimsNoTableOfOtherKeys() {
    keyAttribute = "other";
    somebodyElses = Instant.now().plusSeconds(60);
    creations.addAll(List.of(Creation.NOT_AVAILABLE, Creation.SOMEBODY_ELSES));
    Queue<String> reported = new ConcurrentLinkedQueue<>();

    assertThatThrownBy(() -> store.ensureTable(FILES, TIMEOUT, reported::add))
        .isInstanceOf(ItemStoreException.Permanent.class)
        .hasMessageContaining("partition key is other");
    assertThat(reported).isEmpty();
  }

  private Queue<String> ensure() {
    Queue<String> reported = new ConcurrentLinkedQueue<>();
    store.ensureTable(FILES, TIMEOUT, reported::add);
    return reported;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String target = exchange.getRequestHeaders().getFirst("X-Amz-Target");
    String request = target.substring(target.indexOf('.') + 1);
    if (denied.contains(request)) {
      fail(exchange, 400, "AccessDeniedException");
    } else if (request.startsWith("Update")) {
      updated.add(request);
      if (isIndexMissing) {
        isIndexMissing = false;
        fail(exchange, 400, "ValidationException");
      } else {
        send(exchange, 200, "{}");
      }
    } else if (request.equals("CreateTable")) {
      create(exchange);
    } else if (table == null) {
      fail(exchange, 400, "ResourceNotFoundException");
    } else {
      send(
          exchange,
          200,
          "{\"Table\":"
              + (isIndexMissing ? withoutIndex() : table)
                  .formatted(
                      active ? "ACTIVE" : "CREATING",
                      indexScans.getAndDecrement() > 0 ? "CREATING" : "ACTIVE")
              + "}");
    }
  }

  private void create(HttpExchange exchange) throws IOException {
    Creation creation = creations.poll();
    if (creation == Creation.NOT_AVAILABLE) {
      fail(exchange, 500, "InternalServerError");
      return;
    }
    if (creation == Creation.SOMEBODY_ELSES) {
      table = description(somebodyElses);
    }
    if (table != null) {
      fail(exchange, 400, "ResourceInUseException");
      return;
    }
    table = description(Instant.now());
    if (creation == Creation.DONE_UNHEARD) {
      fail(exchange, 500, "InternalServerError");
    } else {
      send(exchange, 200, "{\"TableDescription\":" + table.formatted("CREATING", "CREATING") + "}");
    }
  }

  private String withoutIndex() {
    return table.replaceFirst("(?s)\"GlobalSecondaryIndexes.*?\\]\\}\\],", "");
  }

  /** In the service's JSON, with places for the statuses of the table and its index. */
  private String description(Instant created) {
    return """
    {"TableName": "files", "TableId": "id-1", "TableStatus": "%%s", "CreationDateTime": %d.%03d,
     "KeySchema": [{"AttributeName": "%s", "KeyType": "HASH"}],
     "GlobalSecondaryIndexes": [
       {"IndexName": "by-id", "IndexStatus": "%%s", "Projection": {"ProjectionType": "ALL"},
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}],
     "AttributeDefinitions": [{"AttributeName": "%s", "AttributeType": "S"},
       {"AttributeName": "id", "AttributeType": "S"}]}
    """
        .formatted(
            created.getEpochSecond(), created.getNano() / 1_000_000, keyAttribute, keyAttribute);
  }
}
