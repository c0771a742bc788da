package io.indexview.streams.controller;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PartitionReads;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.streams.controller.ControllerMemory.Read;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.streams.controller.rules.Finding;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SerializationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control topics on a cluster. All holders of the lease share one transactional id, so whoever
 * opens fences those before; state, generations, statuses, and how far the definitions are read are
 * one transaction.
 */
final class KafkaControlTopics implements ControlTopics {
  private static final Logger LOGGER = LoggerFactory.getLogger(KafkaControlTopics.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
  private static final Schema TEXT = Schema.create(Schema.Type.STRING);

  private final Topics topics;
  private final TopicPartition memory;
  private final TopicPartition definitions;
  private final TopicPartition progress;
  private final Producer<byte[], byte[]> producer;
  private final Consumer<byte[], byte[]> consumer;
  private final PartitionReads reads;
  private final ClusterFacts cluster;
  private final AvroDeserializer definitionReader;
  private final AvroDeserializer progressReader;
  private final AvroDeserializer memoryReader;
  private final MessageWriter keys;
  private final MessageWriter values;
  private String definitionsId = "";
  private long definitionsRead = -1;

  /** What is asked of the cluster beside reading and writing. */
  interface ClusterFacts {
    /** The high watermark of each partition of the topics, asked together. */
    Map<TopicPartition, Long> ends(Collection<String> topics);

    Optional<String> topicId(String topic);
  }

  /**
   * @param memoryTopic what the controller remembers
   * @param producer of the one transactional id; closed with this
   * @param consumer in no group, reads committed records only; closed with this
   * @param registry stays open
   */
  KafkaControlTopics(
      Topics topics,
      String memoryTopic,
      Producer<byte[], byte[]> producer,
      Consumer<byte[], byte[]> consumer,
      ClusterFacts cluster,
      SchemaRegistry registry) {
    this.topics = topics;
    this.memory = new TopicPartition(memoryTopic, Topics.CONTROL_PARTITION);
    this.definitions = new TopicPartition(topics.viewDefinitions(), Topics.CONTROL_PARTITION);
    this.progress = new TopicPartition(topics.viewProgress(), Topics.CONTROL_PARTITION);
    this.producer = producer;
    this.consumer = consumer;
    this.reads = new PartitionReads(consumer);
    this.cluster = cluster;
    this.definitionReader = new AvroDeserializer(registry, ControlSchemas.VIEW_DEFINITION);
    this.progressReader = new AvroDeserializer(registry, ControlSchemas.VIEW_PROGRESS);
    this.memoryReader = new AvroDeserializer(registry, ControlSchemas.CONTROLLER_STATE);
    this.keys = new MessageWriter(registry, true);
    this.values = new MessageWriter(registry, false);
  }

  @Override
  public Memory open() {
    producer.initTransactions();
    ControllerMemory remembered = readMemory();
    definitionsId = cluster.topicId(definitions.topic()).orElse("");
    // Offsets of an earlier topic of the name say nothing of this one.
    OptionalLong read =
        remembered.read().stream()
            .filter(known -> known.topicId().equals(definitionsId) && known.offset() >= 0)
            .mapToLong(Read::offset)
            .findFirst();
    List<ControlEvent> standing =
        read.isPresent() ? definitionsBefore(read.getAsLong()) : List.of();
    consumer.assign(List.of(definitions, progress));
    consumer.seekToBeginning(List.of(definitions, progress));
    if (read.isPresent()) {
      consumer.seek(definitions, read.getAsLong());
      definitionsRead = read.getAsLong();
    }
    return new Memory(remembered.views(), remembered.losses(), standing);
  }

  private ControllerMemory readMemory() {
    Map<String, byte[]> newest = new LinkedHashMap<>();
    readTo(
        memory,
        cluster.ends(List.of(memory.topic())).get(memory),
        message -> {
          if (message.key() == null) {
            LOGGER.error(
                "Record {}@{} has no key, so it is none of the controller's, and is ignored; see who else writes the topic",
                memory,
                message.offset());
          } else {
            newest.put(text(message.key()), message.value());
          }
        });
    ControllerMemory remembered = new ControllerMemory();
    newest.forEach(
        (key, value) -> {
          if (value != null) {
            remember(remembered, key, value);
          }
        });
    return remembered;
  }

  /** Older ones, which the topic may still hold, are over. */
  private List<ControlEvent> definitionsBefore(long offset) {
    Map<String, ConsumerRecord<byte[], byte[]>> newest = new LinkedHashMap<>();
    readTo(
        definitions,
        Math.min(offset, cluster.ends(List.of(definitions.topic())).get(definitions)),
        message -> {
          if (message.key() != null && message.offset() < offset) {
            newest.put(text(message.key()), message);
          }
        });
    return newest.values().stream().map(this::definition).flatMap(Optional::stream).toList();
  }

  private void readTo(
      TopicPartition partition,
      long end,
      java.util.function.Consumer<ConsumerRecord<byte[], byte[]>> reader) {
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    reads.toEnds(Map.of(partition, end), reader);
  }

  /** Nothing is ignored here: a view that nobody remembers would be dropped. */
  private void remember(ControllerMemory remembered, String key, byte[] value) {
    try {
      remembered.add(memoryReader.deserialize(memory.topic(), value));
    } catch (RegistryException | IllegalStateException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new SerializationException(
          "topic %s: what is remembered under \"%s\" cannot be read (use the newer release if one wrote it): %s"
              .formatted(memory.topic(), key, e.getMessage()),
          e);
    }
  }

  @Override
  public List<ControlEvent> read(Duration pause) {
    List<ControlEvent> events = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> message : consumer.poll(pause)) {
      (message.topic().equals(definitions.topic()) ? definition(message) : progress(message))
          .ifPresent(events::add);
    }
    return events;
  }

