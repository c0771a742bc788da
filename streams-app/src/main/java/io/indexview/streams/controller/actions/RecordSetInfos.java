package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.RecordSetCatalog;
import io.indexview.streams.generation.TopicDescriptions;
import io.indexview.streams.generation.TopicDescriptions.Description;
import io.indexview.views.definition.RecordSet;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Keeps {@code record-sets} as the record sets of the application are. Nobody asks for it; record
 * schemas change while the application runs.
 */
public final class RecordSetInfos implements Activity {
  private static final Duration PAUSE = Duration.ofSeconds(3);

  private final ActionContext context;
  private final RecordSetCatalog catalog;
  private final Supplier<Map<String, RecordSetInfo>> published;
  private final AvroSerializer<GenericRecord> serializer;

  /**
   * @param published by name, read anew each time
   * @param registry stays open
   */
  public RecordSetInfos(
      ActionContext context,
      RecordSetCatalog catalog,
      Supplier<Map<String, RecordSetInfo>> published,
      SchemaRegistry registry) {
    this.context = context;
    this.catalog = catalog;
    this.published = published;
    this.serializer = new AvroSerializer<>(registry, false);
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    write(changed(published.get(), context.observed()));
    return new Again(PAUSE, "");
  }

  /**
   * Publishes what is configured, and takes back what is not any more. To be done when the
   * application starts: later, another instance of it may be configured anew already.
   */
  public void publish() {
    Map<String, RecordSetInfo> before = published.get();
    List<ProducerRecord<byte[], byte[]>> changes =
        new ArrayList<>(changed(before, context.cluster()));
    before.values().stream()
        .filter(info -> info.application().equals(context.config().applicationId()))
        .filter(info -> catalog.configured(info.name()).isEmpty())
        .forEach(gone -> changes.add(message(gone.name(), null)));
    write(changes);
  }

  private List<ProducerRecord<byte[], byte[]>> changed(
      Map<String, RecordSetInfo> before, TopicDescriptions topics) {
    Collection<RecordSet> known = catalog.known().values();
    Map<String, Description> existing =
        topics.existing(known.stream().map(RecordSet::topic).toList());
    List<ProducerRecord<byte[], byte[]>> changes = new ArrayList<>();
    for (RecordSet recordSet : known) {
      Description topic = existing.get(recordSet.topic());
      if (topic != null) {
        RecordSetInfo now = info(recordSet, topic.partitions());
        if (!isSame(now, before.get(recordSet.name()))) {
          changes.add(message(recordSet.name(), now.toAvro()));
        }
      }
    }
    return changes;
  }

  private void write(List<ProducerRecord<byte[], byte[]>> changes) {
    if (!changes.isEmpty()) {
      context.log().write(changes);
    }
  }

  private RecordSetInfo info(RecordSet recordSet, int partitions) {
    return new RecordSetInfo(
        recordSet.name(),
        recordSet.topic(),
        partitions,
        recordSet.format().name().toLowerCase(Locale.ROOT),
        recordSet.uniqueFields(),
        recordSet.schema().toString(),
        context.config().applicationId(),
        context.config().knownTargets().fenced(),
        context.config().knownTargets().connect(),
        context.time().millis());
  }

  private static boolean isSame(RecordSetInfo now, RecordSetInfo before) {
    return before != null
        && now.equals(
            new RecordSetInfo(
                before.name(),
                before.topic(),
                before.partitions(),
                before.format(),
                before.uniqueFields(),
                before.schema(),
                before.application(),
                before.fencedTargets(),
                before.connectTargets(),
                now.changedAtMs()));
  }

  private ProducerRecord<byte[], byte[]> message(String name, GenericRecord info) {
    String topic = context.topics().recordSets();
    return ControlTable.record(
        topic,
        name.getBytes(StandardCharsets.UTF_8),
        info == null ? null : serializer.serialize(topic, info));
  }
}
