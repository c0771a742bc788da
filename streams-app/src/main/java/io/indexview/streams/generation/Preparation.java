package io.indexview.streams.generation;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.error.StopSignal;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Sees to it that everything is there that the application needs before it derives: what others
 * must provide is waited for, the rest is created. It may be done again.
 */
public final class Preparation {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

  private final AppConfig config;
  private final AppTopics appTopics;
  private final SchemaRegistry registry;
  private final Cluster cluster;
  private final Waiting waiting;

  /**
   * @param status learns what is waited for, see {@link Waiting}
   */
  public Preparation(
      AppConfig config,
      AppTopics appTopics,
      SchemaRegistry registry,
      Cluster cluster,
      StopSignal stop,
      Consumer<String> status) {
    this.config = config;
    this.appTopics = appTopics;
    this.registry = registry;
    this.cluster = cluster;
    this.waiting = new Waiting(stop, POLL_INTERVAL, status);
  }

  /**
   * Prepares, and gives the view files that are to be applied.
   *
   * @throws io.indexview.schemas.config.InvalidConfigException if a file or a schema cannot be used
   * @throws io.indexview.views.definition.InvalidViewException if a view is not valid
   */
  public LoadedViews prepare() {
    LoadedViews loaded =
        new ViewLoader(
                config.viewsDir(), config.recordSets(), registry, config.knownTargets(), waiting)
            .load();
    for (RecordSetConfig recordSet : config.recordSets()) {
      waiting.until(
          "the topic %s of record set \"%s\"".formatted(recordSet.topic(), recordSet.name()),
          () -> cluster.partitions(recordSet.topic()).stream().boxed().findFirst());
    }
    cluster.createMissing(appTopics.shared());
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
