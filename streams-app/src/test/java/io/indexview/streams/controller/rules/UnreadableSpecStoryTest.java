package io.indexview.streams.controller.rules;

import static io.indexview.streams.controller.rules.Story.BY_ORG;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewState.State;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How a view is shown whose newest spec nobody can read. */
class UnreadableSpecStoryTest {
  @Test
  void specThatNobodyCanReadShowsAsReason() {
    assertThat(Story.serving(BY_ORG).unreadableSpec("not Avro").state().reason())
        .contains(ViewState.REFUSED + ViewState.UNREADABLE + "not Avro");
  }

  @Test
  void viewWhoseFirstSpecNobodyCanReadIsShownUntilOneCanBeReadOrItIsDropped() {
    Story story = new Story().unreadableSpec("not Avro");
    assertThat(story.state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.state().reason())
        .contains(ViewState.REFUSED + ViewState.UNREADABLE + "not Avro");
    assertThat(story.unreadableSpec("not Avro").published()).isEmpty();

    assertThat(story.drop().pass(Duration.ofSeconds(1)).wantedIds()).isEmpty();
    assertThat(story.unreadableSpec("not Avro").state().state()).isEqualTo(State.DEGRADED);
    assertThat(story.spec(BY_ORG).state().reason()).isEmpty();
    assertThat(story.built().state().state()).isEqualTo(State.READY);
  }

  @Test
  void viewThatServesAnEarlierSpecIsDroppedWithTheOneThatNobodyCanRead() {
    Story story = Story.serving(BY_ORG).unreadableSpec("not Avro").drop();
    assertThat(story.state().state()).isEqualTo(State.DELETING);
    assertThat(story.state().reason()).isEmpty();

    story.done(Action.CheckStateApplied.class).pass(Story.GRACE).report(1, Phase.STOPPED);
    story.done(Action.CheckTopicApplied.class).done(Action.RemoveRows.class);
    story.done(Action.CheckStateApplied.class).done(Action.DeleteTopic.class);
    assertThat(story.published()).contains(new ControlRecord.StateGone("by-org", "uid-1"));
  }
}
