package io.indexview.kvstore.remote;

import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.remote.WireCodec.Frame;
import io.indexview.kvstore.remote.WireCodec.Reader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One answer as it comes in, no faster than it is read. For one thread, but to be closed. */
final class Answer extends InputStream implements HttpResponse.BodySubscriber<Answer> {
  private static final int MAX_TEXT = 1_000;

  private final String address;
  private final Duration timeout;
  private final Consumer<Answer> onEnd;
  private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
  private final DataInputStream in = new DataInputStream(this);
  private Iterator<ByteBuffer> buffers = Collections.emptyIterator();
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private Flow.Subscription subscription;
  private boolean demanded = true;
  private volatile boolean ended;

  /** What came, or with what it ended; with nothing if that is its end. */
  private record Part(List<ByteBuffer> bytes, Throwable failure) {}

  /**
   * @param address whose answer it is, for messages
   * @param timeout how long to wait for more of it
   * @param onEnd called when it has ended, perhaps more than once
   */
  Answer(String address, Duration timeout, Consumer<Answer> onEnd) {
    this.address = address;
    this.timeout = timeout;
    this.onEnd = onEnd;
  }

  static KvStoreException interrupted(String address, InterruptedException e) {
    Thread.currentThread().interrupt();
    return new KvStoreException.Unavailable(
        "A call to the store at %s was interrupted.".formatted(address), e);
  }

  private KvStoreException incomprehensible(IOException e) {
    return new KvStoreException.Misconfigured(
        "What answers at %s is no store of this release: %s".formatted(address, e), e);
  }

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
   * The one result that this answer is.
   *
   * @param operations that it is about, if there are several
   */
  <T> T result(Reader<T> reader, List<KvOperation> operations) {
    DataInputStream payload = next(Frame.RESULT, operations).orElseThrow();
    try {
      T result = reader.read(payload);
      WireCodec.requireEnd(payload);
      finish();
      return result;
    } catch (IOException e) {
      throw incomprehensible(e);
    }
  }

  /** The items of this answer, read as they are asked for; closes it with the iterator. */
  <T> KvIterator<T> items(Reader<T> reader) {
    return new Items<>(reader);
  }

  /**
   * The payload of the next frame; empty at the end of items. A failure that the frame tells is
   * thrown.
   *
   * @param expected what kind of frame it is to be
   * @param operations that the answer is about, if there are several
   */
  private Optional<DataInputStream> next(Frame expected, List<KvOperation> operations) {
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
  private void finish() {
    if (read() >= 0) {
      close();
    }
  }

  /** The beginning of an answer that is a text. */
  String text() {
    try {
      return new String(in.readNBytes(MAX_TEXT), StandardCharsets.UTF_8).strip();
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
      part = parts.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw interrupted(address, e);
    }
    if (part == null) {
      throw new KvStoreException.Unavailable(
          "The store at %s has said nothing for %s.".formatted(address, timeout));
    }
    if (part.failure() != null) {
      throw new KvStoreException.Unavailable(
          "The answer of the store at %s broke off: %s".formatted(address, part.failure()),
          part.failure());
    }
    if (part.bytes().isEmpty()) {
      ended = true;
      onEnd.accept(this);
    }
    buffers = part.bytes().iterator();
    demanded = false;
  }

  /** Ends the connection unless everything was read. */
  @Override
  public void close() {
    onEnd.accept(this);
    synchronized (this) {
      if (!ended && subscription != null) {
        subscription.cancel();
      }
      ended = true;
    }
    // For a thread that waits for more.
    onComplete();
  }

  private final class Items<T> implements KvIterator<T> {
    private final Reader<T> reader;
    private DataInputStream frame = WireCodec.decoder(new byte[0]);
    private boolean exhausted;

    Items(Reader<T> reader) {
      this.reader = reader;
    }

    @Override
    public boolean hasNext() {
      try {
        while (!exhausted && frame.available() == 0) {
          Optional<DataInputStream> next = Answer.this.next(Frame.ITEMS, List.of());
          if (next.isPresent()) {
            frame = next.get();
          } else {
            finish();
            exhausted = true;
          }
        }
        return !exhausted;
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
      exhausted = true;
      Answer.this.close();
    }
  }
}
