package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.CompleteScan;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;

/** Does {@link Action.AdHocSnapshot}. */
final class SnapshotRequester implements Activity {
  private final Action.AdHocSnapshot action;
  private final ActionContext context;
  private final AvroSerializer<GenericRecord> serializer;
  private CompleteScan scan;
  private Optional<String> scannedTopicId = Optional.empty();

  /** Number of the request that sources have to answer; 0: none was made yet. */
  private long requested;

  SnapshotRequester(Action.AdHocSnapshot action, ActionContext context, SchemaRegistry registry) {
    this.action = action;
    this.context = context;
    this.serializer = new AvroSerializer<>(registry, false);
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    Optional<RecordSetConfig> recordSet = context.config().recordSet(action.recordSet());
    if (recordSet.isEmpty()) {
      return refused("there is no record set \"%s\"".formatted(action.recordSet()));
    }
    if (!recordSet.get().completeness().hasSource()) {
      return refused(
          "nobody answers for record set \"%s\" on source-states (record.set.%s.complete), so nobody can be asked to publish its records again. Publish them again yourself, all of them, then tell so: bin/indexview sources published-again %s --since TIME"
              .formatted(action.recordSet(), action.recordSet(), action.recordSet()));
    }
    String topic = recordSet.get().topic();
    request(topic);
    Optional<String> topicId = context.observed().topicId(topic);
    if (scan == null || !topicId.equals(scannedTopicId)) {
      scannedTopicId = topicId;
      scan = null;
      TopicSources.Answer answer = context.sources(topic).publishedAgain(topicId, requested);
      if (answer.complete().isEmpty()) {
        return Activity.waiting(
            "all sources of topic %s to publish every record again: %s"
                .formatted(topic, answer.missing()));
      }
      scan = answer.scan();
    }
    String waitsFor = waitsFor(scan, recordSet.get(), context);
    if (!waitsFor.isEmpty()) {
      return Activity.waiting(waitsFor);
    }
    found.accept(new Finding.RecordSetWhole(action.recordSet(), scan.startedAtMs()));
    return Activity.answered(Finding.Done.of(action));
  }

  /**
   * What keeps the application from being done with what sources published again, for people;
   * empty: nothing, it has taken all in and deleted the rest.
   */
  static String waitsFor(CompleteScan scan, RecordSetConfig recordSet, ActionContext context) {
    if (!context.log().hasPassed(context.config().applicationId(), scan.ends())) {
      return "the application to take in topic " + recordSet.topic();
    }
    OptionalInt partitions = context.observed().partitions(recordSet.topic());
    Map<String, Optional<PurgeProgress>> progress = context.tables().progress().get();
    boolean purged =
        partitions.isPresent()
            && IntStream.range(0, partitions.getAsInt())
                .mapToObj(partition -> PurgeProgress.key(recordSet.name(), partition))
                .map(key -> progress.getOrDefault(key, Optional.empty()))
                .allMatch(purge -> purge.filter(done -> done.covers(scan)).isPresent());
    return purged
        ? ""
        : "the application to delete what the sources of topic %s did not publish again"
            .formatted(recordSet.topic());
  }

  private Progress refused(String reason) {
    return Activity.answered(Finding.Refused.of(action, reason));
  }

  private void request(String topic) {
    if (requested > 0) {
      return;
    }
    SourceRequest standing = context.tables().requests().get().get(topic);
    long nowMs = context.time().millis();
    if (standing != null && isForThis(standing, nowMs)) {
      requested = standing.number();
      return;
    }
    requested = Math.max(action.number(), standing == null ? 0 : standing.number() + 1);
    request(new SourceRequest(topic, requested, nowMs), context, serializer);
  }

  /**
   * Whether a request was made for this action, before a restart, or later. A higher number alone
   * says nothing: the clock of the controller that made it may have been ahead.
   */
  private boolean isForThis(SourceRequest standing, long nowMs) {
    return standing.number() == action.number()
        || standing.number() > action.number()
            && standing.requestedAtMs() >= action.number()
            && standing.requestedAtMs() <= nowMs;
  }

  /** Asks all sources of a topic to publish every record again. */
  static void request(
      SourceRequest request, ActionContext context, AvroSerializer<GenericRecord> serializer) {
    String requests = context.topics().sourceRequests();
    context
        .log()
        .write(
            List.of(
                ControlTable.record(
                    requests,
                    request.topic().getBytes(StandardCharsets.UTF_8),
                    serializer.serialize(requests, request.toAvro()))));
  }
}
