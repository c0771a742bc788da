package io.indexview.client.admin;

import static io.indexview.client.admin.ControlPlane.NOW;
import static io.indexview.client.admin.ControlPlane.standing;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.schemas.control.ViewState.State;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LagsTest {
  private final ControlPlane plane = new ControlPlane().withPeople();
  private final Map<String, Map<String, Long>> behind = new HashMap<>();
  private final ViewAdmin admin =
      plane.admin((group, topics) -> behind.getOrDefault(group, Map.of()));

  @BeforeEach
  void serve() {
    String text =
        """
        name: by-org
        source: people
        key: [org]
        target: kv
        """;
    ViewSpec spec = admin.apply("v", text, OptionalLong.empty()).after().orElseThrow();
    plane.generation(spec, 1);
    plane.state("by-org", State.READY, spec.version(), standing(1, Role.SERVING));
  }

  @Test
  void isTheAgeOfTheLastSignOfLifeWhenNothingIsOnItsWay() {
    plane.heartbeat("0", 2, NOW - 500);
    plane.heartbeat("1", 2, NOW - 7_000);

    assertThat(admin.get("by-org").lag()).contains(Duration.ofSeconds(7));
  }

  @Test
  void isTheAgeOfTheOldestMessageOfTheQueueWhereTheSourceTells() {
    plane.heartbeat("0", 2, NOW - 500, OptionalLong.of(NOW - Duration.ofHours(3).toMillis()));
    plane.heartbeat("1", 2, NOW - 500, OptionalLong.of(NOW - 500));
    assertThat(admin.get("by-org").lag()).contains(Duration.ofHours(3));

    plane.heartbeat("0", 2, NOW, OptionalLong.of(0));
    assertThat(admin.get("by-org").lag()).isEmpty();
  }

  @Test
  void isTheAgeOfTheOldestChangeThatIsOnItsWay() {
    plane.heartbeat("0", 1, NOW - 500);
    behind.put("app", Map.of(ControlPlane.CHANGES, NOW - 3_000));
    assertThat(admin.get("by-org").lag()).contains(Duration.ofSeconds(3));

    behind.put("sink", Map.of("test.view.kv.by-org.1", NOW - 60_000));
    assertThat(admin.list().get(0).lag()).contains(Duration.ofMinutes(1));
  }

  @Test
  void isNotKnownBeforeEverySourcePartitionHasSpoken() {
    plane.heartbeat("0", 2, NOW);
    assertThat(admin.get("by-org").lag()).isEmpty();
  }

  @Test
  void doesNotWaitForSourcePartitionsOfAnEarlierConfiguration() {
    plane.heartbeat("old-0", 2, NOW - 1_000_000);
    plane.heartbeat("old-1", 2, NOW - 1_000_000);
    plane.heartbeat("0", 1, NOW);
    assertThat(admin.get("by-org").lag()).contains(Duration.ZERO);
  }

  @Test
  void isCountedFromKafkaOnIfNoSourceSaysAnything() {
    behind.put("app", Map.of(ControlPlane.CHANGES, NOW - 3_000));
    assertThat(admin.get("by-org").lag()).contains(Duration.ofSeconds(3));
  }

  @Test
  void isNotKnownIfAGroupCannotBeLookedAtOrNothingServes() {
    ViewAdmin unable =
        plane.admin(
            (group, topics) -> {
              throw new KafkaException("no such topic");
            });
    assertThat(unable.get("by-org").lag()).isEmpty();

    plane.state("by-org", State.BUILDING, NOW, standing(1, Role.BUILDING));
    assertThat(admin.get("by-org").lag()).isEmpty();
  }
}
