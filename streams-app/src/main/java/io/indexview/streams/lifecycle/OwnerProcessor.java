package io.indexview.streams.lifecycle;

import io.indexview.schemas.Topics;
import io.indexview.streams.health.ViewStateGauges;
import io.indexview.streams.lifecycle.machine.LifeSettings;
import io.indexview.streams.lifecycle.machine.Publication;
import io.indexview.streams.lifecycle.work.Work;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The shell of the owner: records and time in, publications and wanted work out. */
final class OwnerProcessor implements Processor<byte[], byte[], byte[], byte[]> {
  private static final Logger LOGGER = LoggerFactory.getLogger(OwnerProcessor.class);
  private static final Duration TICK = Duration.ofMillis(200);

  private final Topics topics;
  private final LifeSettings settings;
  private final LifecycleServices services;
  private final ControlReader reader;
  private final ControlWriter writer;
  private ProcessorContext<byte[], byte[]> context;
  private Owner owner;
  private Cancellable ticking;
  private Set<Work> wanted = Set.of();

  OwnerProcessor(Topics topics, LifeSettings settings, LifecycleServices services) {
    this.topics = topics;
    this.settings = settings;
    this.services = services;
    this.reader = new ControlReader(services.registry(), services.registryWait());
    this.writer = new ControlWriter(topics, services.registry(), services.registryWait());
  }

  @Override
  public void init(ProcessorContext<byte[], byte[]> processorContext) {
    context = processorContext;
    owner =
        new Owner(settings, new KeyValueLifeStore(context.getStateStore(LifecycleTopology.STORE)));
    ticking = context.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, this::tick);
    tellWorker(owner.wanted());
  }

  @Override
  public void process(Record<byte[], byte[]> message) {
    RecordMetadata metadata =
        context
            .recordMetadata()
            .orElseThrow(() -> new IllegalStateException("a source record has no coordinates"));
    long nowMs = context.currentSystemTimeMs();
    publish(
        metadata.topic().equals(topics.viewDefinitions())
            ? wish(metadata, message, nowMs)
            : news(metadata, message, nowMs),
        nowMs);
  }

  private List<Publication> wish(
      RecordMetadata metadata, Record<byte[], byte[]> message, long nowMs) {
    if (message.key() == null) {
      unreadable(metadata, "it has no key");
      return List.of();
    }
    String view = new String(message.key(), StandardCharsets.UTF_8);
    if (message.value() == null) {
      return owner.dropped(view, nowMs);
    }
    try {
      return owner.wished(reader.wish(metadata.topic(), view, message.value()), nowMs);
    } catch (ControlReader.UnreadableException e) {
      unreadable(metadata, e.getMessage());
      return owner.unreadable(view, e.getMessage(), nowMs);
    }
  }

  private List<Publication> news(
      RecordMetadata metadata, Record<byte[], byte[]> message, long nowMs) {
    if (message.value() == null) {
      return List.of();
    }
    try {
      return reader
          .news(metadata.topic(), message.value())
          .map(news -> news(news, nowMs))
          .orElse(List.of());
    } catch (ControlReader.UnreadableException e) {
      unreadable(metadata, e.getMessage());
      return List.of();
    }
  }

  private List<Publication> news(ControlReader.News news, long nowMs) {
    return news instanceof ControlReader.News.OfTask report
        ? owner.reported(report.progress(), nowMs)
        : owner.worked(((ControlReader.News.OfWork) news).result(), nowMs);
  }

  /** To end the thread would help nobody: the record stays where it is. */
  private void unreadable(RecordMetadata metadata, String reason) {
    services.gauges().countUnreadable();
    LOGGER.error(
        "Control record {}-{}@{} cannot be read and is passed over: {}",
        metadata.topic(),
        metadata.partition(),
        metadata.offset(),
        reason);
  }

  private void tick(long nowMs) {
    publish(owner.ticked(nowMs), nowMs);
    services
        .gauges()
        .show(
            owner.health().stream()
                .map(
                    health ->
                        new ViewStateGauges.Shown(health.view(), health.state(), health.reasons()))
                .toList());
  }

  private void publish(List<Publication> publications, long nowMs) {
    for (Publication publication : publications) {
      ControlWriter.Message message = writer.message(publication);
      context.forward(new Record<>(message.key(), message.value(), nowMs), message.sink());
    }
    want();
  }

  private void want() {
    Set<Work> now = owner.wanted();
    if (!now.equals(wanted)) {
      tellWorker(now);
    }
  }

  private void tellWorker(Set<Work> now) {
    wanted = now;
    services.worker().want(now);
  }

  /** A task that is revived is initialized once more, with what it scheduled still there. */
  @Override
  public void close() {
    if (ticking != null) {
      ticking.cancel();
      ticking = null;
    }
    tellWorker(Set.of());
    services.gauges().show(List.of());
  }
}
