package io.indexview.streams.controller.rules;

import static io.indexview.streams.controller.rules.Story.BY_ORG;
import static org.assertj.core.api.Assertions.assertThat;

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
}
