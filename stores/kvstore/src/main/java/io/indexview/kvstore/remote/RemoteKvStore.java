package io.indexview.kvstore.remote;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvOperation.KvResult;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.WriteChecks;
import io.indexview.kvstore.remote.WireCodec.Call;
import io.indexview.kvstore.remote.WireCodec.Payload;
import io.indexview.kvstore.remote.WireCodec.Reader;
import java.io.DataInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * The store of another process, which a {@link KvStoreServer} serves. A server that is away or does
 * not answer in time is {@link KvStoreException.Unavailable}, for an iterator too; the next call
 * tries again. A record with its key has at most 16 MiB.
 */
public final class RemoteKvStore implements KvStore {
  /** One client for the life of the process: it cannot be closed, and has a thread of its own. */
  private static final HttpClient CLIENT =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .proxy(HttpClient.Builder.NO_PROXY)
          .build();

  /** Leaves room for what stands before the records. */
  private static final int BULK_BYTES = WireCodec.MAX_REQUEST_BYTES - 64;

  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int TOO_LARGE = 413;
  private static final int SERVER_ERRORS = 500;

  private final String address;
  private final URI calls;
  private final KvStoreConfig config;
  private final Duration maxWait;
  private final Set<Answer> open = ConcurrentHashMap.newKeySet();
  private final Set<RemoteChanges> followers = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private RemoteKvStore(String hostAndPort, KvStoreConfig config, Duration maxWait) {
    this.address = "http://" + hostAndPort;
    this.calls = URI.create(address + WireCodec.PATH);
    this.config = config;
    this.maxWait = maxWait;
  }

  /**
   * Opens the store if its server answers.
   *
   * @param hostAndPort of the server
   * @param config its address is ignored
   */
  public static RemoteKvStore open(String hostAndPort, KvStoreConfig config) {
    return open(hostAndPort, config, WireCodec.MAX_WAIT);
  }

  /**
   * @param maxWait for changes in one request, at most {@link WireCodec#MAX_WAIT}
   */
  static RemoteKvStore open(String hostAndPort, KvStoreConfig config, Duration maxWait) {
    RemoteKvStore store = new RemoteKvStore(hostAndPort, config, maxWait);
    store.send(HttpRequest.newBuilder(URI.create(store.address + WireCodec.HEALTH_PATH))).close();
    return store;
  }

  @Override
  public Optional<KvRecord> get(KvKey key, KvConsistency consistency) {
    return call(
        Call.GET,
        out -> {
          WireCodec.writeKey(out, key);
          WireCodec.writeConsistency(out, consistency);
        },
        in -> WireCodec.readOptional(in, WireCodec::readRecord));
  }

  @Override
  public List<KvRecord> multiGet(KvSelection selection, KvConsistency consistency) {
    List<KvRecord> records = new ArrayList<>();
    try (KvIterator<KvRecord> selected =
        items(
            Call.MULTI_GET,
            out -> {
              WireCodec.writeSelection(out, selection);
              WireCodec.writeConsistency(out, consistency);
            },
            WireCodec::readRecord)) {
      selected.forEachRemaining(records::add);
    }
    return records;
  }

  @Override
  public Optional<KvVersion> write(KvOperation operation) {
    return call(
        Call.WRITE,
        out -> WireCodec.writeOperation(out, operation),
        in -> WireCodec.readOptional(in, WireCodec::readVersion));
  }

  @Override
  public void putAll(Map<KvKey, byte[]> records) {
    writeEach(
        Call.PUT_ALL,
        records.keySet(),
        (out, key) -> {
          WireCodec.writeKey(out, key);
          WireCodec.writeBytes(out, records.get(key));
        });
  }

  @Override
  public void deleteAll(Collection<KvKey> keys) {
    writeEach(Call.DELETE_ALL, keys, WireCodec::writeKey);
  }

  private void writeEach(Call call, Collection<KvKey> keys, WireCodec.Writer<KvKey> writer) {
    keys.forEach(WriteChecks::requireWritable);
    List<byte[]> entries = new ArrayList<>();
    int bytes = 0;
    for (KvKey key : keys) {
      byte[] entry = WireCodec.encode(out -> writer.write(out, key));
      if (bytes + entry.length > BULK_BYTES && !entries.isEmpty()) {
        write(call, entries);
        entries.clear();
        bytes = 0;
      }
      entries.add(entry);
      bytes += entry.length;
    }
    if (!entries.isEmpty()) {
      write(call, entries);
    }
  }

  private void write(Call call, List<byte[]> entries) {
    call(
        call, out -> WireCodec.writeList(out, entries, (to, entry) -> to.write(entry)), in -> null);
  }

  @Override
  public int multiDelete(KvSelection selection) {
    return call(
        Call.MULTI_DELETE,
        out -> WireCodec.writeSelection(out, selection),
        DataInputStream::readInt);
  }

  @Override
  public List<KvResult> execute(List<KvOperation> operations) {
    return call(
        Call.EXECUTE,
        out -> WireCodec.writeList(out, operations, WireCodec::writeOperation),
        in -> WireCodec.readList(in, WireCodec::readResult),
        operations);
  }

