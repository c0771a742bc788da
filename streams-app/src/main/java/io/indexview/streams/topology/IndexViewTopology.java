package io.indexview.streams.topology;

import io.indexview.schemas.Topics;
import io.indexview.schemas.time.Time;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.generation.TopicFit.InPlace;
import io.indexview.streams.task.RecordSetTask;
import io.indexview.streams.task.SetAsideTask;
import io.indexview.streams.task.TaskServices;
import io.indexview.streams.task.TaskStores;
import io.indexview.streams.topology.TaskForwarder.OutgoingRow;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyDescription;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The wiring of what derives: the control topics that tasks read, then one sub-topology per record
 * set, in the order of the configuration. Every part has an explicit name, see {@link Names}.
 */
public final class IndexViewTopology {
  /** Small, so that the much-written changelog is compacted before it takes long to restore. */
  private static final String BUILDS_SEGMENT_BYTES = Integer.toString(8 << 20);

  private static final StreamPartitioner<String, byte[]> CONTROL_PARTITION =
      (topic, key, value, partitions) -> Optional.of(Set.of(Topics.CONTROL_PARTITION));

  private final AppConfig config;
  private final TaskServices services;
  private final Map<String, InPlace> setAside;
  private final Time time;
  private final ThreadLocal<ScanLimiter> limiters;
  private final ThreadLocal<EarlyCommits> earlyCommits;
  private final ThreadLocal<StateCache> caches;
  private final ControlTopic generations = new ControlTopic("view-generations");
  private final ControlTopic sourceStates = new ControlTopic("source-states");
  private final ControlTopic repairs = new ControlTopic("view-repairs");

  /** Number of the last record set. */
  private volatile int last = -1;

  /**
   * @param setAside record sets that are not derived; what stands in their place keeps the numbers
   *     of the others' tasks
   */
  public IndexViewTopology(AppConfig config, TaskServices services, Map<String, InPlace> setAside) {
    this.config = config;
    this.services = services;
    this.setAside = setAside;
    this.time = services.deriving().time();
    Duration chunk = config.buildChunk();
    this.limiters = ThreadLocal.withInitial(() -> new ScanLimiter(chunk, time));
    Duration minInterval = config.minCommitInterval();
    Duration interval = config.commitInterval();
    this.earlyCommits = ThreadLocal.withInitial(() -> new EarlyCommits(minInterval, interval));
    long cacheBytes =
        config.getLong(AppConfig.STATE_CACHE_CONFIG) / config.getInt(AppConfig.THREADS_CONFIG);
    this.caches = ThreadLocal.withInitial(() -> new StateCache(cacheBytes));
  }

  /** Whether the stream thread that asks is at rest. */
  public boolean isAtRest() {
    return limiters.get().isAtRest();
  }

  public Topology topology() {
    Topology topology = new Topology();
    generations.addTo(topology, config.topics().viewGenerations());
    sourceStates.addTo(topology, config.topics().sourceStates());
    for (RecordSetConfig recordSet : config.recordSets()) {
      InPlace inPlace = setAside.get(recordSet.name());
      if (inPlace == null) {
        add(topology, recordSet);
      } else {
        addInPlace(topology, recordSet, inPlace);
      }
    }
    // Behind the record sets, or their tasks would have other numbers than before.
    repairs.addTo(topology, config.topics().viewRepairs());
    last =
        topology.describe().subtopologies().stream()
            .mapToInt(TopologyDescription.Subtopology::id)
            .max()
            .orElse(last);
    return topology;
  }

  /**
   * The one instance that hands the tasks out numbers them by its own record sets. A task of a
   * number that there is not here Kafka Streams makes of all record sets together: it would derive
   * each of them a second time.
   *
   * @throws IllegalStateException if the task is such a one
   */
  void refuseUnknown(TaskId task) {
    if (task.subtopology() > last) {
      throw new IllegalStateException(
          "Task %s belongs to no record set of this instance: another one has other record.sets. Stop all instances, then start them with the same"
              .formatted(task));
    }
  }

