package io.indexview.kvstore.remote;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.remote.WireCodec.Call;
import io.indexview.kvstore.remote.WireCodec.Frame;
import io.indexview.kvstore.remote.WireCodec.Payload;
import io.indexview.kvstore.remote.WireCodec.Writer;
import io.indexview.schemas.http.OriginRule;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets other processes use a store of this one, through {@link RemoteKvStore}. For trials and
 * tests: whoever reaches the port can read and write everything. Pages in a browser cannot.
 */
public final class KvStoreServer implements AutoCloseable {
  /** Each has a thread, and reads ahead what its client has not taken yet. */
  static final int MAX_ITERATORS = 64;

  /** Clients that may wait for changes at a time; each has a thread. */
  static final int MAX_FOLLOWERS = 64;

  private static final Logger LOGGER = LoggerFactory.getLogger(KvStoreServer.class);
  private static final int THREADS = MAX_ITERATORS + MAX_FOLLOWERS + 32;
  private static final int MAX_WAITING = 256;

  /** Records may be large, and as many iterators may have read as many. */
  private static final int MAX_BATCH = 100;

  private static final int FRAME_BYTES = 64 << 10;
  private static final int END_SECONDS = 1;
  private static final int BREAK_OFF_SECONDS = 20;
  private static final int BUSY = 503;

