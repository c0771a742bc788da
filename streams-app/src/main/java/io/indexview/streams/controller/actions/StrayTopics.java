package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds view topics whose generations are not published: a process may end when it has made a topic
 * and committed nothing of it. The rules know whether such a topic is still to be used. One request
 * for the names of all topics every ten minutes. Nobody asks for it.
 */
public final class StrayTopics implements Activity {
  private static final Logger LOGGER = LoggerFactory.getLogger(StrayTopics.class);
  private static final Duration PAUSE = Duration.ofMinutes(10);

  /** The name of a view has no dots. */
  private static final Pattern VIEW_AND_NUMBER = Pattern.compile(".*\\.([^.]+)\\.(\\d{1,9})");

  private final ActionContext context;
  private Set<String> seen = Set.of();

  public StrayTopics(ActionContext context) {
    this.context = context;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    Set<String> stray = new HashSet<>(context.observed().ids().keySet());
    stray.removeAll(
        context.tables().generations().get().values().stream()
            .map(PublishedGeneration::viewTopic)
            .collect(Collectors.toSet()));
    stray.removeIf(topic -> found(topic).isEmpty());
    // What is being frozen now is published by the next time.
    stray.stream()
        .filter(seen::contains)
        .forEach(
            topic -> {
              LOGGER.info("No published generation has topic {}", topic);
              found.accept(found(topic).orElseThrow());
            });
    seen = stray;
    return new Again(PAUSE, "");
  }

  private Optional<Finding.TopicFound> found(String topic) {
    Matcher name = VIEW_AND_NUMBER.matcher(topic);
    if (!name.matches()) {
      return Optional.empty();
    }
    String view = name.group(1);
    int generation = Integer.parseInt(name.group(2));
    return context
        .target(view, generation, topic)
        .map(target -> new Finding.TopicFound(view, generation, topic));
  }
}
