package io.indexview.streams.controller.actions;

import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageReader;
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
 * Does {@link Action.CheckTopicApplied} and {@link Action.RemoveRows} with a sink that removes rows
 * by itself: by a command at the end of the view topic, which it waits for the sink to pass.
 */
final class NativeRemoval implements Activity {
  /** Where the command to remove the rows lies in a view topic. */
  static final int PARTITION = 0;

  private static final String REMOVE_ROWS = "remove-rows";

  /**
   * Key of the command that ends a generation's rows. It goes to every partition, because a sink
   * that holds rows off may be at any of them.
   */
  private static final String END_ROWS = "end-rows";

  private static final Logger LOGGER = LoggerFactory.getLogger(NativeRemoval.class);

  private final Action action;
  private final String target;
  private final String viewTopic;
  private final String command;
  private final String description;
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
    this(
        action,
        action.target(),
        action.viewTopic(),
        REMOVE_ROWS,
        action.description(),
        context,
        registry,
        appTopics);
  }

  NativeRemoval(
      Action.CheckTopicApplied action,
      ActionContext context,
      SchemaRegistry registry,
      AppTopics appTopics) {
    this(action, action.target(), action.viewTopic(), END_ROWS, "", context, registry, appTopics);
  }

  private NativeRemoval(
      Action action,
      String target,
      String viewTopic,
      String command,
      String description,
      ActionContext context,
      SchemaRegistry registry,
      AppTopics appTopics) {
    this.action = action;
    this.target = target;
    this.viewTopic = viewTopic;
    this.command = command;
    this.description = description;
    this.context = context;
    this.registry = registry;
    this.appTopics = appTopics;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    Optional<String> id = context.observed().topicId(viewTopic);
    if (id.isEmpty()) {
      return isRemoval() ? makeTopic() : Activity.answered(Finding.Done.of(action));
    }
    if (!id.equals(topicId)) {
      topicId = id;
      ends = null;
    }
    if (ends == null) {
      Map<TopicPartition, Long> present = context.log().ends(viewTopic);
      List<ProducerRecord<byte[], byte[]>> missing =
          present.entrySet().stream()
              .filter(end -> !isRemoval() || end.getKey().partition() == PARTITION)
              .filter(end -> !isReported(end.getKey(), end.getValue()))
              .map(end -> controlRecord(end.getKey().partition()))
              .toList();
      if (!missing.isEmpty()) {
        context.log().write(missing);
        present = context.log().ends(viewTopic);
      }
      ends = present;
    }
    return context.isApplied(target, ends)
        ? Activity.answered(Finding.Done.of(action))
        : context.waitingForSink(
            target,
            isRemoval()
                ? "remove the rows of generation " + action.generation()
                : "apply topic " + viewTopic);
  }

  private boolean isRemoval() {
    return command.equals(REMOVE_ROWS);
  }

  /** The rows lie in the store all the same, and the sink needs nothing but the command. */
  private Progress makeTopic() {
    LOGGER.warn(
        "Topic {} was deleted before the rows of its generation; it is made again to have the sink remove them",
        viewTopic);
    context.cluster().createMissing(List.of(appTopics.view(viewTopic, PARTITION + 1)));
    return Activity.waiting("topic %s to be made again".formatted(viewTopic));
  }

  /** Whether the command is in the topic. Nobody writes after it, so it is the last record. */
  private boolean isReported(TopicPartition partition, long end) {
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

  private ProducerRecord<byte[], byte[]> controlRecord(int partition) {
    // Not the subject of the view topic: there the key schema of the rows is the one version.
    String subject = context.topics().viewTopicControl();
    // A value that is not null: compaction would drop the record as a tombstone.
    return new ProducerRecord<>(
        viewTopic,
        partition,
        new MessageWriter(registry, true)
            .write(subject, ControlSchemas.VIEW_TOPIC_CONTROL, command(description)),
        new MessageWriter(registry, false)
            .write(subject, ControlSchemas.VIEW_TOPIC_CONTROL, command("")),
        new RowHeaders().of(context.time().millis(), action.generation()));
  }

  private GenericRecord command(String described) {
    GenericRecord record = new GenericData.Record(ControlSchemas.VIEW_TOPIC_CONTROL);
    record.put("command", command);
    record.put("description", described);
    return record;
  }

  private boolean isControlRecord(byte[] key) {
    try {
      return key != null
          && registry
              .byId(WireFormat.schemaId(key))
              .getFullName()
              .equals(ControlSchemas.VIEW_TOPIC_CONTROL.getFullName())
          && new MessageReader(registry).read(viewTopic, key).value() instanceof GenericRecord found
          && command.contentEquals((CharSequence) found.get("command"));
    } catch (SerializationException e) {
      return false;
    }
  }
}
