package io.indexview.kvstore.remote;

import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvResult;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.WriteChecks;
import io.indexview.kvstore.remote.WireCodec.Call;
import io.indexview.kvstore.remote.WireCodec.Frame;
import io.indexview.kvstore.remote.WireCodec.Payload;
import io.indexview.kvstore.remote.WireCodec.Reader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The store of another process, which a {@link KvStoreServer} serves. A server that is away or does
 * not answer in time is {@link KvStoreException.Unavailable}, for an iterator too; the next call
 * tries again. A record with its key has at most 16 MiB.
 */
public final class RemoteKvStore implements KvStore {
  /** For the life of the process: a client cannot be closed, and has a thread of its own. */
  private static final HttpClient CLIENT =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .proxy(HttpClient.Builder.NO_PROXY)
          .build();

  /** Leaves room for what stands before the records. */
  private static final int BULK_BYTES = WireCodec.MAX_REQUEST_BYTES - 64;

  private static final int MAX_REFUSAL = 1_000;
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int TOO_LARGE = 413;
  private static final int SERVER_ERRORS = 500;

  private final String address;
  private final URI calls;
  private final KvStoreConfig config;
  private final Set<Answer> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private RemoteKvStore(String hostAndPort, KvStoreConfig config) {
    this.address = "http://" + hostAndPort;
    this.calls = URI.create(address + WireCodec.PATH);
    this.config = config;
  }

