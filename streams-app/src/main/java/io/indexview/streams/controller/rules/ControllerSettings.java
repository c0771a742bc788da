package io.indexview.streams.controller.rules;

import io.indexview.schemas.Topics;
import java.time.Duration;
import java.util.Map;

/**
 * @param grace how long a generation that served stays, from when its target shows that it does not
 *     serve any more
 * @param topics names of topics
 * @param sinkGroups consumer group of each target's sink
 */
public record ControllerSettings(Duration grace, Topics topics, Map<String, String> sinkGroups) {
  /** Progress alone is not worth more records. */
  static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(1);

  public ControllerSettings {
    sinkGroups = Map.copyOf(sinkGroups);
  }

  String sinkGroup(String target) {
    return sinkGroups.getOrDefault(target, "");
  }
}
