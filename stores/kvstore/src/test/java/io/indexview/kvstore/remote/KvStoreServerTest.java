package io.indexview.kvstore.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.open.KvStores;
import io.indexview.kvstore.remote.WireCodec.Call;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server and its clients when one of them goes away, or is none of ours. */
@Timeout(120)
class KvStoreServerTest {
  private static final KvKey KEY = KvKey.ofMajor("a");
  private static final byte[] VALUE = {1};

  /** More than the buffers of a connection hold. */
  private static final int LARGE_RECORDS = 60;

  private static final int LARGE = 512 << 10;

  @TempDir private Path directory;

  private KvStore embedded;
  private KvStoreServer server;
  private KvStore store;

  @BeforeEach
  void start() throws IOException {
    embedded = open(directory.resolve("store"));
    server = serve(0);
    store = KvStores.open("remote://127.0.0.1:" + server.port());
  }

  @AfterEach
  void stop() {
    store.close();
    server.close();
    embedded.close();
  }

  private static KvStore open(Path directory) {
    return KvStores.open(
        KvStoreConfig.of("embedded:" + directory).withDurability(KvDurability.WRITE_NO_SYNC));
  }

  private KvStoreServer serve(int port) throws IOException {
    return KvStoreServer.start(loopback(port), durability -> embedded);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  @Test
  void goesOnWithAServerThatWasStartedAgain() throws IOException {
    putLargeRecords();
    KvIterator<KvRecord> scan = store.storeIterator(KvScan.all());
    scan.next();
    int port = server.port();

    server.close();
    assertThatExceptionOfType(KvStoreException.Unavailable.class).isThrownBy(() -> drain(scan));
    assertThatExceptionOfType(KvStoreException.Unavailable.class).isThrownBy(scan::hasNext);
    assertThatExceptionOfType(KvStoreException.Unavailable.class)
        .isThrownBy(() -> store.get(KEY))
        .withMessageContaining("http://127.0.0.1:" + port);
    assertThatExceptionOfType(KvStoreException.Unavailable.class)
        .isThrownBy(() -> KvStores.open("remote://127.0.0.1:" + port));

    server = serve(port);
    assertThat(store.get(large(0))).isPresent();
    try (KvIterator<KvRecord> again = store.storeIterator(KvScan.all())) {
      assertThat(drain(again)).isEqualTo(LARGE_RECORDS);
    }
  }

  @Test
  void breaksAnIteratorOffWhenTheStoreFails() {
    putLargeRecords();
    try (KvIterator<KvRecord> scan = store.storeIterator(KvScan.all().withBatchSize(1))) {
      scan.next();
      embedded.close();

      assertThatExceptionOfType(KvStoreException.Unavailable.class)
          .isThrownBy(() -> drain(scan))
          .withMessageContaining("The store is closed");
    }
    await().until(() -> server.openIterators() == 0);
  }

  @Test
  void readsNoMoreThanItsClientTakes() {
    putLargeRecords();
    KvIterator<KvRecord> scan = store.storeIterator(KvScan.all().withBatchSize(1));
    scan.next();
    await().until(() -> server.openIterators() == 1);

    scan.close();
    await().until(() -> server.openIterators() == 0);
    assertThat(scan.hasNext()).isFalse();
  }

  @Test
  void endsTheIteratorsOfAClientThatIsKilled() throws IOException {
    putLargeRecords();
    try (Connection client = new Connection()) {
      client.post(request(Call.STORE_ITERATOR, out -> WireCodec.writeScan(out, KvScan.all())));
      client.socket.getInputStream().read();
      await().until(() -> server.openIterators() == 1);

      // As the system does it when a process dies with something unread.
      client.socket.setSoLinger(true, 0);
    }

    await().until(() -> server.openIterators() == 0);
  }

  @Test
  void opensOnlySoManyIterators() throws IOException {
    putLargeRecords();
    List<Connection> clients = new ArrayList<>();
    try {
      KvScan small = KvScan.all().withBatchSize(1);
      byte[] scan = request(Call.STORE_ITERATOR, out -> WireCodec.writeScan(out, small));
      while (clients.size() < KvStoreServer.MAX_ITERATORS) {
        clients.add(new Connection());
        clients.get(clients.size() - 1).post(scan);
      }
      await().until(() -> server.openIterators() == KvStoreServer.MAX_ITERATORS);

      assertThatExceptionOfType(KvStoreException.Unavailable.class)
          .isThrownBy(() -> store.storeIterator(KvScan.all()))
          .withMessageContaining("iterators are open");
      assertThat(store.get(large(0))).as("other calls are answered").isPresent();
    } finally {
      for (Connection client : clients) {
        client.close();
      }
    }
    await().until(() -> server.openIterators() == 0);
  }

  @Test
  void endsIteratorsWithTheStoreThatOpenedThem() {
    putLargeRecords();
    KvIterator<KvRecord> scan = store.storeIterator(KvScan.all());
    scan.next();

    store.close();

    await().until(() -> server.openIterators() == 0);
    assertThatIllegalStateException().isThrownBy(() -> store.get(KEY));
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data"})
  void refusesWhatAFormOfAWebPageCanSend(String type) throws IOException {
    String answer = post("Host: localhost\r\nContent-Type: " + type, putRequest());

    assertThat(answer).startsWith("HTTP/1.1 415 ").contains(WireCodec.CONTENT_TYPE);
    assertThat(embedded.get(KEY)).isEmpty();
  }

  @Test
  void refusesWhatAScriptOfAWebPageCanSend() throws IOException {
    String type = "Content-Type: " + WireCodec.CONTENT_TYPE;
    String crossOrigin = post("Host: localhost\r\nOrigin: null\r\n" + type, putRequest());
    String sameOrigin =
        post("Host: localhost:1\r\nOrigin: http://localhost:1\r\n" + type, putRequest());
    String embedding =
        send(
            "GET " + WireCodec.HEALTH_PATH,
            "Host: localhost\r\nSec-Fetch-Site: cross-site",
            new byte[0]);
    String rebound = post("Host: rebound.example.com\r\n" + type, putRequest());
    String preflight =
        send(
            "OPTIONS " + WireCodec.PATH,
            "Host: localhost\r\nAccess-Control-Request-Method: POST",
            new byte[0]);

    assertThat(List.of(crossOrigin, sameOrigin, embedding))
        .allSatisfy(answer -> assertThat(answer).startsWith("HTTP/1.1 403 ").contains("web pages"));
    assertThat(rebound).startsWith("HTTP/1.1 403 ").contains("Host");
    assertThat(preflight).startsWith("HTTP/1.1 405 ").doesNotContain("Access-Control");
    assertThat(embedded.get(KEY)).isEmpty();
    assertThat(post("Host: LOCALHOST:1\r\n" + type, putRequest())).startsWith("HTTP/1.1 200 ");
    assertThat(embedded.get(KEY)).isPresent();
  }

  @Test
  void refusesRequestsThatEndTooEarlyOrTooLate() throws IOException {
    byte[] whole =
        request(
            Call.EXECUTE,
            out ->
                WireCodec.writeList(
                    out,
                    List.<KvOperation>of(
                        new KvOperation.Put(KEY, VALUE),
                        new KvOperation.DeleteIfVersion(KvKey.ofMajor("b"), new KvVersion("s", 1))),
                    WireCodec::writeOperation));
    for (int length = 0; length <= whole.length + 1; length++) {
      if (length != whole.length) {
        assertThat(post(Arrays.copyOf(whole, length)))
            .as("%d bytes of %d", length, whole.length)
            .startsWith("HTTP/1.1 400 ")
            .contains("this is no request");
      }
    }
    assertThat(embedded.get(KEY)).isEmpty();
    assertThat(store.get(KEY)).isEmpty();
  }

  @Test
  void answersWhateverComes() throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < 500; i++) {
      byte[] garbage = new byte[1 + random.nextInt(200)];
      random.nextBytes(garbage);
      garbage[0] = (byte) (random.nextInt(Call.values().length + 1));

      assertThat(post(garbage)).matches("(?s)HTTP/1.1 (200|400) .*");
    }
    assertThat(store.put(KEY, VALUE)).isNotNull();
  }

