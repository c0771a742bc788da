package io.indexview.schemas.change;

import java.io.IOException;
import org.apache.avro.io.BinaryDecoder;

/** What was read of one envelope, before it is known to make sense. */
final class EnvelopeFields {
  String op;
  boolean ordered;
  String epoch;
  byte[] sequence;
  boolean adHoc;
  boolean unreadable;
  boolean isSnapshotRead;
  boolean basePresent;
  boolean baseDeleted;
  String baseEpoch;
  byte[] baseSequence;

  private final int end;
  private int afterOffset = -1;
  private int afterLength;

  /**
   * @param end length of the message; the decoder reads from its array
   */
  EnvelopeFields(int end) {
    this.end = end;
  }

  /** Where in the message the decoder stands. */
  int position(BinaryDecoder in) throws IOException {
    return end - in.inputStream().available();
  }

  void after(int start, int stop) {
    afterOffset = start;
    afterLength = stop - start;
  }

  /**
   * The change event that the fields stand for.
   *
   * @throws MalformedEventException if they contradict each other
   */
  ChangeEvent toEvent(int schemaId, byte[] message, long timestampMs)
      throws MalformedEventException {
    Op operation = Op.ofEvent(op);
    if (operation == Op.DELETE) {
      return new ChangeEvent(operation, timestampMs, origin(), null);
    }
    if (afterOffset < 0) {
      throw new MalformedEventException(
          "op \"%s\" with \"after\" null: only a delete (\"d\") has none".formatted(op));
    }
    FramedValue after = new FramedValue(schemaId, message, afterOffset, afterLength);
    return new ChangeEvent(operation, timestampMs, origin(), after);
  }

  private Origin origin() throws MalformedEventException {
    if (!ordered) {
      return Origin.Unordered.INSTANCE;
    }
    if (epoch == null) {
      throw new MalformedEventException("source.order.epoch is null");
    }
    // An ad-hoc snapshot by a source that lost its index has no base to tell.
    if (isSnapshotRead || adHoc) {
      return new Origin.SnapshotRead(epoch, sequence, base(), adHoc, unreadable);
    }
    if (sequence == null) {
      throw new MalformedEventException(
          "source.order.sequence is null: only a snapshot read (one with a base) may have none");
    }
    return new Origin.Versioned(new SourceVersion(epoch, sequence));
  }

  private Origin.Base base() throws MalformedEventException {
    if (!basePresent) {
      return Origin.Base.ABSENT;
    }
    if (baseSequence != null && baseEpoch == null) {
      throw new MalformedEventException("source.order.base has a sequence without an epoch");
    }
    SourceVersion version =
        baseSequence == null ? null : new SourceVersion(baseEpoch, baseSequence);
    return Origin.Base.of(version, baseDeleted);
  }
}
