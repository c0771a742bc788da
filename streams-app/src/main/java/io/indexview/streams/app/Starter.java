package io.indexview.streams.app;

import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.WishLog;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.FileWishes;
import io.indexview.streams.generation.ForeignGenerations;
import io.indexview.streams.generation.LoadedViews;
import io.indexview.streams.generation.Preparation;
import io.indexview.streams.lifecycle.LifecycleTopology;
import io.indexview.streams.work.jobs.RecordSetWatch;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the application does on a real cluster before it derives; outages are waited out. */
final class Starter {
  private static final Logger LOGGER = LoggerFactory.getLogger(Starter.class);
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
  void start(Workshop workshop) {
    while (true) {
      try {
        registryWait.get(
            () -> {
              attempt(workshop);
              return true;
            });
        return;
      } catch (RetriableException e) {
        LOGGER.warn("The brokers do not answer; waiting for them", e);
        status.accept("waiting for the brokers");
        stop.pause(RETRY);
      }
    }
  }

  private void attempt(Workshop workshop) {
    LoadedViews loaded =
        new Preparation(config, workshop.appTopics(), registry, workshop.cluster(), stop, status)
            .prepare();
    ForeignGenerations.refuse(
        LifecycleTopology.changelog(config.applicationId()),
        config.topics().viewGenerations(),
        workshop::generations,
        workshop.cluster());
    workshop.recordSetInfos().publish();
    workshop.resultLog().tell(new RecordSetWatch(workshop.surroundings()).lostAtStart());
    Map<String, ViewState> states = workshop.surroundings().tables().states().get();
    try (WishLog wishLog =
        WishLog.connect(workshop.clusterSettings(), config.topics(), registry, Clock.systemUTC())) {
      new FileWishes(
              config.topics(),
              (view, decision) -> wishLog.put(view, OptionalLong.empty(), decision))
          .apply(
              loaded, new FileWishes.Standing(workshop.wishes(), workshop.generations(), states));
    }
  }
}