  @Test
  void refusesRequestsThatAreTooLarge() throws IOException {
    String answer = post(new byte[WireCodec.MAX_REQUEST_BYTES + 1]);

    assertThat(answer).startsWith("HTTP/1.1 413 ");
    assertThatExceptionOfType(KvStoreException.Refused.class)
        .isThrownBy(() -> store.put(KEY, new byte[WireCodec.MAX_REQUEST_BYTES]))
        .withMessageContaining("larger");
    assertThat(store.put(KEY, VALUE)).isNotNull();
  }

  @Test
  void putsMoreThanOneRequestHolds() {
    Map<KvKey, byte[]> records = new LinkedHashMap<>();
    for (int i = 0; i < 5; i++) {
      records.put(KvKey.ofMajor("bulk", "" + i), new byte[WireCodec.MAX_REQUEST_BYTES / 4]);
    }

    store.putAll(records);

    records.keySet().forEach(key -> assertThat(store.get(key)).isPresent());
  }

  @Test
  void answersOtherPathsAndMethodsWithTheirStatus() throws IOException {
    String host = "Host: localhost";

    assertThat(send("GET /health", host, new byte[0])).startsWith("HTTP/1.1 200 ");
    assertThat(send("GET /health", "Host: example.com", new byte[0])).startsWith("HTTP/1.1 403 ");
    assertThat(send("POST /health", host, VALUE)).startsWith("HTTP/1.1 405 ");
    assertThat(send("GET " + WireCodec.PATH, host, new byte[0])).startsWith("HTTP/1.1 405 ");
    assertThat(send("POST /other", host, VALUE)).startsWith("HTTP/1.1 404 ");
  }