  /**
   * Opens the store if its server answers.
   *
   * @param hostAndPort of the server
   * @param config its address is ignored
   */
  public static RemoteKvStore open(String hostAndPort, KvStoreConfig config) {
    RemoteKvStore store = new RemoteKvStore(hostAndPort, config);
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
  public KvVersion put(KvKey key, byte[] value) {
    return write(new KvOperation.Put(key, value)).orElseThrow();
  }

  @Override
  public void putAll(Map<KvKey, byte[]> records) {
    records.keySet().forEach(WriteChecks::requireWritable);
    List<byte[]> entries = new ArrayList<>();
    int bytes = 0;
    for (Map.Entry<KvKey, byte[]> each : records.entrySet()) {
      byte[] entry =
          WireCodec.encode(
              out -> {
                WireCodec.writeKey(out, each.getKey());
                WireCodec.writeBytes(out, each.getValue());
              });
      if (bytes + entry.length > BULK_BYTES && !entries.isEmpty()) {
        putEntries(entries);
        entries.clear();
        bytes = 0;
      }
      entries.add(entry);
      bytes += entry.length;
    }
    if (!entries.isEmpty()) {
      putEntries(entries);
    }
  }

  private void putEntries(List<byte[]> entries) {
    call(
        Call.PUT_ALL,
        out -> WireCodec.writeList(out, entries, (to, entry) -> to.write(entry)),
        in -> null);
  }

  @Override
  public Optional<KvVersion> putIfAbsent(KvKey key, byte[] value) {
    return write(new KvOperation.PutIfAbsent(key, value));
  }

  @Override
  public Optional<KvVersion> putIfPresent(KvKey key, byte[] value) {
    return write(new KvOperation.PutIfPresent(key, value));
  }

  @Override
  public Optional<KvVersion> putIfVersion(KvKey key, byte[] value, KvVersion expected) {
    return write(new KvOperation.PutIfVersion(key, value, expected));
  }

  @Override
  public Optional<KvVersion> delete(KvKey key) {
    return write(new KvOperation.Delete(key));
  }

  @Override
  public boolean deleteIfVersion(KvKey key, KvVersion expected) {
    return write(new KvOperation.DeleteIfVersion(key, expected)).isPresent();
  }

  private Optional<KvVersion> write(KvOperation operation) {
    return call(
        Call.WRITE,
        out -> WireCodec.writeOperation(out, operation),
        in -> WireCodec.readOptional(in, WireCodec::readVersion));
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

  /** Also ends iterators that are open. */
  @Override
  public void close() {
    closed = true;
    open.forEach(Answer::close);
  }

  private <T> T call(Call call, Payload arguments, Reader<T> reader) {
    return call(call, arguments, reader, List.of());
  }

  private <T> T call(Call call, Payload arguments, Reader<T> reader, List<KvOperation> operations) {
    try (Answer answer = send(call, arguments)) {
      DataInputStream payload = answer.next(Frame.RESULT, operations).orElseThrow();
      T result = reader.read(payload);
      WireCodec.requireEnd(payload);
      answer.finish();
      return result;
    } catch (IOException e) {
      throw incomprehensible(e);
    }
  }

  private <T> KvIterator<T> items(Call call, Payload arguments, Reader<T> reader) {
    return new Items<>(send(call, arguments), reader);
  }

  private Answer send(Call call, Payload arguments) {
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
    return send(
        HttpRequest.newBuilder(calls)
            .header("Content-Type", WireCodec.CONTENT_TYPE)
            .POST(HttpRequest.BodyPublishers.ofByteArray(request)));
  }

  private Answer send(HttpRequest.Builder request) {
    if (closed) {
      throw new IllegalStateException("The store is closed.");
    }
    HttpResponse<Answer> response;
    try {
      response =
          CLIENT.send(request.timeout(config.requestTimeout()).build(), head -> new Answer());
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (IOException e) {
      throw new KvStoreException.Unavailable(
          "The store at %s does not answer: %s".formatted(address, e), e);
    }
    Answer answer = response.body();
    if (response.statusCode() != OK) {
      try (answer) {
        throw refusal(response.statusCode(), answer.text());
      }
    }
    open.add(answer);
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

  private KvStoreException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new KvStoreException.Unavailable(
        "A call to the store at %s was interrupted.".formatted(address), e);
  }

  private KvStoreException incomprehensible(IOException e) {
    return new KvStoreException.Misconfigured(
        "What answers at %s is no store of this release: %s".formatted(address, e), e);
  }

  /** One answer as it comes in, no faster than it is read. For one thread, but to be closed. */
  private final class Answer extends InputStream implements HttpResponse.BodySubscriber<Answer> {
    private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
    private final DataInputStream in = new DataInputStream(this);
    private Iterator<ByteBuffer> buffers = Collections.emptyIterator();
    private ByteBuffer buffer = ByteBuffer.allocate(0);
    private Flow.Subscription subscription;
    private boolean demanded = true;
    private volatile boolean ended;

    /** What came, or with what it ended; with nothing if that is its end. */
    private record Part(List<ByteBuffer> bytes, Throwable failure) {}

    @Override
    public CompletionStage<Answer> getBody() {
      return CompletableFuture.completedFuture(this);
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription given) {
      subscription = given;
      if (ended) {
        given.cancel();
      } else {
        given.request(1);
      }
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
      parts.add(new Part(bytes, null));
    }

    @Override
    public void onError(Throwable failure) {
      parts.add(new Part(List.of(), failure));
    }

    @Override
    public void onComplete() {
      parts.add(new Part(List.of(), null));
    }

    /**
     * The payload of the next frame; empty at the end of items. A failure that the frame tells is
     * thrown.
     *
     * @param expected what kind of frame it is to be
     * @param operations that the answer is about, if there are several
     */
    Optional<DataInputStream> next(Frame expected, List<KvOperation> operations) {
      boolean usable = false;
      try {
        Frame frame = WireCodec.readEnum(in, Frame.class);
        int length = in.readInt();
        if (length < 0 || length > WireCodec.MAX_FRAME_BYTES) {
          throw new ProtocolException("a frame of %d bytes".formatted(length));
        }
        byte[] payload = in.readNBytes(length);
        if (payload.length < length) {
          throw new EOFException();
        }
        DataInputStream decoder = WireCodec.decoder(payload);
        if (frame == Frame.FAILURE) {
          throw WireCodec.readFailure(decoder, operations);
        }
        if (frame != expected && !(frame == Frame.END && expected == Frame.ITEMS)) {
          throw new ProtocolException("%s instead of %s".formatted(frame, expected));
        }
        usable = true;
        return frame == Frame.END ? Optional.empty() : Optional.of(decoder);
      } catch (EOFException e) {
        throw new KvStoreException.Unavailable(
            "The answer of the store at %s broke off.".formatted(address), e);
      } catch (IOException e) {
        throw incomprehensible(e);
      } finally {
        if (!usable) {
          close();
        }
      }
    }

    /** Reads to the end, so that the connection can be used again. */
    void finish() {
      if (read() >= 0) {
        close();
      }
    }

    /** The beginning of an answer that is a text. */
    String text() {
      try {
        return new String(in.readNBytes(MAX_REFUSAL), StandardCharsets.UTF_8).strip();
      } catch (IOException e) {
        throw incomprehensible(e);
      }
    }

    @Override
    public int read() {
      return fill() ? buffer.get() & 0xFF : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      if (length == 0) {
        return 0;
      }
      if (!fill()) {
        return -1;
      }
      int count = Math.min(length, buffer.remaining());
      buffer.get(bytes, offset, count);
      return count;
    }

    /** Whether there is a byte to read, which is waited for. */
    private boolean fill() {
      while (!ended && !buffer.hasRemaining()) {
        if (buffers.hasNext()) {
          buffer = buffers.next();
        } else {
          receive();
        }
      }
      return !ended;
    }

    private void receive() {
      if (!demanded) {
        subscription.request(1);
      }
      Part part;
      try {
        part = parts.poll(config.requestTimeout().toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
      if (part == null) {
        throw new KvStoreException.Unavailable(
            "The store at %s has said nothing for %s.".formatted(address, config.requestTimeout()));
      }
      if (part.failure() != null) {
        throw new KvStoreException.Unavailable(
            "The answer of the store at %s broke off: %s".formatted(address, part.failure()),
            part.failure());
      }
      if (part.bytes().isEmpty()) {
        ended = true;
        open.remove(this);
      }
      buffers = part.bytes().iterator();
      demanded = false;
    }

    /** Ends the connection unless everything was read. */
    @Override
    public void close() {
      open.remove(this);
      synchronized (this) {
        if (!ended && subscription != null) {
          subscription.cancel();
        }
        ended = true;
      }
      // For a thread that waits for more.
      onComplete();
    }
  }

  /** The items of an answer, which are read as they are asked for. */
  private final class Items<T> implements KvIterator<T> {
    private final Answer answer;
    private final Reader<T> reader;
    private DataInputStream frame = WireCodec.decoder(new byte[0]);
    private boolean ended;

    Items(Answer answer, Reader<T> reader) {
      this.answer = answer;
      this.reader = reader;
    }

    @Override
    public boolean hasNext() {
      try {
        while (!ended && frame.available() == 0) {
          Optional<DataInputStream> next = answer.next(Frame.ITEMS, List.of());
          if (next.isPresent()) {
            frame = next.get();
          } else {
            answer.finish();
            ended = true;
          }
        }
        return !ended;
      } catch (IOException e) {
        throw incomprehensible(e);
      }
    }

    @Override
    public T next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      try {
        return reader.read(frame);
      } catch (IOException e) {
        throw incomprehensible(e);
      }
    }

    @Override
    public void close() {
      ended = true;
      answer.close();
    }
  }
}