  private Optional<ControlEvent> definition(ConsumerRecord<byte[], byte[]> message) {
    if (message.key() == null) {
      return Optional.of(unreadable(message, "", "it has no key"));
    }
    String view = text(message.key());
    if (message.value() == null) {
      return Optional.of(new ControlEvent.Dropped(view));
    }
    return decode(
        message,
        view,
        definitionReader,
        record -> {
          ViewSpec spec = ViewSpec.of(record);
          if (!spec.view().equals(view)) {
            throw new IllegalArgumentException(
                "it is for view \"%s\", its key says \"%s\"".formatted(spec.view(), view));
          }
          return Optional.of(new ControlEvent.Desired(spec));
        });
  }

  private Optional<ControlEvent> progress(ConsumerRecord<byte[], byte[]> message) {
    if (message.value() == null) {
      return Optional.ofNullable(message.key()).map(key -> new ControlEvent.ReportOver(text(key)));
    }
    return decode(
        message,
        "",
        progressReader,
        record -> {
          if (TaskProgress.isIn(record)) {
            return Optional.of(new ControlEvent.Reported(TaskProgress.of(record)));
          }
          if (EventsLost.isIn(record)) {
            return Optional.of(new Finding.Lost(EventsLost.of(record)));
          }
          if (PurgeProgress.of(record).isPresent()) {
            return Optional.empty();
          }
          Optional<ControlEvent> found =
              RowsVerified.of(record)
                  .<ControlEvent>map(ControlEvent.Verified::new)
                  .or(() -> RepairProgress.of(record).map(ControlEvent.Repaired::new));
          if (found.isPresent()) {
            return found;
          }
          throw new IllegalArgumentException("it is of a kind that this release does not know");
        });
  }

  /** An outage of the registry says nothing of the record, and passes through. */
  private Optional<ControlEvent> decode(
      ConsumerRecord<byte[], byte[]> message,
      String view,
      AvroDeserializer deserializer,
      Function<GenericRecord, Optional<ControlEvent>> reader) {
    try {
      return reader.apply(deserializer.deserialize(message.topic(), message.value()));
    } catch (RegistryException e) {
      throw e;
    } catch (RuntimeException e) {
      return Optional.of(unreadable(message, view, e.getMessage()));
    }
  }

  /**
   * Logs a record that cannot be read, and reports it: to fail would help nobody, because the
   * record stays where it is.
   */
  private static ControlEvent unreadable(
      ConsumerRecord<byte[], byte[]> message, String view, String reason) {
    LOGGER.error(
        "Control record {}-{}@{} cannot be read and is ignored: {}; upgrade the application if a newer release wrote it, else see who else writes the topic",
        message.topic(),
        message.partition(),
        message.offset(),
        reason);
    return new ControlEvent.Unreadable(view, String.valueOf(reason));
  }

  @Override
  public long position() {
    return consumer.position(definitions) + consumer.position(progress);
  }

  private record Ends(Map<TopicPartition, Long> offsets) implements End {}

  @Override
  public End end() {
    Map<TopicPartition, Long> ends = cluster.ends(List.of(definitions.topic(), progress.topic()));
    return new Ends(Map.of(definitions, ends.get(definitions), progress, ends.get(progress)));
  }

  @Override
  public boolean hasRead(End end) {
    return ((Ends) end)
        .offsets().entrySet().stream()
            .allMatch(offset -> consumer.position(offset.getKey()) >= offset.getValue());
  }

  @Override
  public void commit(Reconciler.Changes changes) {
    long read = consumer.position(definitions);
    if (changes.isEmpty() && read == definitionsRead) {
      return;
    }
    List<ProducerRecord<byte[], byte[]>> messages = new ArrayList<>();
    changes.records.forEach(record -> messages.add(message(record)));
    changes.reportsOver.forEach(
        key -> messages.add(ControlTable.record(progress.topic(), text(key), null)));
    ControllerMemory.records(changes, new Read(definitionsId, read))
        .forEach((key, record) -> messages.add(message(memory.topic(), text(key), record)));
    producer.beginTransaction();
    messages.forEach(producer::send);
    producer.commitTransaction();
    definitionsRead = read;
  }

  private ProducerRecord<byte[], byte[]> message(ControlRecord record) {
    if (record instanceof ControlRecord.Generation published) {
      PublishedGeneration generation = published.generation();
      return message(topics.viewGenerations(), text(generation.key()), generation.toAvro());
    }
    if (record instanceof ControlRecord.GenerationGone gone) {
      String key = PublishedGeneration.key(gone.view(), gone.generation());
      return ControlTable.record(topics.viewGenerations(), text(key), null);
    }
    if (record instanceof ControlRecord.State published) {
      return message(
          topics.viewStates(), stateKey(published.state().view()), published.state().toAvro());
    }
    ControlRecord.StateGone gone = (ControlRecord.StateGone) record;
    ProducerRecord<byte[], byte[]> tombstone =
        ControlTable.record(topics.viewStates(), stateKey(gone.view()), null);
    // Sinks may have seen no state of the view, and the target may have one of another
    // installation.
    tombstone.headers().add(ViewState.UID_HEADER, text(gone.uid()));
    return tombstone;
  }

  private ProducerRecord<byte[], byte[]> message(String topic, byte[] key, GenericRecord record) {
    return ControlTable.record(topic, key, values.write(topic, record.getSchema(), record));
  }

  /** Framed, since sinks read it with the converter that they read the rows' keys with. */
  private byte[] stateKey(String view) {
    return keys.write(topics.viewStates(), TEXT, view);
  }

  private static byte[] text(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    producer.close(CLOSE_TIMEOUT);
    consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
  }
}
