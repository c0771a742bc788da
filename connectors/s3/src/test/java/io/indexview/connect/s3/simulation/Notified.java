package io.indexview.connect.s3.simulation;

import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.ObjectEvent.Kind;
import java.time.Clock;

/** Events as they are notified. */
final class Notified {
  private Notified() {}

  /**
   * @param change number of the change, which is the object's size
   * @param sequencer null: it has none
   */
  static ObjectEvent of(Kind kind, String key, int change, String sequencer, Clock clock) {
    boolean isThere = kind == Kind.CREATED;
    return new ObjectEvent(
        kind,
        isThere ? "ObjectCreated:Put" : "ObjectRemoved:Delete",
        BucketWorld.BUCKET,
        key,
        isThere ? (long) change : null,
        isThere ? "etag-" + change : null,
        null,
        sequencer,
        clock.instant());
  }
}
