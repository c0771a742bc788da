package io.indexview.streams.generation;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.error.RetryDelay;
import io.indexview.streams.error.StopSignal;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Sees to it that everything is there that the application needs before it derives: what others
 * must provide is waited for, the rest is created. It may be done again.
 */
public final class Preparation {
  private static final RetryDelay POLLS =
      new RetryDelay(Duration.ofMillis(500), Duration.ofSeconds(5));

  private final AppConfig config;
  private final AppTopics appTopics;
  private final SchemaRegistry registry;
  private final Cluster cluster;
  private final Function<String, List<byte[]>> newestValues;
  private final Consumer<String> status;
  private final Waiting waiting;

  /**
   * @param newestValues of a topic; none if it does not exist
   * @param status learns what is waited for, see {@link Waiting}
   */
  public Preparation(
      AppConfig config,
      AppTopics appTopics,
      SchemaRegistry registry,
      Cluster cluster,
      Function<String, List<byte[]>> newestValues,
      StopSignal stop,
      Consumer<String> status) {
    this.config = config;
    this.appTopics = appTopics;
    this.registry = registry;
    this.cluster = cluster;
    this.newestValues = newestValues;
    this.status = status;
    this.waiting = new Waiting(stop, POLLS, status);
  }

  /**
   * Prepares, and gives the view files that are to be applied. Own topics come before anybody is
   * waited for: sources need them to say or publish anything.
   *
   * @throws io.indexview.schemas.config.InvalidConfigException if a file or a schema cannot be used
   * @throws io.indexview.views.definition.InvalidViewException if a view is not valid
   */
  public LoadedViews prepare() {
    ViewLoader views =
        new ViewLoader(
            config.viewsDir(),
            config.recordSets(),
            new RecordSchemas(registry, newestValues),
            config.knownTargets(),
            waiting);
    Optional<LoadedViews> known = views.known();
    status.accept("waiting for the brokers");
    new OwnTopics(cluster).prepare(appTopics.shared());
    status.accept("");
    LoadedViews loaded = known.orElseGet(views::await);
    TopicFit fit = new TopicFit(config, cluster);
    for (RecordSetConfig recordSet : config.recordSets()) {
      // One that the application has state of must not hold up the others.
      if (fit.misfit(recordSet).isPresent()) {
        continue;
      }
      waiting.until(
          "the topic %s of record set \"%s\"".formatted(recordSet.topic(), recordSet.name()),
          () -> cluster.partitions(recordSet.topic()).stream().boxed().findFirst());
    }
    return loaded;
  }

  /**
   * The view files of the application.
   *
   * @param views valid ones
   * @param recordSets by name
   */
  public record LoadedViews(List<ViewDefinition> views, Map<String, RecordSet> recordSets) {
    public LoadedViews {
      views = List.copyOf(views);
      recordSets = Map.copyOf(recordSets);
    }
  }
}
