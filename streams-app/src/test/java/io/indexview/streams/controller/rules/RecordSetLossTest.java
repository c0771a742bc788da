package io.indexview.streams.controller.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.EventsLost;
import org.junit.jupiter.api.Test;

class RecordSetLossTest {
  private static EventsLost lostTopic(long foundAtMs, String topicId) {
    return EventsLost.ofTopic("people", foundAtMs, "changes", topicId);
  }

  @Test
  void isWholeUntilALaterLossIsFound() {
    RecordSetLoss whole =
        RecordSetLoss.NONE.after(new EventsLost("people", 10, "trimmed")).whole(10);

    assertThat(whole.after(new EventsLost("people", 10, "trimmed")).reason()).isEmpty();
    assertThat(whole.after(new EventsLost("people", 11, "trimmed")).reason()).isNotEmpty();
  }

  /** Each task tells of it, when it notices. */
  @Test
  void countsATopicThatWasCreatedAnewOnceWhicheverTaskTells() {
    RecordSetLoss loss = RecordSetLoss.NONE.after(lostTopic(10, "b"));
    assertThat(loss.reason()).contains("topic changes was deleted and created anew");
    assertThat(loss.isForgotten()).isFalse();

    RecordSetLoss again = loss.after(lostTopic(12, "b"));
    assertThat(again.whole(11).reason()).isEmpty();
    assertThat(again.whole(11).after(lostTopic(13, "b")).reason()).isEmpty();
    assertThat(again.whole(11).after(lostTopic(13, "c")).reason()).isNotEmpty();
  }
}
