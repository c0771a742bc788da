package io.indexview.connect.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.s3.index.Known;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * All short histories of one key: changes of the object before and after the notifications were
 * switched on, one listing at any time after that, its record arriving at any later time among the
 * change events, which arrive in any order and may repeat.
 */
class FirstListingOrderTest {
  private static final int CHANGES = 4;

  private final OrderGuard guard = new OrderGuard(Duration.ofDays(15));
  private long histories;

  @Test
  void endsWithTheBucketsContentWhateverTheOrderOfArrival() {
    for (int shape = 0; shape < 1 << CHANGES; shape++) {
      for (int silent = 0; silent <= CHANGES; silent++) {
        for (int listed = silent; listed <= CHANGES; listed++) {
          history(shape, silent, listed);
        }
      }
    }

    assertThat(histories).isGreaterThan(10_000);
  }

  /**
   * @param shape bit i: change i removes the object, else it puts content i
   * @param silent changes before the notifications were switched on
   * @param listed changes before the listing looked
   */
  private void history(int shape, int silent, int listed) {
    List<ChangeEvent> notified = new ArrayList<>();
    for (int i = silent; i < CHANGES; i++) {
      notified.add(event(shape, i, new Origin.Versioned(version(i))));
    }
    List<ChangeEvent> arriving = new ArrayList<>(notified);
    if (listed > 0 && !removes(shape, listed - 1)) {
      Origin observed = new Origin.SnapshotRead(FileEvents.EPOCH, null, Known.NOTHING_KNOWN, false);
      arriving.add(event(shape, listed - 1, observed));
    }
    if (!notified.isEmpty()) {
      arriving.add(notified.get(0));
    }
    permute(
        arriving,
        0,
        order -> {
          histories++;
          assertThat(materialize(order))
              .as("shape %d, silent %d, listed %d: %s", shape, silent, listed, order)
              .isEqualTo(content(shape));
        });
  }

  private static boolean removes(int shape, int change) {
    return (shape >> change & 1) == 1;
  }

  private static SourceVersion version(int change) {
    return new SourceVersion(FileEvents.EPOCH, new byte[] {(byte) (change + 1)});
  }

  private static ChangeEvent event(int shape, int change, Origin origin) {
    boolean removes = removes(shape, change);
    return new ChangeEvent(
        removes ? Op.DELETE : Op.CREATE,
        change,
        origin,
        removes ? null : new FramedValue(change, new byte[0], 0, 0));
  }

  /** What is in the bucket at the end: the number of the put, or -1 for nothing. */
  private static int content(int shape) {
    return removes(shape, CHANGES - 1) ? -1 : CHANGES - 1;
  }

  private int materialize(List<ChangeEvent> events) {
    Entry entry = null;
    long offset = 0;
    for (ChangeEvent event : events) {
      Decision decision = guard.decide(entry, event, offset, offset);
      entry = decision.next() == null ? entry : decision.next();
      offset++;
    }
    return entry == null || entry.deleted() ? -1 : entry.value().schemaId();
  }

  private static void permute(
      List<ChangeEvent> events, int from, Consumer<List<ChangeEvent>> action) {
    if (from == events.size()) {
      action.accept(events);
      return;
    }
    for (int i = from; i < events.size(); i++) {
      Collections.swap(events, from, i);
      permute(events, from + 1, action);
      Collections.swap(events, from, i);
    }
  }
}
