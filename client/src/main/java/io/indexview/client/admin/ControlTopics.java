package io.indexview.client.admin;

import io.indexview.client.poll.SharedPoll;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.definition.ViewValidator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;

/** The control topics, for many threads; each read is fresh to the end of its topic. */
final class ControlTopics implements AutoCloseable {
  private final Supplier<Consumer<byte[], byte[]>> consumers;
  private final SchemaRegistry registry;
  private final Follower<ViewSpec> specs;
  private final Follower<ViewState> states;
  private final Follower<PublishedGeneration> generations;
  private final Follower<RecordSetInfo> recordSets;
  private final Follower<SourceState> sources;

  /**
   * @param consumers see {@link ControlTable#consumer}; one per topic
   * @param registry stays open
   */
  ControlTopics(
      Topics topics, Supplier<Consumer<byte[], byte[]>> consumers, SchemaRegistry registry) {
    this.consumers = consumers;
    this.registry = registry;
    this.specs = follower(topics.viewDefinitions(), ControlSchemas.VIEW_DEFINITION, ViewSpec::of);
    this.states = follower(topics.viewStates(), ControlSchemas.VIEW_STATE, ViewState::of);
    this.generations =
        follower(topics.viewGenerations(), ControlSchemas.VIEW_GENERATION, PublishedGeneration::of);
    this.recordSets = follower(topics.recordSets(), ControlSchemas.RECORD_SET, RecordSetInfo::of);
    this.sources = follower(topics.sourceStates(), ControlSchemas.SOURCE_STATE, SourceState::of);
  }

  private <T> Follower<T> follower(String topic, Schema schema, Function<GenericRecord, T> values) {
    return new Follower<>(
        new ControlTable<>(topic, consumers.get(), new AvroDeserializer(registry, schema), values));
  }

  /** By view. */
  Map<String, ViewSpec> specs() {
    return specs.read();
  }

  /** Of views whose specs the last read passed over: which record that is, and why. */
  Map<String, String> unreadableSpecs() {
    return specs.passedOver().entrySet().stream()
        .filter(record -> ViewValidator.isName(record.getKey()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** By view. */
  Map<String, ViewState> states() {
    return states.read();
  }

  /** By {@link PublishedGeneration#key}. */
  Map<String, PublishedGeneration> generations() {
    return generations.read();
  }

  /** By name. */
  Map<String, RecordSetInfo> recordSets() {
    return recordSets.read();
  }

  /** By source, topic and source partition. */
  Map<String, SourceState> sources() {
    return sources.read();
  }

  /** A generation as it was frozen. */
  ViewGeneration frozen(PublishedGeneration published) {
    return ViewGeneration.ofKeySchema(registry.byId(published.schemas().key()));
  }

  /** What the last reads of views passed over, as it cannot be read here. */
  List<String> passedOver() {
    return Stream.of(specs, states, generations)
        .flatMap(follower -> follower.passedOver().keySet().stream())
        .sorted()
        .toList();
  }

  @Override
  public void close() {
    List.of(specs, states, generations, recordSets, sources).forEach(Follower::close);
  }

  /**
   * A control topic that several threads read. Each sees what was committed before its call; those
   * who wait while another reads share the next read.
   *
   * @param <T> what a record stands for
   */
  static final class Follower<T> implements AutoCloseable {
    private final ControlTable<T> table;
    private final SharedPoll<Map<String, T>> newest;
    private volatile Map<String, String> passedOver = Map.of();

    /**
     * @param table closed with this
     */
    Follower(ControlTable<T> table) {
      this.table = table;
      this.newest = new SharedPoll<>(this::refresh);
    }

    private Map<String, T> refresh() {
      Map<String, T> read = table.refresh();
      passedOver = table.passedOver();
      return read;
    }

    /** Of the last read, see {@link ControlTable#passedOver}. */
    Map<String, String> passedOver() {
      return passedOver;
    }

    /** The newest values by key, see {@link ControlTable#refresh}. */
    Map<String, T> read() {
      return newest.now();
    }

    @Override
    public void close() {
      newest.whileNobodyPolls(table::close);
    }
  }
}
