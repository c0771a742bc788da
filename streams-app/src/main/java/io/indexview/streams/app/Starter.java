package io.indexview.streams.app;

import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.SpecLog;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.controller.ControllerFactory;
import io.indexview.streams.controller.actions.RecordSetWatch;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.Cluster;
import io.indexview.streams.generation.FileSpecs;
import io.indexview.streams.generation.OwnTopics;
import io.indexview.streams.generation.Preparation;
import io.indexview.streams.generation.Preparation.LoadedViews;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What the application does on a real cluster before it derives; outages are waited out. */
final class Starter {
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final AppConfig config;
  private final SchemaRegistry registry;
  private final RegistryWait registryWait;
  private final StopSignal stop;
  private final Consumer<String> status;

  Starter(
      AppConfig config,
      SchemaRegistry registry,
      RegistryWait registryWait,
      StopSignal stop,
      Consumer<String> status) {
    this.config = config;
    this.registry = registry;
    this.registryWait = registryWait;
    this.stop = stop;
    this.status = status;
  }

  /** Starts; everything that it does may be done again, so an outage means to begin anew. */
  void start(AppClients clients) {
    new BrokerWait(stop, RETRY)
        .run(
            () ->
                registryWait.get(
                    () -> {
                      attempt(clients);
                      return true;
                    }),
            () -> status.accept("waiting for the brokers"));
  }

  private void attempt(AppClients clients) {
    LoadedViews loaded =
        new Preparation(
                config,
                clients.appTopics(),
                registry,
                clients.cluster(),
                clients::newestValues,
                stop,
                status)
            .prepare();
    String memory = ControllerFactory.name(config.applicationId());
    ForeignGenerations.refuse(
        memory, config.topics().viewGenerations(), clients::generations, clients.cluster());
    new OwnTopics(clients.cluster()).prepare(List.of(clients.appTopics().controllerMemory(memory)));
    clients.recordSetInfos().publish();
    RecordSetWatch.tellLostAtStart(clients.context(), registry, clients::tell);
    Map<String, ViewState> states = clients.context().tables().states().get();
    try (SpecLog specLog =
        SpecLog.connect(clients.clusterSettings(), config.topics(), registry, Clock.systemUTC())) {
      new FileSpecs(
              config.topics(),
              (view, decision) -> specLog.put(view, OptionalLong.empty(), decision))
          .apply(loaded, new FileSpecs.Standing(clients.specs(), clients.generations(), states));
    }
  }

  /**
   * Refuses to go on from generations that another application published, an earlier build among
   * them: nobody knows how far they are, and which rows they left where. What this application
   * remembers is there before it publishes anything.
   */
  static final class ForeignGenerations {
    private ForeignGenerations() {}

    /**
     * @param memory topic of what the application remembers of its generations
     * @param topic {@code view-generations}
     * @param published what that topic holds
     * @throws InvalidConfigException if there are generations, and no memory of them
     */
    public static void refuse(
        String memory,
        String topic,
        Supplier<Map<String, PublishedGeneration>> published,
        Cluster cluster) {
      Map<String, PublishedGeneration> all = published.get();
      if (all.isEmpty() || cluster.partitions(memory).isPresent()) {
        return;
      }
      throw new InvalidConfigException(
          "The views cannot be taken over",
          List.of(
              "topic %s holds generations that this application does not remember, since there is no topic %s: %s. If another application.id published them, use that one. If they are of an earlier build, or that topic was deleted, start anew with another application.id, state.dir and topic.prefix, then delete the old topics and rows"
                  .formatted(topic, memory, new TreeSet<>(all.keySet()))));
    }
  }
}
