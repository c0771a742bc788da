package io.indexview.streams.work.jobs;

import io.indexview.schemas.control.CompleteLook;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.config.Completeness;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Does {@link Work.RequestResnapshot}. */
final class ResnapshotJob implements Job {
  private final Work.RequestResnapshot work;
  private final Surroundings around;
  private final AvroSerializer<GenericRecord> serializer;
  private CompleteLook look;
  private boolean requested;

  ResnapshotJob(Work.RequestResnapshot work, Surroundings around, SchemaRegistry registry) {
    this.work = work;
    this.around = around;
    this.serializer = new AvroSerializer<>(registry, false);
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    Optional<RecordSetConfig> recordSet = around.config().recordSet(work.recordSet());
    if (recordSet.isEmpty()) {
      return refused("there is no record set \"%s\"".formatted(work.recordSet()));
    }
    if (recordSet.get().completeness() == Completeness.TOPIC) {
      return refused(
          "nobody answers for record set \"%s\" on source-states (record.set.%s.complete), so nobody can be asked to publish its records again"
              .formatted(work.recordSet(), work.recordSet()));
    }
    String topic = recordSet.get().topic();
    request(topic);
    if (look == null) {
      TopicSources.Answer answer =
          around.sources(topic).publishedAgain(around.cluster().topicId(topic), work.number());
      if (answer.complete().isEmpty()) {
        return Look.waiting(
            "all sources of topic %s to publish every record again: %s"
                .formatted(topic, answer.missing()));
      }
      look = answer.look();
    }
    String waitsFor = new ResnapshotEnd(around, recordSet.get()).waitsFor(look);
    if (!waitsFor.isEmpty()) {
      return Look.waiting(waitsFor);
    }
    told.accept(new WorkResult.RecordSetWhole(work.recordSet(), look.startedAtMs()));
    return Look.answered(WorkResult.Done.of(work));
  }

  private Look refused(String reason) {
    return Look.answered(WorkResult.Refused.of(work, reason));
  }

  private void request(String topic) {
    if (requested) {
      return;
    }
    SourceRequest standing = around.tables().requests().get().get(topic);
    if (standing == null || standing.number() < work.number()) {
      SourceRequest request = new SourceRequest(topic, work.number(), around.clock().millis());
      String requests = around.topics().sourceRequests();
      around
          .writer()
          .write(
              List.of(
                  new ProducerRecord<>(
                      requests,
                      topic.getBytes(StandardCharsets.UTF_8),
                      serializer.serialize(requests, request.toAvro()))));
    }
    requested = true;
  }
}
