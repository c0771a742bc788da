package io.indexview.schemas.order;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.OrderGuard.Decision;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Short ways to write entries and events; versions are an epoch and a one-byte sequence. */
final class Samples {
  static final long OFFSET = 70;
  static final Duration RETENTION = Duration.ofDays(15);
  static final long NOW = 1_000;
  static final FramedValue OLD_VALUE = value("old");
  static final FramedValue NEW_VALUE = value("new");

  private Samples() {}

  static SourceVersion version(String epoch, int sequence) {
    return new SourceVersion(epoch, new byte[] {(byte) sequence});
  }

  static FramedValue value(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new FramedValue(9, bytes, 0, bytes.length);
  }

  static Entry live(SourceVersion version, SourceVersion... left) {
    return new Entry(version, false, List.of(left), 500, 7, 100, OLD_VALUE);
  }

  static Entry tombstone(SourceVersion version, SourceVersion... left) {
    return new Entry(version, true, List.of(left), 500, 7, 100, null);
  }

  static ChangeEvent put(SourceVersion version) {
    return put(new Origin.Versioned(version));
  }

  static ChangeEvent delete(SourceVersion version) {
    return delete(new Origin.Versioned(version));
  }

  static ChangeEvent put(Origin origin) {
    return new ChangeEvent(Op.UPDATE, 200, origin, NEW_VALUE);
  }

  static ChangeEvent delete(Origin origin) {
    return new ChangeEvent(Op.DELETE, 200, origin, null);
  }

  static Origin observed(SourceVersion seen, Origin.Base base) {
    return new Origin.SnapshotRead(seen.epoch(), seen.sequence(), base, false);
  }

  static Origin observedWithoutSequence(String epoch, Origin.Base base) {
    return new Origin.SnapshotRead(epoch, null, base, false);
  }

  static Origin adHoc(SourceVersion seen, Origin.Base base) {
    return new Origin.SnapshotRead(seen.epoch(), seen.sequence(), base, true);
  }

  static Origin unreadable(SourceVersion seen, Origin.Base base) {
    return new Origin.SnapshotRead(seen.epoch(), seen.sequence(), base, false, true);
  }

  static Origin.Base liveBase(SourceVersion version) {
    return Origin.Base.of(version, false);
  }

  static Origin.Base tombstoneBase(SourceVersion version) {
    return Origin.Base.of(version, true);
  }

  static Decision decide(Entry current, ChangeEvent event) {
    return new OrderGuard(RETENTION).decide(current, event, OFFSET, NOW);
  }
}