  @Override
  public KvIterator<KvRecord> iterator(
      KvSelection selection, KvDirection direction, KvConsistency consistency, int batchSize) {
    if (batchSize < 1) {
      throw new IllegalArgumentException("batchSize %d must be at least 1.".formatted(batchSize));
    }
    return items(
        Call.ITERATOR,
        out -> {
          WireCodec.writeSelection(out, selection);
          WireCodec.writeEnum(out, direction);
          WireCodec.writeConsistency(out, consistency);
          out.writeInt(batchSize);
        },
        WireCodec::readRecord);
  }

  @Override
  public KvIterator<KvRecord> storeIterator(KvScan scan) {
    return items(Call.STORE_ITERATOR, out -> WireCodec.writeScan(out, scan), WireCodec::readRecord);
  }

  @Override
  public KvIterator<KvKey> storeKeysIterator(KvScan scan) {
    return items(
        Call.STORE_KEYS_ITERATOR, out -> WireCodec.writeScan(out, scan), WireCodec::readKey);
  }

  @Override
  public KvChanges changes(KvKeySet keys, Optional<KvChangePosition> from) {
    // Also with a position, of which nothing is taken yet: whether there are changes shows at once.
    KvChangePosition now = awaitChanges(keys, from, Duration.ZERO, sent -> {}).batch().next();
    RemoteChanges changes =
        new RemoteChanges(this, keys, from.orElse(now), maxWait, followers::remove);
    followers.add(changes);
    if (closed) {
      changes.close();
    }
    return changes;
  }

  /**
   * What came after a position.
   *
   * @param from nothing: now
   * @param wait at the server, at most {@link WireCodec#MAX_WAIT}
   * @param underway is given the request, which ends when that is cancelled
   */
  WireCodec.Polled awaitChanges(
      KvKeySet keys, Optional<KvChangePosition> from, Duration wait, Consumer<Future<?>> underway) {
    HttpRequest.Builder request =
        request(
            Call.CHANGES,
            out -> {
              WireCodec.writeKeySet(out, keys);
              WireCodec.writeOptional(out, from, WireCodec::writePosition);
              out.writeLong(wait.toMillis());
            });
    try (Answer answer = send(request, wait, underway)) {
      return answer.result(WireCodec::readPolled, List.of());
    }
  }

  /** Closes the store. Open iterators end, and so do polls that wait for changes. */
  @Override
  public void close() {
    closed = true;
    open.forEach(Answer::close);
    followers.forEach(RemoteChanges::close);
  }

  private <T> T call(Call call, Payload arguments, Reader<T> reader) {
    return call(call, arguments, reader, List.of());
  }

  private <T> T call(Call call, Payload arguments, Reader<T> reader, List<KvOperation> operations) {
    try (Answer answer = send(call, arguments)) {
      return answer.result(reader, operations);
    }
  }

  private <T> KvIterator<T> items(Call call, Payload arguments, Reader<T> reader) {
    return send(call, arguments).items(reader);
  }

  private Answer send(Call call, Payload arguments) {
    return send(request(call, arguments));
  }

  private HttpRequest.Builder request(Call call, Payload arguments) {
    byte[] request =
        WireCodec.encode(
            out -> {
              WireCodec.writeEnum(out, call);
              WireCodec.writeEnum(out, config.durability());
              arguments.writeTo(out);
            });
    if (request.length > WireCodec.MAX_REQUEST_BYTES) {
      throw new KvStoreException.Refused(
          "A request of %,d bytes is larger than the %,d bytes that a remote store takes."
              .formatted(request.length, WireCodec.MAX_REQUEST_BYTES));
    }
    return HttpRequest.newBuilder(calls)
        .header("Content-Type", WireCodec.CONTENT_TYPE)
        .POST(HttpRequest.BodyPublishers.ofByteArray(request));
  }

  private Answer send(HttpRequest.Builder request) {
    return send(request, Duration.ZERO, sent -> {});
  }

  /**
   * @param wait what the server takes longer than for other requests
   * @param underway is given the request
   */
  private Answer send(HttpRequest.Builder request, Duration wait, Consumer<Future<?>> underway) {
    if (closed) {
      throw new IllegalStateException("The store is closed.");
    }
    Duration timeout = config.requestTimeout().plus(wait);
    CompletableFuture<HttpResponse<Answer>> sent =
        CLIENT.sendAsync(
            request.timeout(timeout).build(), head -> new Answer(address, timeout, open::remove));
    underway.accept(sent);
    HttpResponse<Answer> response;
    try {
      response = sent.get();
    } catch (InterruptedException e) {
      sent.cancel(true);
      throw Answer.interrupted(address, e);
    } catch (ExecutionException | CancellationException e) {
      Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
      throw new KvStoreException.Unavailable(
          "The store at %s does not answer: %s".formatted(address, cause), cause);
    }
    Answer answer = response.body();
    if (response.statusCode() != OK) {
      try (answer) {
        throw refusal(response.statusCode(), answer.text());
      }
    }
    open.add(answer);
    if (closed) {
      answer.close();
    }
    return answer;
  }

  private KvStoreException refusal(int status, String why) {
    String message = "The store at %s answers %d: %s".formatted(address, status, why);
    if (status >= SERVER_ERRORS) {
      return new KvStoreException.Unavailable(message);
    }
    return status == BAD_REQUEST || status == TOO_LARGE
        ? new KvStoreException.Refused(message)
        : new KvStoreException.Misconfigured(message);
  }
}
