package io.indexview.kvstore.remote;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvExecutionException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvOperation.KvResult;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.io.UncheckedIOException;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What goes over the wire, for both sides. A request is one {@link Call} with its arguments; an
 * answer is a sequence of frames: kind, length, payload.
 *
 * <p>A length that is read counts only if as many bytes are there, and a value only if its type
 * takes it: everything else is a {@link ProtocolException} or an exception of the type.
 */
final class WireCodec {
  static final String PATH = "/kv/2";
  static final String HEALTH_PATH = "/health";

  /** No form of a web page can send it, and scripts only where a server lets their origin in. */
  static final String CONTENT_TYPE = "application/vnd.indexview.kv";

  static final int MAX_REQUEST_BYTES = 16 << 20;

  /** A record that came in a request fits, beside small ones. */
  static final int MAX_FRAME_BYTES = 2 * MAX_REQUEST_BYTES;

  /**
   * Longest wait for changes in one request: that a server went away without a word is noticed soon
   * after.
   */
  static final Duration MAX_WAIT = Duration.ofSeconds(10);

  private static final int MAX_MESSAGE = 4_000;

  /** What a client asks for; every call is followed by the durability of its writes. */
  enum Call {
    GET,
    MULTI_GET,
    WRITE,
    PUT_ALL,
    MULTI_DELETE,
    EXECUTE,
    ITERATOR,
    STORE_ITERATOR,
    STORE_KEYS_ITERATOR,
    CHANGES,
    DELETE_ALL
  }

  /** What a frame is: the whole answer, some items of many, the end of them, or a failure. */
  enum Frame {
    RESULT,
    ITEMS,
    END,
    FAILURE
  }

  private enum Failure {
    UNAVAILABLE,
    REFUSED,
    MISCONFIGURED,
    CONDITION,
    ILLEGAL_ARGUMENT,
    CHANGES_UNSUPPORTED
  }

  private enum Consistency {
    ABSOLUTE,
    NONE,
    AT_LEAST
  }

  private enum Operation {
    PUT,
    PUT_IF_ABSENT,
    PUT_IF_VERSION,
    DELETE,
    DELETE_IF_VERSION
  }

  /**
   * The outcome of one poll of changes.
   *
   * @param caughtUp whether every change that was acknowledged before the request has been named
   */
  record Polled(KvChanges.Batch batch, boolean caughtUp) {}

  /** Writes a payload. */
  @FunctionalInterface
  interface Payload {
    void writeTo(DataOutputStream out) throws IOException;
  }

  /** Writes one item of many. */
  @FunctionalInterface
  interface Writer<T> {
    void write(DataOutputStream out, T item) throws IOException;
  }

  /** Reads one item of many. */
  @FunctionalInterface
  interface Reader<T> {
    T read(DataInputStream in) throws IOException;
  }

  private WireCodec() {}

  /**
   * @throws KvStoreException.Refused if a text is too long for a request
   */
  static byte[] encode(Payload payload) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try {
      payload.writeTo(new DataOutputStream(bytes));
    } catch (UTFDataFormatException e) {
      throw new KvStoreException.Refused(
          "A text is longer than the 65,535 bytes that a request to a remote store takes.", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static DataInputStream decoder(byte[] payload) {
    return new DataInputStream(new ByteArrayInputStream(payload));
  }

  /**
   * @throws ProtocolException if something is left
   */
  static void requireEnd(DataInputStream in) throws IOException {
    if (in.available() > 0) {
      throw new ProtocolException("%d bytes too many".formatted(in.available()));
    }
  }

  static void writeFrame(DataOutputStream out, Frame frame, byte[] payload) throws IOException {
    writeEnum(out, frame);
    writeBytes(out, payload);
  }

  static void writeEnum(DataOutputStream out, Enum<?> constant) throws IOException {
    out.writeByte(constant.ordinal());
  }

  static <E extends Enum<E>> E readEnum(DataInputStream in, Class<E> type) throws IOException {
    int ordinal = in.readUnsignedByte();
    E[] constants = type.getEnumConstants();
    if (ordinal >= constants.length) {
      throw new ProtocolException("%d is no %s".formatted(ordinal, type.getSimpleName()));
    }
    return constants[ordinal];
  }

  static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  static byte[] readBytes(DataInputStream in) throws IOException {
    byte[] bytes = new byte[count(in, 1)];
    in.readFully(bytes);
    return bytes;
  }

  /** Reads a count of elements that take at least so many bytes each, and are all there. */
  private static int count(DataInputStream in, int minBytes) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > in.available() / minBytes) {
      throw new ProtocolException(
          "a length of %d, where %d bytes are left".formatted(count, in.available()));
    }
    return count;
  }