  static {
    // Headers and body go out apart. Without this the body waits for the acknowledgement of the
    // headers, which clients hold back for 40 ms.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final HttpServer http;
  private final ThreadPoolExecutor threads;
  private final OriginRule rule;
  private final Map<KvDurability, KvStore> stores = new EnumMap<>(KvDurability.class);
  private final Semaphore iterators = new Semaphore(MAX_ITERATORS);
  private final Semaphore followers = new Semaphore(MAX_FOLLOWERS);
  private final Set<KvChanges> followed = ConcurrentHashMap.newKeySet();

  private KvStoreServer(
      HttpServer http, Set<String> names, Function<KvDurability, KvStore> stores) {
    this.http = http;
    this.rule = new OriginRule(names, "use localhost, or the address that it listens on");
    for (KvDurability durability : KvDurability.values()) {
      this.stores.put(durability, stores.apply(durability));
    }
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            task -> {
              Thread thread = new Thread(task, "indexview-kvstore-server");
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Listens. On a loopback address it answers only requests that name this machine.
   *
   * @param stores the store that writes with a durability; they stay open when the server closes
   * @throws IOException if the address cannot be listened on
   */
  public static KvStoreServer start(
      InetSocketAddress address, Function<KvDurability, KvStore> stores) throws IOException {
    KvStoreServer server = new KvStoreServer(HttpServer.create(address, 0), names(address), stores);
    server.http.setExecutor(server.threads);
    server.http.createContext("/", server.guarded(server::answer));
    server.http.start();
    LOGGER.info("The KV store is served at {}.", server.http.getAddress());
    return server;
  }

  /** What requests may name as host, in lower case; empty: anything. */
  private static Set<String> names(InetSocketAddress address) {
    InetAddress host = address.getAddress();
    if (host == null || !host.isLoopbackAddress()) {
      return Set.of();
    }
    Set<String> names = new HashSet<>(OriginRule.LOOPBACK);
    names.add(host.getHostAddress());
    return names;
  }

  /** The port that it listens on. */
  public int port() {
    return http.getAddress().getPort();
  }

  /** How many clients read from iterators now. */
  int openIterators() {
    return MAX_ITERATORS - iterators.availablePermits();
  }

  /** How many clients wait for changes now. */
  int waitingFollowers() {
    return MAX_FOLLOWERS - followers.availablePermits();
  }

  /** Lets requests end for a moment, then breaks them off; the stores are no longer used then. */
  @Override
  public void close() {
    threads.shutdown();
    followed.forEach(KvChanges::close);
    try {
      threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
      http.stop(0);
      // Not interrupted: the engine of an embedded store would have to be opened again.
      if (!threads.awaitTermination(BREAK_OFF_SECONDS, TimeUnit.SECONDS)) {
        LOGGER.warn(
            "Requests to the KV store do not end within {} s; whether they wrote is not known. If the"
                + " process stays, end it.",
            BREAK_OFF_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      http.stop(0);
    }
  }

  /** Answers those who may come in; what fails on the way to them ends the connection. */
  private HttpHandler guarded(HttpHandler handler) {
    return exchange -> {
      try (exchange) {
        Headers headers = exchange.getRequestHeaders();
        Optional<String> refusal =
            rule.refusal(
                null,
                headers.getFirst("Host"),
                headers.getFirst("Origin"),
                headers.getFirst("Sec-Fetch-Site"));
        if (refusal.isPresent()) {
          tell(exchange, 403, refusal.get());
        } else {
          handler.handle(exchange);
        }
      }
    };
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    boolean health = path.equals(WireCodec.HEALTH_PATH);
    if (!health && !path.equals(WireCodec.PATH)) {
      tell(exchange, 404, "there is nothing at this path");
    } else if (!exchange.getRequestMethod().equals(health ? "GET" : "POST")) {
      exchange.getResponseHeaders().set("Allow", health ? "GET" : "POST");
      tell(exchange, 405, "this path takes " + (health ? "GET" : "POST"));
    } else if (health) {
      tell(exchange, 200, "ok");
    } else if (!WireCodec.CONTENT_TYPE.equals(
        exchange.getRequestHeaders().getFirst("Content-Type"))) {
      tell(exchange, 415, "requests have the content type " + WireCodec.CONTENT_TYPE);
    } else {
      byte[] request = exchange.getRequestBody().readNBytes(WireCodec.MAX_REQUEST_BYTES + 1);
      if (request.length > WireCodec.MAX_REQUEST_BYTES) {
        tell(
            exchange,
            413,
            "a request has at most %,d bytes".formatted(WireCodec.MAX_REQUEST_BYTES));
      } else {
        answer(exchange, request);
      }
    }
  }

  private static void tell(HttpExchange exchange, int status, String what) throws IOException {
    byte[] text = (what + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    send(exchange, status, text);
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  private void answer(HttpExchange exchange, byte[] request) throws IOException {
    Action action;
    KvStore store;
    try {
      DataInputStream in = WireCodec.decoder(request);
      Call call = WireCodec.readEnum(in, Call.class);
      store = stores.get(WireCodec.readEnum(in, KvDurability.class));
      action = read(call, in);
      WireCodec.requireEnd(in);
    } catch (IOException | IllegalArgumentException | KvStoreException e) {
      tell(exchange, 400, "this is no request: " + e);
      return;
    }
    exchange.getResponseHeaders().set("Content-Type", WireCodec.CONTENT_TYPE);
    try {
      action.run(store, exchange);
    } catch (RuntimeException e) {
      send(exchange, 200, frame(Frame.FAILURE, failure(exchange, e)));
    }
  }

  /** What is done for a request: it is read to its end, and checked, before anything is done. */
  @FunctionalInterface
  private interface Action {
    void run(KvStore store, HttpExchange exchange) throws IOException;
  }

  private Action read(Call call, DataInputStream in) throws IOException {
    return switch (call) {
      case GET -> {
        KvKey key = WireCodec.readKey(in);
        KvConsistency consistency = WireCodec.readConsistency(in);
        yield (store, exchange) ->
            result(
                exchange,
                out ->
                    WireCodec.writeOptional(
                        out, store.get(key, consistency), WireCodec::writeRecord));
      }
      case MULTI_GET -> {
        KvSelection selection = WireCodec.readSelection(in);
        KvConsistency consistency = WireCodec.readConsistency(in);
        yield (store, exchange) ->
            items(
                exchange,
                store.multiGet(selection, consistency).iterator(),
                WireCodec::writeRecord);
      }
      case WRITE -> {
        KvOperation operation = WireCodec.readOperation(in);
        yield (store, exchange) ->
            result(
                exchange,
                out ->
                    WireCodec.writeOptional(out, store.write(operation), WireCodec::writeVersion));
      }
      case PUT_ALL -> readPutAll(in);
      case MULTI_DELETE -> {
        KvSelection selection = WireCodec.readSelection(in);
        yield (store, exchange) ->
            result(exchange, out -> out.writeInt(store.multiDelete(selection)));
      }
      case EXECUTE -> {
        List<KvOperation> operations = WireCodec.readList(in, WireCodec::readOperation);
        yield (store, exchange) ->
            result(
                exchange,
                out -> WireCodec.writeList(out, store.execute(operations), WireCodec::writeResult));
      }
      case ITERATOR -> readIterator(in);
      case STORE_ITERATOR -> {
        KvScan scan = readScan(in);
        yield (store, exchange) ->
            iterate(exchange, () -> store.storeIterator(scan), WireCodec::writeRecord);
      }
      case STORE_KEYS_ITERATOR -> {
        KvScan scan = readScan(in);
        yield (store, exchange) ->
            iterate(exchange, () -> store.storeKeysIterator(scan), WireCodec::writeKey);
      }
      case CHANGES -> readChanges(in);
      case DELETE_ALL -> {
        List<KvKey> keys = WireCodec.readList(in, WireCodec::readKey);
        yield (store, exchange) -> result(exchange, out -> store.deleteAll(keys));
      }
    };
  }

  private Action readIterator(DataInputStream in) throws IOException {
    KvSelection selection = WireCodec.readSelection(in);
    KvDirection direction = WireCodec.readEnum(in, KvDirection.class);
    KvConsistency consistency = WireCodec.readConsistency(in);
    int batchSize = Math.min(in.readInt(), MAX_BATCH);
    return (store, exchange) ->
        iterate(
            exchange,
            () -> store.iterator(selection, direction, consistency, batchSize),
            WireCodec::writeRecord);
  }

  private static Action readPutAll(DataInputStream in) throws IOException {
    Map<KvKey, byte[]> records = new LinkedHashMap<>();
    WireCodec.readList(
        in, entry -> records.put(WireCodec.readKey(entry), WireCodec.readBytes(entry)));
    return (store, exchange) -> result(exchange, out -> store.putAll(records));
  }

  private Action readChanges(DataInputStream in) throws IOException {
    KvKeySet keys = WireCodec.readKeySet(in);
    Optional<KvChangePosition> from = WireCodec.readOptional(in, WireCodec::readPosition);
    Duration timeout = Duration.ofMillis(in.readLong());
    return (store, exchange) -> follow(exchange, () -> store.changes(keys, from), timeout);
  }

  private static KvScan readScan(DataInputStream in) throws IOException {
    KvScan scan = WireCodec.readScan(in);
    return scan.withBatchSize(Math.min(scan.batchSize(), MAX_BATCH));
  }

  private static void result(HttpExchange exchange, Payload payload) throws IOException {
    send(exchange, 200, frame(Frame.RESULT, WireCodec.encode(payload)));
  }

  private <T> void iterate(HttpExchange exchange, Supplier<KvIterator<T>> opener, Writer<T> writer)
      throws IOException {
    if (!iterators.tryAcquire()) {
      tell(exchange, BUSY, "%d iterators are open; close some".formatted(MAX_ITERATORS));
      return;
    }
    try (KvIterator<T> iterator = opener.get()) {
      items(exchange, iterator, writer);
    } finally {
      iterators.release();
    }
  }

  /**
   * One poll. Between two of them the client keeps the position, and the server nothing: an answer
   * that did not arrive is asked for again. To follow changes anew costs an embedded store nothing.
   */
  private void follow(HttpExchange exchange, Supplier<KvChanges> opener, Duration timeout)
      throws IOException {
    if (!followers.tryAcquire()) {
      tell(exchange, BUSY, "%d clients wait for changes".formatted(MAX_FOLLOWERS));
      return;
    }
    try (KvChanges changes = opener.get()) {
      Duration wait = timeout.compareTo(WireCodec.MAX_WAIT) < 0 ? timeout : WireCodec.MAX_WAIT;
      result(exchange, out -> WireCodec.writePolled(out, await(changes, wait)));
    } finally {
      followers.release();
    }
  }

  private WireCodec.Polled await(KvChanges changes, Duration wait) {
    followed.add(changes);
    long began = System.nanoTime();
    try {
      // A server that closes waits for nothing.
      KvChanges.Batch batch = changes.poll(threads.isShutdown() ? Duration.ZERO : wait);
      Optional<Duration> proven = changes.provenAge();
      return new WireCodec.Polled(
          batch, proven.isPresent() && proven.get().toNanos() <= System.nanoTime() - began);
    } finally {
      followed.remove(changes);
    }
  }

  /** Sends as much as the client takes; the connection holds back the rest. */
  private static <T> void items(HttpExchange exchange, Iterator<T> items, Writer<T> writer)
      throws IOException {
    exchange.sendResponseHeaders(200, 0);
    try (DataOutputStream out = new DataOutputStream(exchange.getResponseBody())) {
      ByteArrayOutputStream pending = new ByteArrayOutputStream(FRAME_BYTES);
      DataOutputStream encoder = new DataOutputStream(pending);
      byte[] end;
      try {
        while (items.hasNext()) {
          writer.write(encoder, items.next());
          if (pending.size() >= FRAME_BYTES) {
            WireCodec.writeFrame(out, Frame.ITEMS, pending.toByteArray());
            pending.reset();
          }
        }
        end = frame(Frame.END, new byte[0]);
      } catch (RuntimeException e) {
        end = frame(Frame.FAILURE, failure(exchange, e));
      }
      WireCodec.writeFrame(out, Frame.ITEMS, pending.toByteArray());
      out.write(end);
    }
  }

  private static byte[] frame(Frame frame, byte[] payload) {
    return WireCodec.encode(out -> WireCodec.writeFrame(out, frame, payload));
  }

  private static byte[] failure(HttpExchange exchange, RuntimeException e) {
    if (!(e instanceof KvStoreException || e instanceof IllegalArgumentException)) {
      LOGGER.error(
          "A request of {} to the KV store failed; mend the cause, or report it as a bug.",
          exchange.getRemoteAddress().getHostString(),
          e);
    }
    return WireCodec.encodeFailure(e);
  }
}
