package io.indexview.schemas.order;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.SourceVersion;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.ByteUtils;

/**
 * Entries as bytes: the value format of the state stores and of the sources' indexes. Stateless and
 * thread-safe.
 *
 * <p>Formats 1 and 2, in this order; <i>varint</i> is unsigned base 128, least significant group
 * first, <i>zigzag</i> the same of {@code (n << 1) ^ (n >> 63)}:
 *
 * <pre>
 *   byte     format: 2 with flag 32, else 1
 *   byte     flags: 1 = has a version, 2 = deleted, 4 = has a value, 8 = has a key schema,
 *            16 = inferred, 32 = unreadable; other bits 0
 *   version  only with flag 1
 *   varint   number of epochs left, then a version for each
 *   zigzag   revision
 *   zigzag   offset
 *   zigzag   timestamp, ms since the epoch
 *   varint   schema id of the key, only with flag 8
 *   zigzag   offset of the unreadable event, only with flag 32
 *   varint   schema id of the value, only with flag 4
 *   bytes    the value's slice, up to the end, only with flag 4
 *
 *   version: varint length of the epoch, epoch in UTF-8, varint length of the sequence, sequence
 * </pre>
 *
 * A release that changes the format raises the first byte and keeps reading the old ones. It writes
 * an old one where that can say the same, so that a release before it can read most entries.
 */
public final class EntryCodec {
  private static final byte FORMAT = 1;
  private static final byte FORMAT_UNREADABLE = 2;
  private static final int HAS_VERSION = 1;
  private static final int DELETED = 2;
  private static final int HAS_VALUE = 4;
  private static final int HAS_KEY_SCHEMA = 8;
  private static final int INFERRED = 16;
  private static final int UNREADABLE = 32;
  private static final int OPTIONAL_FLAGS =
      HAS_VERSION | DELETED | HAS_VALUE | HAS_KEY_SCHEMA | INFERRED;

  private EntryCodec() {}

  /** The bytes of an entry, one exact array. The value's slice is copied, its buffer let go. */
  public static byte[] encode(Entry entry) {
    List<SourceVersion> versions = new ArrayList<>(entry.left().size() + 1);
    if (entry.version() != null) {
      versions.add(entry.version());
    }
    versions.addAll(entry.left());
    byte[][] epochs = new byte[versions.size()][];
    for (int i = 0; i < epochs.length; i++) {
      epochs[i] = versions.get(i).epoch().getBytes(StandardCharsets.UTF_8);
    }

    ByteBuffer out = ByteBuffer.allocate(size(entry, versions, epochs));
    out.put(entry.unreadable() ? FORMAT_UNREADABLE : FORMAT).put((byte) flags(entry));
    int next = 0;
    if (entry.version() != null) {
      putVersion(out, epochs[next], versions.get(next));
      next++;
    }
    ByteUtils.writeUnsignedVarint(entry.left().size(), out);
    for (; next < epochs.length; next++) {
      putVersion(out, epochs[next], versions.get(next));
    }
    ByteUtils.writeVarlong(entry.revision(), out);
    ByteUtils.writeVarlong(entry.offset(), out);
    ByteUtils.writeVarlong(entry.timestampMs(), out);
    if (entry.keySchemaId() != 0) {
      ByteUtils.writeUnsignedVarint(entry.keySchemaId(), out);
    }
    if (entry.unreadable()) {
      ByteUtils.writeVarlong(entry.unreadableAt(), out);
    }
    FramedValue value = entry.value();
    if (value != null) {
      ByteUtils.writeUnsignedVarint(value.schemaId(), out);
      out.put(value.buffer(), value.offset(), value.length());
    }
    return out.array();
  }