  @Test
  void tellsTheKindOfAFailure() {
    KvVersion version = store.put(KEY, VALUE);
    KvConsistency later =
        KvConsistency.atLeast(new KvVersion(version.shard(), Long.MAX_VALUE), Duration.ofMillis(1));
    KvConsistency elsewhere =
        KvConsistency.atLeast(new KvVersion("elsewhere", 1), Duration.ofMillis(1));

    assertThatExceptionOfType(KvStoreException.Unavailable.class)
        .isThrownBy(() -> store.get(KEY, later))
        .withMessageContaining("has not reached version");
    assertThatExceptionOfType(KvStoreException.Refused.class)
        .isThrownBy(() -> store.get(KEY, elsewhere))
        .withMessageContaining("is not of this store");
  }

  @Test
  void writesWithTheDurabilityOfItsClient() throws IOException {
    try (KvStore other = open(directory.resolve("other"));
        KvStoreServer two =
            KvStoreServer.start(
                loopback(0), durability -> durability == KvDurability.SYNC ? embedded : other)) {
      KvStoreConfig config = KvStoreConfig.of("remote://localhost:" + two.port());
      try (KvStore sync = KvStores.open(config);
          KvStore noSync = KvStores.open(config.withDurability(KvDurability.WRITE_NO_SYNC))) {
        sync.put(KvKey.ofMajor("sync"), VALUE);
        noSync.put(KvKey.ofMajor("no sync"), VALUE);
      }
      assertThat(embedded.get(KvKey.ofMajor("sync"))).isPresent();
      assertThat(embedded.get(KvKey.ofMajor("no sync"))).isEmpty();
      assertThat(other.get(KvKey.ofMajor("no sync"))).isPresent();
    }
  }

  private void putLargeRecords() {
    for (int i = 0; i < LARGE_RECORDS; i++) {
      embedded.put(large(i), new byte[LARGE]);
    }
  }

  private static KvKey large(int number) {
    return KvKey.ofMajor("large", "%03d".formatted(number));
  }

  private static int drain(KvIterator<KvRecord> iterator) {
    int count = 0;
    while (iterator.hasNext()) {
      iterator.next();
      count++;
    }
    return count;
  }

  private static byte[] putRequest() {
    return request(
        Call.WRITE, out -> WireCodec.writeOperation(out, new KvOperation.Put(KEY, VALUE)));
  }

  private static byte[] request(Call call, WireCodec.Payload arguments) {
    return WireCodec.encode(
        out -> {
          WireCodec.writeEnum(out, call);
          WireCodec.writeEnum(out, KvDurability.SYNC);
          arguments.writeTo(out);
        });
  }

  private String post(byte[] body) throws IOException {
    return post("Host: localhost\r\nContent-Type: " + WireCodec.CONTENT_TYPE, body);
  }

  private String post(String headers, byte[] body) throws IOException {
    return send("POST " + WireCodec.PATH, headers, body);
  }

  private String send(String methodAndPath, String headers, byte[] body) throws IOException {
    try (Connection connection = new Connection()) {
      connection.send(methodAndPath, headers + "\r\nConnection: close", body);
      byte[] answer = connection.socket.getInputStream().readAllBytes();
      return new String(answer, StandardCharsets.ISO_8859_1);
    }
  }

  /** A client that sends what it likes. */
  private final class Connection implements Closeable {
    private final Socket socket = new Socket();

    Connection() throws IOException {
      socket.setReceiveBufferSize(4 << 10);
      socket.connect(loopback(server.port()));
    }

    void post(byte[] body) throws IOException {
      send(
          "POST " + WireCodec.PATH,
          "Host: localhost\r\nContent-Type: " + WireCodec.CONTENT_TYPE,
          body);
    }

    void send(String methodAndPath, String headers, byte[] body) throws IOException {
      String head =
          "%s HTTP/1.1\r\n%s\r\nContent-Length: %d\r\n\r\n"
              .formatted(methodAndPath, headers, body.length);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().write(body);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
