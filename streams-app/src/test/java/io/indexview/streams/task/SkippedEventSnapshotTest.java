package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.streams.People;
import io.indexview.streams.task.CompletedSnapshot.Answer;
import io.indexview.streams.task.SnapshotCleanup.Begun;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of one entry by an ad-hoc snapshot that began at offset 100. */
class SkippedEventSnapshotTest {
  private static final byte[] KEY = "/p/1".getBytes(StandardCharsets.UTF_8);
  private static final Begun SNAPSHOT = snapshot(100, 200);
  private static final OrderGuard GUARD = new OrderGuard(TaskWorld.RETENTION);
  private static final FramedValue VALUE = new FramedValue(7, new byte[] {1}, 0, 1);

  private static Begun snapshot(long begin, long end) {
    Answer answer = new Answer("store|0", new KeyScope("/p", null), begin);
    return Begun.of(new CompletedSnapshot("topic-1", List.of(answer)), end, 1_000);
  }

  private static Entry after(Entry before, Op op, long sequence, long offset) {
    ChangeEvent event =
        new ChangeEvent(op, 0, People.versioned(sequence), op == Op.DELETE ? null : VALUE);
    return GUARD.decide(before, event, offset, 0).next();
  }

  private static Entry passedOver(Entry before, Op op, long offset) {
    return OrderGuard.passedOver(before, after(before, op, 5, offset));
  }

  private static Entry turned(Entry entry) {
    return SNAPSHOT.turned(KEY, entry, 300);
  }

  @Test
  void entryLosesItsRowsWhenTheSkippedEventPrecedesTheSnapshot() {
    Entry live = after(null, Op.UPDATE, 3, 50);
    Entry gone = passedOver(live, Op.DELETE, 60);

    assertThat(turned(gone))
        .extracting(Entry::deleted, Entry::value, Entry::unreadable)
        .containsExactly(true, null, false);
    assertThat(turned(gone).revision()).isGreaterThan(gone.revision());
    assertThat(turned(passedOver(live, Op.UPDATE, 60)))
        .extracting(Entry::deleted, Entry::value, Entry::unreadable)
        .containsExactly(true, null, false);
  }

  @Test
  void entryStaysWhenASkippedEventNamedIt() {
    Entry live = after(null, Op.UPDATE, 3, 50);
    Entry named = passedOver(live, Op.UPDATE, 150);

    assertThat(turned(named)).isSameAs(named);
    assertThat(turned(passedOver(live, Op.DELETE, 150)).unreadable()).isTrue();
  }

  @Test
  void entryNamedByAnUnreadableEventStaysUntilASnapshotOmitsIt() {
    Entry live = after(null, Op.UPDATE, 3, 50);
    Entry named = OrderGuard.unreadable(live, 150, 0, 0);
    Begun next = snapshot(210, 250);

    assertThat(turned(named)).isSameAs(named);
    assertThat(next.turned(KEY, named, 300))
        .extracting(Entry::deleted, Entry::value, Entry::unreadable)
        .containsExactly(true, null, false);
    assertThat(turned(OrderGuard.unreadable(live, 60, 0, 0)).unreadable()).isFalse();
  }

  @Test
  void readOlderThanTheSkippedEventDoesNotMakeTheEntryReadable() {
    Entry gone = passedOver(after(null, Op.UPDATE, 3, 50), Op.DELETE, 60);
    Origin older =
        new Origin.SnapshotRead("s1", People.version("s1", 4).sequence(), Origin.Base.ABSENT, true);
    Entry read = GUARD.decide(gone, new ChangeEvent(Op.READ, 0, older, VALUE), 150, 0).next();

    assertThat(read.offset()).isEqualTo(150);
    assertThat(turned(read)).isSameAs(read);
  }
}