  /** What was written there before is of no interest, and nothing new comes. */
  private void addInPlace(Topology topology, RecordSetConfig recordSet, InPlace inPlace) {
    Names names = Names.of(recordSet);
    topology.addSource(
        AutoOffsetReset.latest(),
        names.source(),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer(),
        inPlace.topic());
    if (inPlace.hasMemory()) {
      topology.addProcessor(
          names.processor(),
          () -> new SetAsideProcessor(context -> setAsideTask(recordSet, names, context)),
          names.source());
      topology.addStateStore(builds(names), names.processor());
      addReports(topology, names);
    }
  }

  private void add(Topology topology, RecordSetConfig recordSet) {
    Names names = Names.of(recordSet);
    topology.addSource(
        AutoOffsetReset.earliest(),
        names.source(),
        new UsePartitionTimeOnInvalidTimestamp(),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer(),
        recordSet.topic());
    topology.addProcessor(names.processor(), supplier(recordSet, names), names.source());
    topology.addStateStore(records(recordSet, names), names.processor());
    topology.addStateStore(builds(names), names.processor());
    topology.addStateStore(replay(names), names.processor());
    Serializer<OutgoingRow> rowKeys = (topic, row) -> row.key();
    topology.addSink(
        names.rowSink(),
        new OutgoingRow.ToTopic(),
        rowKeys,
        new ByteArraySerializer(),
        (topic, row, value, partitions) -> row.partitionOf(partitions),
        names.processor());
    addReports(topology, names);
  }

  private void addReports(Topology topology, Names names) {
    topology.addSink(
        names.deadLetterSink(),
        config.topics().deadLetters(),
        new ByteArraySerializer(),
        new ByteArraySerializer(),
        names.processor());
    topology.addSink(
        names.progressSink(),
        config.topics().viewProgress(),
        new StringSerializer(),
        new ByteArraySerializer(),
        CONTROL_PARTITION,
        names.processor());
  }

  private ProcessorSupplier<byte[], byte[], Object, byte[]> supplier(
      RecordSetConfig recordSet, Names names) {
    return () ->
        new RecordSetProcessor(
            partition ->
                services.trimmedEvents().forget(new TopicPartition(recordSet.topic(), partition)),
            recordSet.steppedOver(),
            services.failedEvents(),
            services.deriving().registryWait(),
            StreamsSettings.transactionTimeout(config),
            time,
            limiters::get,
            earlyCommits::get,
            context -> task(recordSet, names, context));
  }

  private RecordSetTask task(
      RecordSetConfig recordSet, Names names, ProcessorContext<Object, byte[]> context) {
    return new RecordSetTask(
        location(recordSet, context),
        recordSet.completeness().hasSource(),
        services,
        new TaskStores(
            StreamsStores.entries(context.getStateStore(names.store())),
            StreamsStores.entries(context.getStateStore(names.replay())),
            StreamsStores.memory(context.getStateStore(names.builds())),
            generations,
            sourceStates,
            repairs),
        forwarder(recordSet, names, context),
        config.changelogTopic(recordSet),
        config.topics(),
        StreamsSettings.maxMessageBytes(config),
        config.tombstoneRetention(),
        context::currentStreamTimeMs);
  }

  private SetAsideTask setAsideTask(
      RecordSetConfig recordSet, Names names, ProcessorContext<Object, byte[]> context) {
    return new SetAsideTask(
        location(recordSet, context),
        services.deriving().registry(),
        StreamsStores.memory(context.getStateStore(names.builds())),
        generations,
        forwarder(recordSet, names, context),
        time);
  }

  private TaskLocation location(
      RecordSetConfig recordSet, ProcessorContext<Object, byte[]> context) {
    refuseUnknown(context.taskId());
    return new TaskLocation(
        recordSet.name(), recordSet.topic(), recordSet.format(), context.taskId().partition());
  }

  private TaskForwarder forwarder(
      RecordSetConfig recordSet, Names names, ProcessorContext<Object, byte[]> context) {
    DeadLetters deadLetters =
        new DeadLetters(
            config.topics().deadLetters(),
            recordSet.name(),
            StreamsSettings.maxMessageBytes(config),
            services.deriving().registry(),
            services.deriving().registryWait());
    return new TaskForwarder(
        context,
        names,
        config.topics().viewProgress(),
        deadLetters,
        services.deriving().registry());
  }

