package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TableWatchTest {
  private final ManualClock clock = new ManualClock();
  private final List<String> checked = new ArrayList<>();
  private final TableWatch watch =
      new TableWatch(
          topic -> {
            checked.add(topic);
            return Optional.empty();
          },
          Runnable::run,
          clock);

  @Test
  void waitsNoLongerWhenTheClockIsSetBack() {
    check();
    clock.setBack(Duration.ofHours(1));
    check();
    assertThat(checked).containsExactly("a");

    clock.pass(Duration.ofSeconds(1));
    check();
    assertThat(checked).containsExactly("a", "b");

    clock.pass(Duration.ofMinutes(1));
    check();
    assertThat(checked).containsExactly("a", "b", "a");
  }

  private void check() {
    assertThat(watch.check(() -> List.of("a", "b"))).isEmpty();
  }
}