  /**
   * The entry of some bytes; its value is a slice of them, not a copy.
   *
   * @throws IllegalStateException if the bytes are of another format, or damaged
   */
  public static Entry decode(byte[] bytes) {
    if (bytes.length == 0 || (bytes[0] != FORMAT && bytes[0] != FORMAT_UNREADABLE)) {
      throw new IllegalStateException(
          bytes.length == 0
              ? "stored entry of no bytes: the store is damaged, rebuild it from its changelog"
              : "stored entry of format %d; this release reads formats up to %d: a newer release wrote it"
                  .formatted(bytes[0] & 0xff, FORMAT_UNREADABLE));
    }
    try {
      return decode(bytes[0], ByteBuffer.wrap(bytes, 1, bytes.length - 1));
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new IllegalStateException(
          "stored entry of %d bytes is damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }

  private static Entry decode(byte format, ByteBuffer in) {
    int flags = in.get();
    if ((flags & ~OPTIONAL_FLAGS) != (format == FORMAT ? 0 : UNREADABLE)) {
      throw new IllegalArgumentException("flags 0x%02x".formatted(flags & 0xff));
    }
    SourceVersion version = (flags & HAS_VERSION) == 0 ? null : readVersion(in);
    int count = ByteUtils.readUnsignedVarint(in);
    List<SourceVersion> left = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      left.add(readVersion(in));
    }
    long revision = ByteUtils.readVarlong(in);
    long offset = ByteUtils.readVarlong(in);
    long timestampMs = ByteUtils.readVarlong(in);
    int keySchemaId = (flags & HAS_KEY_SCHEMA) == 0 ? 0 : ByteUtils.readUnsignedVarint(in);
    long unreadableAt = (flags & UNREADABLE) == 0 ? Entry.READABLE : ByteUtils.readVarlong(in);
    FramedValue value = null;
    if ((flags & HAS_VALUE) != 0) {
      int schemaId = ByteUtils.readUnsignedVarint(in);
      value = new FramedValue(schemaId, in.array(), in.position(), in.remaining());
    } else if (in.hasRemaining()) {
      throw new IllegalArgumentException(in.remaining() + " bytes too many");
    }
    return new Entry(
        version,
        (flags & DELETED) != 0,
        left,
        revision,
        offset,
        timestampMs,
        value,
        keySchemaId,
        (flags & INFERRED) != 0,
        unreadableAt);
  }

  private static int flags(Entry entry) {
    return (entry.version() == null ? 0 : HAS_VERSION)
        | (entry.deleted() ? DELETED : 0)
        | (entry.value() == null ? 0 : HAS_VALUE)
        | (entry.keySchemaId() == 0 ? 0 : HAS_KEY_SCHEMA)
        | (entry.inferred() ? INFERRED : 0)
        | (entry.unreadable() ? UNREADABLE : 0);
  }

  private static int size(Entry entry, List<SourceVersion> versions, byte[][] epochs) {
    int size = 2 + ByteUtils.sizeOfUnsignedVarint(entry.left().size());
    for (int i = 0; i < epochs.length; i++) {
      int sequence = versions.get(i).sequence().length;
      size += ByteUtils.sizeOfUnsignedVarint(epochs[i].length) + epochs[i].length;
      size += ByteUtils.sizeOfUnsignedVarint(sequence) + sequence;
    }
    size += ByteUtils.sizeOfVarlong(entry.revision());
    size += ByteUtils.sizeOfVarlong(entry.offset());
    size += ByteUtils.sizeOfVarlong(entry.timestampMs());
    if (entry.keySchemaId() != 0) {
      size += ByteUtils.sizeOfUnsignedVarint(entry.keySchemaId());
    }
    if (entry.unreadable()) {
      size += ByteUtils.sizeOfVarlong(entry.unreadableAt());
    }
    FramedValue value = entry.value();
    if (value != null) {
      size += ByteUtils.sizeOfUnsignedVarint(value.schemaId()) + value.length();
    }
    return size;
  }

  private static void putVersion(ByteBuffer out, byte[] epoch, SourceVersion version) {
    ByteUtils.writeUnsignedVarint(epoch.length, out);
    out.put(epoch);
    ByteUtils.writeUnsignedVarint(version.sequence().length, out);
    out.put(version.sequence());
  }

  private static SourceVersion readVersion(ByteBuffer in) {
    String epoch = new String(readBytes(in), StandardCharsets.UTF_8);
    return new SourceVersion(epoch, readBytes(in));
  }

  private static byte[] readBytes(ByteBuffer in) {
    int length = ByteUtils.readUnsignedVarint(in);
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }
}