  /**
   * No record cache of Kafka Streams: it writes everything at each commit, and with short
   * transactions a key is rarely written twice in one.
   */
  private StoreBuilder<KeyValueStore<Bytes, byte[]>> records(
      RecordSetConfig recordSet, Names names) {
    KeyValueBytesStoreSupplier entries =
        switch (recordSet.stateStore()) {
          case ROCKSDB -> onDisk(names);
          case MEMORY -> MemoryStore.supplier(names.store());
        };
    return Stores.keyValueStoreBuilder(entries, Serdes.Bytes(), Serdes.ByteArray())
        .withCachingDisabled()
        .withLoggingEnabled(
            Map.of(
                TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
                Integer.toString(StreamsSettings.topicMessageBytes(config))));
  }

  private KeyValueBytesStoreSupplier onDisk(Names names) {
    KeyValueBytesStoreSupplier disk = Stores.persistentKeyValueStore(names.store());
    return config.getLong(AppConfig.STATE_CACHE_CONFIG) == 0
        ? disk
        : CachedStore.supplier(
            disk, caches::get, services.deriving().metrics().recordSet(names.recordSet()));
  }

  /**
   * The copy of a replayed topic. It has no changelog: what is lost is materialized once more from
   * the topic, which holds it all. It is on disk wherever the entries are, because it is a copy of
   * all of them, and seldom there. A task that has it also has a directory, where Kafka Streams
   * cleans up.
   */
  private static StoreBuilder<KeyValueStore<Bytes, byte[]>> replay(Names names) {
    return Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore(names.replay()), Serdes.Bytes(), Serdes.ByteArray())
        .withCachingDisabled()
        .withLoggingDisabled();
  }

  /**
   * Progress of builds, with a record cache: the counts of a generation change with almost every
   * event, and only the last ones of a transaction matter.
   */
  private static StoreBuilder<KeyValueStore<String, byte[]>> builds(Names names) {
    return Stores.keyValueStoreBuilder(
            Stores.inMemoryKeyValueStore(names.builds()), Serdes.String(), Serdes.ByteArray())
        .withCachingEnabled()
        .withLoggingEnabled(Map.of(TopicConfig.SEGMENT_BYTES_CONFIG, BUILDS_SEGMENT_BYTES));
  }

  /**
   * Names of everything a record set has in the topology. They are part of the names of changelog
   * topics and of the state directory: an upgrade contract.
   *
   * @param store of the primary records
   * @param builds store of what the task remembers of generations
   * @param replay store of what a replay has materialized so far
   */
  record Names(String recordSet, String store, String builds, String replay) {

    static Names of(RecordSetConfig recordSet) {
      String name = recordSet.name();
      return new Names(name, recordSet.storeName(), recordSet.memoryStoreName(), "replay-" + name);
    }

    String source() {
      return "read-changes-" + recordSet;
    }

    String processor() {
      return "derive-rows-" + recordSet;
    }

    String rowSink() {
      return "write-rows-" + recordSet;
    }

    String deadLetterSink() {
      return "write-dead-letters-" + recordSet;
    }

    String progressSink() {
      return "write-progress-" + recordSet;
    }
  }

  /** The shell of what stands in the place of a task while its record set is set aside. */
  static final class SetAsideProcessor implements Processor<byte[], byte[], Object, byte[]> {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(500);

    private final Function<ProcessorContext<Object, byte[]>, SetAsideTask> tasks;
    private SetAsideTask task;
    private Cancellable polling;

    /**
     * @param tasks called when its store is restored
     */
    SetAsideProcessor(Function<ProcessorContext<Object, byte[]>, SetAsideTask> tasks) {
      this.tasks = tasks;
    }

    @Override
    public void init(ProcessorContext<Object, byte[]> context) {
      polling =
          context.schedule(
              POLL_INTERVAL,
              PunctuationType.WALL_CLOCK_TIME,
              now -> {
                if (task == null) {
                  task = tasks.apply(context);
                }
                task.poll(now);
              });
    }

    @Override
    public void process(Record<byte[], byte[]> message) {
      // No event: what stands in the place of the change topic.
    }

    /** What a task that is revived scheduled is still there. */
    @Override
    public void close() {
      polling.cancel();
      task = null;
    }
  }
}
