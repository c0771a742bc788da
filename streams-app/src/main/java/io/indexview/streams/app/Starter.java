package io.indexview.streams.app;

import io.indexview.schemas.control.SpecLog;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.controller.ControllerFactory;
import io.indexview.streams.controller.ForeignPublications;
import io.indexview.streams.controller.actions.RecordSetWatch;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.FileSpecs;
import io.indexview.streams.generation.OwnTopics;
import io.indexview.streams.generation.Preparation;
import io.indexview.streams.generation.Preparation.LoadedViews;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

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
    new ForeignPublications(memory, config.topics(), clients.cluster())
        .refuseWithoutMemory(clients.generations());
    new OwnTopics(clients.cluster()).prepare(List.of(clients.appTopics().controllerMemory(memory)));
    clients.recordSetInfos().publish();
    RecordSetWatch.tellLostAtStart(clients.context(), registry, clients::tell);
    Map<String, ViewState> states = clients.context().tables().states().get();
    try (SpecLog specLog =
        SpecLog.connect(clients.clusterSettings(), config.topics(), registry, Clock.systemUTC())) {
      new FileSpecs(
              config.topics(),
              (view, decision) ->
                  specLog.put(view, OptionalLong.empty(), specs -> decision.apply(specs.newest())))
          .apply(loaded, new FileSpecs.Standing(clients.specs(), clients.generations(), states));
    }
    // Last, as all of this may be done again.
    if (config.topicReplication() != 1) {
      warnOfSingleReplicas(clients, memory);
    }
  }

  private void warnOfSingleReplicas(AppClients clients, String memory) {
    List<String> own = new ArrayList<>(List.of(memory));
    clients.appTopics().ofController().forEach(topic -> own.add(topic.name()));
    for (RecordSetConfig recordSet : config.recordSets()) {
      own.add(config.changelogTopic(recordSet));
      own.add(config.memoryTopic(recordSet));
    }
    new OwnTopics(clients.cluster()).warnOfSingleReplicas(own);
  }
}
