package io.indexview.streams.controller.actions;

import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageWriter;
import io.indexview.schemas.serde.WireFormat;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.AppTopics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SerializationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does {@link Action.RemoveRows} through a sink that removes them by itself: tells it so by the one
 * record of a view topic that is no row.
 */
final class NativeRemoval implements Activity {
  /** Where the control record lies in a view topic. */
  static final int PARTITION = 0;

  private static final String REMOVE_ROWS = "remove-rows";
  private static final Logger LOGGER = LoggerFactory.getLogger(NativeRemoval.class);

  private final Action.RemoveRows action;
  private final ActionContext context;
  private final SchemaRegistry registry;
  private final AppTopics appTopics;
  private Optional<String> topicId = Optional.empty();
  private Map<TopicPartition, Long> ends;

  NativeRemoval(
      Action.RemoveRows action,
      ActionContext context,
      SchemaRegistry registry,
      AppTopics appTopics) {
    this.action = action;
    this.context = context;
    this.registry = registry;
    this.appTopics = appTopics;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    Optional<String> id = context.observed().topicId(action.viewTopic());
    if (id.isEmpty()) {
      return makeTopic();
    }
    if (!id.equals(topicId)) {
      topicId = id;
      ends = null;
    }
    if (ends == null) {
      Map<TopicPartition, Long> present = context.log().ends(action.viewTopic());
      if (!isReported(present)) {
        context.log().write(List.of(controlRecord()));
        present = context.log().ends(action.viewTopic());
      }
      ends = present;
    }
    return context.isApplied(action.target(), ends)
        ? Activity.answered(Finding.Done.of(action))
        : context.waitingForSink(
            action.target(), "remove the rows of generation " + action.generation());
  }

  /** The rows lie in the store all the same, and the sink needs nothing but the command. */
  private Progress makeTopic() {
    LOGGER.warn(
        "Topic {} was deleted before the rows of its generation; it is made again to have the sink remove them",
        action.viewTopic());
    context.cluster().createMissing(List.of(appTopics.view(action.viewTopic(), PARTITION + 1)));
    return Activity.waiting("topic %s to be made again".formatted(action.viewTopic()));
  }

  /** Nobody writes the topic after it, so if it is there it is the last record. */
  private boolean isReported(Map<TopicPartition, Long> present) {
    TopicPartition partition = new TopicPartition(action.viewTopic(), PARTITION);
    long end = present.get(partition);
    AtomicBoolean found = new AtomicBoolean();
    context
        .log()
        .read(
            partition,
            Math.max(0, end - 1),
            end,
            last -> {
              found.set(isControlRecord(last.key()));
              return true;
            });
    return found.get();
  }

  private ProducerRecord<byte[], byte[]> controlRecord() {
    // Not the subject of the view topic: there the key schema of the rows is the one version.
    String subject = context.topics().viewTopicControl();
    // A value that is not null: compaction would drop the record as a tombstone.
    return new ProducerRecord<>(
        action.viewTopic(),
        PARTITION,
        new MessageWriter(registry, true)
            .write(subject, ControlSchemas.VIEW_TOPIC_CONTROL, command(action.description())),
        new MessageWriter(registry, false)
            .write(subject, ControlSchemas.VIEW_TOPIC_CONTROL, command("")),
        new RowHeaders().of(context.time().millis(), action.generation()));
  }

  private static GenericRecord command(String description) {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_TOPIC_CONTROL);
    record.put("command", REMOVE_ROWS);
    record.put("description", description);
    return record;
  }

  private boolean isControlRecord(byte[] key) {
    try {
      return key != null
          && registry
              .byId(WireFormat.schemaId(key))
              .getFullName()
              .equals(ControlSchemas.VIEW_TOPIC_CONTROL.getFullName());
    } catch (SerializationException e) {
      return false;
    }
  }
}
