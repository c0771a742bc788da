package io.indexview.connect.s3;

import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.index.KafkaChangeTopicReader;
import io.indexview.connect.common.source.ControlWatch;
import io.indexview.connect.common.source.Requests.SourceRequests;
import io.indexview.connect.s3.S3SourceTask.Opened;
import io.indexview.connect.s3.index.ChangeTopic;
import io.indexview.connect.s3.listing.AdHocSnapshots;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@link ChangeTopic} on a cluster. */
final class KafkaChangeTopic implements ChangeTopic {
  private final String topic;
  private final SchemaRegistry registry;
  private final SourceRequests requests;
  private final Optional<ControlWatch<SourceState>> states;
  private final AdHocSnapshots snapshots;
  private final ChangeTopicReader reader;

  private KafkaChangeTopic(S3SourceTaskConfig config, Opened opened) {
    this.topic = config.topic();
    Map<String, Object> kafka = config.kafka().settings();
    this.registry = opened.add(SchemaRegistries.create(config.originals()));
    this.reader =
        opened.add(
            KafkaChangeTopicReader.open(topic, "indexview-index-" + config.threadName(), kafka));
    Topics topics = config.source().topics();
    this.requests = opened.add(SourceRequests.watch(kafka, topics, registry));
    // Only who publishes snapshot reads has to know what other tasks do.
    this.states = config.index().map(i -> ControlWatch.sourceStates(kafka, topics, registry));
    this.snapshots =
        new AdHocSnapshots(
            config.source().name(),
            topic,
            Set.copyOf(config.buckets()),
            requests,
            () -> states.map(ControlWatch::newest).orElse(Map.of()),
            Time.SYSTEM);
  }

  /**
   * Opens the topic as configured; {@link ChangeTopic#UNREACHABLE} if the task does not need it.
   */
  static ChangeTopic open(S3SourceTaskConfig config) {
    boolean answers = !config.taskBuckets().isEmpty() || config.ownsQueuePartition();
    if (!answers && config.index().isEmpty()) {
      return UNREACHABLE;
    }
    Opened opened = new Opened();
    try {
      return new KafkaChangeTopic(config, opened);
    } catch (RuntimeException e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  @Override
  public long requested() {
    return snapshots.toAnswer();
  }

  @Override
  public Optional<SourceRequest> scanRequest() {
    return requests.newestScan(topic);
  }

  @Override
  public boolean isPublishedAgain(String bucket) {
    return snapshots.isUnderWay(bucket);
  }

  @Override
  public Optional<String> idSince(long moment) {
    return reader.idSince(moment);
  }

  @Override
  public ChangeTopicReader reader() {
    return reader;
  }

  @Override
  public void close() {
    requests.close();
    states.ifPresent(ControlWatch::close);
    reader.close();
    registry.close();
  }
}
