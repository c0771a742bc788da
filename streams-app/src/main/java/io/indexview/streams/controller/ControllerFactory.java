package io.indexview.streams.controller;

import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.TargetConfig;
import io.indexview.streams.controller.actions.ActionContext;
import io.indexview.streams.controller.actions.ActionRunner;
import io.indexview.streams.controller.actions.Actions;
import io.indexview.streams.controller.actions.Activity;
import io.indexview.streams.controller.actions.Freezer;
import io.indexview.streams.controller.actions.FreshnessWatch;
import io.indexview.streams.controller.actions.LeftOutRecordSets;
import io.indexview.streams.controller.actions.RecordSchemaWatch;
import io.indexview.streams.controller.actions.RecordSetInfos;
import io.indexview.streams.controller.actions.RecordSetWatch;
import io.indexview.streams.controller.actions.StrayTopics;
import io.indexview.streams.controller.actions.TopicWatch;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.AppTopics;
import io.indexview.streams.generation.Cluster.TopicSpec;
import io.indexview.streams.generation.OwnTopics;
import io.indexview.streams.generation.RecordSetCatalog;
import io.indexview.streams.generation.TopicFit;
import io.indexview.streams.health.ViewStateGauges;
import io.indexview.views.definition.ViewDefinitionParser;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the controller of a process.
 *
 * @param instance what the ids of all clients begin with
 * @param registry stays open
 * @param context for the controller's thread
 * @param specs the desired definitions by view, read anew each time
 * @param consumers settings of consumers of the cluster, in no group
 * @param producers settings of producers of the cluster
 */
public record ControllerFactory(
    AppConfig config,
    String instance,
    SchemaRegistry registry,
    ActionContext context,
    AppTopics appTopics,
    RecordSetCatalog catalog,
    RecordSetInfos recordSetInfos,
    Supplier<Map<String, ViewSpec>> specs,
    Map<String, Object> consumers,
    Map<String, Object> producers) {
  private static final Logger LOGGER = LoggerFactory.getLogger(ControllerFactory.class);

  /** A killed process gives up the lease as fast as its tasks. */
  private static final int SESSION_TIMEOUT_MS = 15_000;

  private static final int TRANSACTION_TIMEOUT_MS = 15_000;

  /** A record ends the wait. Who takes over asks for offsets behind one fetch at most. */
  private static final Duration FETCH_WAIT = Duration.ofMillis(250);

  /**
   * What the controllers of an application share: the group of their lease, their transactional id,
   * and the topic of what they remember have this name.
   */
  public static String name(String applicationId) {
    return applicationId + "-controller";
  }

  /**
   * A controller, not started.
   *
   * @param onGivingUp receives the failure that ends the application
   * @param clients what the context uses; closed at the end
   */
  public Controller create(
      ViewStateGauges gauges,
      StopSignal stop,
      Consumer<Throwable> onGivingUp,
      AutoCloseable clients) {
    return new Controller(
        this::lease, () -> session(gauges), this::createMissing, stop, onGivingUp, clients);
  }

  /** The topics that a session reads and writes; one that works follows those that tasks write. */
  private void createMissing() {
    List<String> missing =
        new ArrayList<>(appTopics.ofController().stream().map(TopicSpec::name).toList());
    missing.removeAll(context.cluster().existing(missing).keySet());
    if (!missing.isEmpty()) {
      LOGGER.warn("Topics are gone, and made anew: {}", missing);
    }
    new OwnTopics(context.cluster()).prepare(appTopics.ofController());
  }

  private Lease lease() {
    return new Lease(
        new KafkaConsumer<>(
            leaseSettings(), new ByteArrayDeserializer(), new ByteArrayDeserializer()),
        config.topics().viewProgress());
  }

  Map<String, Object> leaseSettings() {
    Map<String, Object> settings = new HashMap<>(consumers);
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId("lease"));
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, name(config.applicationId()));
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, SESSION_TIMEOUT_MS);
    settings.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    return settings;
  }

  private String clientId(String purpose) {
    return instance + "-controller-" + purpose;
  }

  private ControllerSession session(ViewStateGauges gauges) {
    // A standby has not looked at them for weeks.
    context.tables().readAnew().run();
    return new ControllerSession(
        controlTopics(),
        settings(),
        new ForeignPublications(name(config.applicationId()), config.topics(), context.cluster()),
        () ->
            new Publications(context.tables().generations().get(), context.tables().states().get()),
        actions(),
        gauges,
        context.time());
  }

  Map<String, Object> readerSettings() {
    Map<String, Object> settings = new HashMap<>(consumers);
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId("reader"));
    return settings;
  }

  /** All instances share the transactional id: who begins fences who was before. */
  Map<String, Object> writerSettings() {
    Map<String, Object> settings = new HashMap<>(producers);
    settings.put(ProducerConfig.CLIENT_ID_CONFIG, clientId("writer"));
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, name(config.applicationId()));
    settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MS);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, TRANSACTION_TIMEOUT_MS);
    return settings;
  }

  private ControlTopics controlTopics() {
    Producer<byte[], byte[]> producer =
        new KafkaProducer<>(writerSettings(), new ByteArraySerializer(), new ByteArraySerializer());
    try {
      return new KafkaControlTopics(
          config.topics(),
          name(config.applicationId()),
          producer,
          ControlTable.consumer(readerSettings(), FETCH_WAIT),
          clusterFacts(),
          registry);
    } catch (RuntimeException e) {
      producer.close(Duration.ZERO);
      throw e;
    }
  }

  private KafkaControlTopics.ClusterFacts clusterFacts() {
    return new KafkaControlTopics.ClusterFacts() {
      @Override
      public Map<TopicPartition, Long> ends(Collection<String> topics) {
        return context.log().ends(topics);
      }

      @Override
      public Optional<String> topicId(String topic) {
        return context.cluster().topicId(topic);
      }
    };
  }

  private ActionRunner actions() {
    Freezer freezer =
        new Freezer(
            new ViewDefinitionParser(config.knownTargets()),
            appTopics,
            catalog,
            registry,
            context.cluster(),
            context.observed(),
            new TopicFit(config, context.observed()),
            new Freezer.Standing(specs, context.tables().generations()),
            context.time());
    List<Activity> watches = new ArrayList<>(RecordSetWatch.all(context, registry));
    watches.add(new LeftOutRecordSets(context));
    watches.add(new StrayTopics(context));
    watches.add(new TopicWatch(context, appTopics));
    watches.add(recordSetInfos);
    watches.add(new RecordSchemaWatch(context, catalog));
    FreshnessWatch freshness = new FreshnessWatch(context);
    watches.add(freshness);
    return new ActionRunner(
        new Actions(context, freezer, appTopics, registry, freshness), context.time(), watches);
  }

  private ControllerSettings settings() {
    return new ControllerSettings(
        config.generationGrace(),
        config.topics(),
        config.targets().stream()
            .collect(Collectors.toMap(TargetConfig::name, TargetConfig::sinkGroup)));
  }
}
