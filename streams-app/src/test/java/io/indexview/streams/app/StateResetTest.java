package io.indexview.streams.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.streams.app.StreamsRun.StateReset;
import io.indexview.streams.error.StopSignal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateResetTest {
  private final List<String> done = new ArrayList<>();
  private final StopSignal stop = new StopSignal();

  private StateReset.Run run(int closesUntilItStopped, Runnable cleanUp) {
    return new StateReset.Run() {
      private int closes;

      @Override
      public boolean close() {
        done.add("close");
        return ++closes >= closesUntilItStopped;
      }

      @Override
      public void cleanUp() {
        done.add("clean up");
        cleanUp.run();
      }

      @Override
      public void startNext() {
        done.add("start");
      }
    };
  }

  @Test
  void waitsForThreadsThatWaitForTheRegistry() {
    assertThat(StateReset.restart(run(3, () -> {}), stop)).isTrue();

    assertThat(done).containsExactly("close", "close", "close", "clean up", "start");
  }

  @Test
  void leavesTheStateToItsOwnerWhenTheApplicationCloses() {
    stop.stop();

    assertThat(StateReset.restart(run(3, () -> {}), stop)).isFalse();
    assertThat(StateReset.restart(run(1, () -> {}), stop)).isFalse();
    assertThat(done).containsExactly("close", "close");
  }

  @Test
  void startsAgainThoughTheStateCannotBeThrownAway() {
    StateReset.Run run =
        run(
            1,
            () -> {
              throw new IllegalStateException("in use");
            });

    assertThatThrownBy(() -> StateReset.restart(run, stop)).hasMessage("in use");
    assertThat(done).endsWith("start");
  }
}
