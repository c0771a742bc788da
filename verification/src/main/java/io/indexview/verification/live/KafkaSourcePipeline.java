package io.indexview.verification.live;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/** {@link SourceScans.Pipeline} on a cluster. */
final class KafkaSourcePipeline implements SourceScans.Pipeline {
  private final Map<String, Object> settings;
  private final SchemaRegistry registry;
  private final VerificationLog log;
  private final PublishedGeneration generation;
  private final Admin admin;
  private final Consumer<byte[], byte[]> reader;
  private final GroupProgress progress;
  private final ControlTable<SourceState> states;
  private final ControlTable<SourceRequest> requests;
  private final ControlTable<RecordSetInfo> recordSets;

  /**
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param log stays open
   * @param registry stays open
   */
  KafkaSourcePipeline(
      Map<String, Object> kafka,
      Topics topics,
      VerificationLog log,
      SchemaRegistry registry,
      PublishedGeneration generation) {
    this.settings = AnswerTimeouts.in(kafka);
    this.registry = registry;
    this.log = log;
    this.generation = generation;
    this.admin = Admin.create(settings);
    this.reader = ControlTable.consumer(settings);
    this.progress = new GroupProgress(admin, reader);
    this.states = table(topics.sourceStates(), ControlSchemas.SOURCE_STATE, SourceState::of);
    this.requests =
        table(topics.sourceRequests(), ControlSchemas.SOURCE_REQUEST, SourceRequest::of);
    this.recordSets = table(topics.recordSets(), ControlSchemas.RECORD_SET, RecordSetInfo::of);
  }

  private <T> ControlTable<T> table(
      String topic, Schema schema, Function<GenericRecord, T> values) {
    return new ControlTable<>(
        topic, ControlTable.consumer(settings), new AvroDeserializer(registry, schema), values);
  }

  @Override
  public Collection<SourceState> states() {
    return states.refresh().values();
  }

  @Override
  public Optional<SourceRequest> standing() {
    return Optional.ofNullable(
        requests.refresh().get(SourceRequest.scanKey(generation.sourceTopic())));
  }

  @Override
  public void ask(SourceRequest asked) {
    log.ask(asked);
  }

  @Override
  public Map<TopicPartition, Long> ends() {
    return progress.ends(List.of(generation.sourceTopic()));
  }

  /**
   * @throws NotVerifiableException if no streams app has the record set
   */
  @Override
  public boolean hasTaken(Map<TopicPartition, Long> ends) {
    RecordSetInfo info = recordSets.refresh().get(generation.recordSet());
    if (info == null) {
      throw new NotVerifiableException(
          "no streams app has record set \"%s\"".formatted(generation.recordSet()));
    }
    return progress.behind(info.application(), ends).isEmpty();
  }

  @Override
  public void close() {
    try (admin;
        reader;
        states;
        requests) {
      recordSets.close();
    }
  }
}
