package io.indexview.client.admin;

import io.indexview.client.poll.SharedPoll;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.ControlTable.Contents;
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
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;

/** The control topics, for many threads; each read is fresh to the end of its topic. */
final class ControlTopicTables implements AutoCloseable {
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
  ControlTopicTables(
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

  /** Specs by view. */
  Contents<ViewSpec> specs() {
    return specs.read();
  }

  /** Specs that cannot be read here, by view: which record that is, and why. */
  static Map<String, String> unreadable(Contents<ViewSpec> specs) {
    return specs.unreadable().entrySet().stream()
        .filter(record -> ViewValidator.isName(record.getKey()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** States by view. */
  Contents<ViewState> states() {
    return states.read();
  }

  /** Generations by {@link PublishedGeneration#key}. */
  Contents<PublishedGeneration> generations() {
    return generations.read();
  }

  /** Record sets by name. */
  Map<String, RecordSetInfo> recordSets() {
    return recordSets.read().newest();
  }

  /** States of sources by source, topic and source partition. */
  Map<String, SourceState> sources() {
    return sources.read().newest();
  }

  /** A generation as it was frozen. */
  ViewGeneration frozen(PublishedGeneration published) {
    return ViewGeneration.ofKeySchema(registry.byId(published.schemas().key()));
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
    private final SharedPoll<Contents<T>> newest;

    /**
     * @param table closed with this
     */
    Follower(ControlTable<T> table) {
      this.table = table;
      this.newest = new SharedPoll<>(table::read);
    }

    /** See {@link ControlTable#read}. */
    Contents<T> read() {
      return newest.now();
    }

    @Override
    public void close() {
      newest.whileNobodyPolls(table::close);
    }
  }
}