  static <T> void writeList(DataOutputStream out, List<T> list, Writer<T> writer)
      throws IOException {
    out.writeInt(list.size());
    for (T element : list) {
      writer.write(out, element);
    }
  }

  static <T> List<T> readList(DataInputStream in, Reader<T> reader) throws IOException {
    return readList(in, count(in, 1), reader);
  }

  private static <T> List<T> readList(DataInputStream in, int count, Reader<T> reader)
      throws IOException {
    List<T> list = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      list.add(reader.read(in));
    }
    return list;
  }

  static <T> void writeOptional(DataOutputStream out, Optional<T> value, Writer<T> writer)
      throws IOException {
    out.writeBoolean(value.isPresent());
    if (value.isPresent()) {
      writer.write(out, value.get());
    }
  }

  static <T> Optional<T> readOptional(DataInputStream in, Reader<T> reader) throws IOException {
    return in.readBoolean() ? Optional.of(reader.read(in)) : Optional.empty();
  }

  static void writeKey(DataOutputStream out, KvKey key) throws IOException {
    writeList(out, key.major(), DataOutputStream::writeUTF);
    writeList(out, key.minor(), DataOutputStream::writeUTF);
  }

  static KvKey readKey(DataInputStream in) throws IOException {
    return new KvKey(readPath(in), readPath(in));
  }

  /** However short the components are, a key has no more of them than bytes. */
  private static List<String> readPath(DataInputStream in) throws IOException {
    int components = count(in, Short.BYTES);
    if (components > KvKey.MAX_SERIALIZED_BYTES + 1) {
      throw new ProtocolException(components + " components, more than a key can have");
    }
    return readList(in, components, DataInput::readUTF);
  }

  static void writeKeySet(DataOutputStream out, KvKeySet keys) throws IOException {
    writeKey(out, keys.prefix());
    writeList(
        out,
        List.copyOf(keys.minors()),
        (to, minor) -> writeList(to, minor, DataOutputStream::writeUTF));
  }

  static KvKeySet readKeySet(DataInputStream in) throws IOException {
    return new KvKeySet(readKey(in), Set.copyOf(readList(in, WireCodec::readPath)));
  }

  static void writePosition(DataOutputStream out, KvChangePosition position) throws IOException {
    out.writeUTF(position.toText());
  }

  static KvChangePosition readPosition(DataInputStream in) throws IOException {
    return KvChangePosition.parse(in.readUTF());
  }

  static void writePolled(DataOutputStream out, Polled polled) throws IOException {
    writeList(out, polled.batch().keys(), WireCodec::writeKey);
    out.writeBoolean(polled.batch().hasGap());
    writePosition(out, polled.batch().next());
    out.writeBoolean(polled.caughtUp());
  }

  static Polled readPolled(DataInputStream in) throws IOException {
    KvChanges.Batch batch =
        new KvChanges.Batch(readList(in, WireCodec::readKey), in.readBoolean(), readPosition(in));
    return new Polled(batch, in.readBoolean());
  }

  static void writeVersion(DataOutputStream out, KvVersion version) throws IOException {
    out.writeUTF(version.shard());
    out.writeLong(version.vlsn());
  }

  static KvVersion readVersion(DataInputStream in) throws IOException {
    return new KvVersion(in.readUTF(), in.readLong());
  }

  static void writeRecord(DataOutputStream out, KvRecord written) throws IOException {
    writeKey(out, written.key());
    writeBytes(out, written.value());
    writeVersion(out, written.version());
    out.writeBoolean(written.tableRow());
  }

  static KvRecord readRecord(DataInputStream in) throws IOException {
    return new KvRecord(readKey(in), readBytes(in), readVersion(in), in.readBoolean());
  }

  static void writeResult(DataOutputStream out, KvResult result) throws IOException {
    writeOptional(out, result.version(), WireCodec::writeVersion);
    writeOptional(out, result.previousVersion(), WireCodec::writeVersion);
  }

  static KvResult readResult(DataInputStream in) throws IOException {
    return new KvResult(
        readOptional(in, WireCodec::readVersion), readOptional(in, WireCodec::readVersion));
  }

  static void writeConsistency(DataOutputStream out, KvConsistency consistency) throws IOException {
    if (consistency instanceof KvConsistency.AtLeast atLeast) {
      writeEnum(out, Consistency.AT_LEAST);
      writeVersion(out, atLeast.version());
      out.writeLong(atLeast.timeout().getSeconds());
      out.writeInt(atLeast.timeout().getNano());
    } else {
      writeEnum(
          out, consistency == KvConsistency.ABSOLUTE ? Consistency.ABSOLUTE : Consistency.NONE);
    }
  }

  static KvConsistency readConsistency(DataInputStream in) throws IOException {
    return switch (readEnum(in, Consistency.class)) {
      case ABSOLUTE -> KvConsistency.ABSOLUTE;
      case NONE -> KvConsistency.NONE;
      case AT_LEAST -> KvConsistency.atLeast(readVersion(in), readDuration(in));
    };
  }

  private static Duration readDuration(DataInputStream in) throws IOException {
    long seconds = in.readLong();
    int nanos = in.readInt();
    if (nanos < 0 || nanos >= 1_000_000_000) {
      throw new ProtocolException(nanos + " nanoseconds beside the seconds");
    }
    return Duration.ofSeconds(seconds, nanos);
  }

  static void writeRange(DataOutputStream out, KvRange range) throws IOException {
    writeOptional(out, Optional.ofNullable(range.start()), DataOutputStream::writeUTF);
    out.writeBoolean(range.startInclusive());
    writeOptional(out, Optional.ofNullable(range.end()), DataOutputStream::writeUTF);
    out.writeBoolean(range.endInclusive());
    out.writeBoolean(range.isPrefix());
  }

  static KvRange readRange(DataInputStream in) throws IOException {
    return new KvRange(
        readOptional(in, DataInput::readUTF).orElse(null),
        in.readBoolean(),
        readOptional(in, DataInput::readUTF).orElse(null),
        in.readBoolean(),
        in.readBoolean());
  }

  static void writeSelection(DataOutputStream out, KvSelection selection) throws IOException {
    writeKey(out, selection.parent());
    writeRange(out, selection.range());
    out.writeBoolean(selection.includesParent());
  }

  static KvSelection readSelection(DataInputStream in) throws IOException {
    return new KvSelection(readKey(in), readRange(in), in.readBoolean());
  }

  static void writeScan(DataOutputStream out, KvScan scan) throws IOException {
    writeOptional(out, Optional.ofNullable(scan.parent()), WireCodec::writeKey);
    writeRange(out, scan.range());
    writeConsistency(out, scan.consistency());
    out.writeInt(scan.batchSize());
    out.writeInt(scan.concurrency());
  }

  static KvScan readScan(DataInputStream in) throws IOException {
    return new KvScan(
        readOptional(in, WireCodec::readKey).orElse(null),
        readRange(in),
        readConsistency(in),
        in.readInt(),
        in.readInt());
  }

  static void writeOperation(DataOutputStream out, KvOperation operation) throws IOException {
    writeEnum(out, kind(operation));
    writeKey(out, operation.key());
    if (operation.newValue().isPresent()) {
      writeBytes(out, operation.newValue().get());
    }
    if (operation instanceof KvOperation.PutIfVersion put) {
      writeVersion(out, put.expected());
    } else if (operation instanceof KvOperation.DeleteIfVersion delete) {
      writeVersion(out, delete.expected());
    }
  }

  private static Operation kind(KvOperation operation) {
    if (operation instanceof KvOperation.Put) {
      return Operation.PUT;
    }
    if (operation instanceof KvOperation.PutIfAbsent) {
      return Operation.PUT_IF_ABSENT;
    }
    if (operation instanceof KvOperation.PutIfVersion) {
      return Operation.PUT_IF_VERSION;
    }
    return operation instanceof KvOperation.Delete ? Operation.DELETE : Operation.DELETE_IF_VERSION;
  }

  static KvOperation readOperation(DataInputStream in) throws IOException {
    Operation kind = readEnum(in, Operation.class);
    KvKey key = readKey(in);
    return switch (kind) {
      case PUT -> new KvOperation.Put(key, readBytes(in));
      case PUT_IF_ABSENT -> new KvOperation.PutIfAbsent(key, readBytes(in));
      case PUT_IF_VERSION -> new KvOperation.PutIfVersion(key, readBytes(in), readVersion(in));
      case DELETE -> new KvOperation.Delete(key);
      case DELETE_IF_VERSION -> new KvOperation.DeleteIfVersion(key, readVersion(in));
    };
  }

  /** The payload of a failure: its kind survives, and its message. */
  static byte[] encodeFailure(RuntimeException e) {
    return encode(
        out -> {
          writeEnum(out, kind(e));
          writeMessage(out, String.valueOf(e.getMessage()));
          if (e instanceof KvExecutionException condition) {
            out.writeInt(condition.index());
            writeMessage(out, condition.actual());
          }
        });
  }

  private static void writeMessage(DataOutputStream out, String message) throws IOException {
    out.writeUTF(
        message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…");
  }

  private static Failure kind(RuntimeException e) {
    if (e instanceof KvExecutionException) {
      return Failure.CONDITION;
    }
    if (e instanceof KvStoreException.Refused) {
      return Failure.REFUSED;
    }
    if (e instanceof KvStoreException.Misconfigured) {
      return Failure.MISCONFIGURED;
    }
    if (e instanceof KvStoreException.ChangesUnsupported) {
      return Failure.CHANGES_UNSUPPORTED;
    }
    return e instanceof IllegalArgumentException ? Failure.ILLEGAL_ARGUMENT : Failure.UNAVAILABLE;
  }

  /**
   * What a failure of the server is for its client.
   *
   * @param operations that were to be executed together; none for other calls
   */
  static RuntimeException readFailure(DataInputStream in, List<KvOperation> operations)
      throws IOException {
    Failure kind = readEnum(in, Failure.class);
    String message = in.readUTF();
    return switch (kind) {
      case UNAVAILABLE -> new KvStoreException.Unavailable(message);
      case REFUSED -> new KvStoreException.Refused(message);
      case MISCONFIGURED -> new KvStoreException.Misconfigured(message);
      case ILLEGAL_ARGUMENT -> new IllegalArgumentException(message);
      case CHANGES_UNSUPPORTED -> new KvStoreException.ChangesUnsupported(message);
      case CONDITION -> {
        int index = in.readInt();
        if (index < 0 || index >= operations.size()) {
          throw new ProtocolException("the condition of operation " + index + ", which is none");
        }
        yield new KvExecutionException(index, operations.get(index), in.readUTF(), null);
      }
    };
  }
}
