package io.indexview.connect.s3;

import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.index.KafkaChangeTopicReader;
import io.indexview.connect.s3.client.AwsClients;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.object.S3ObjectStore;
import io.indexview.connect.s3.queue.EventQueue;
import io.indexview.connect.s3.queue.SqsEventQueue;
import io.indexview.connect.s3.record.FileEvents.Attribute;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;

/** Where a source's outside systems come from; nothing is sent to them yet. */
interface SourcePorts {
  EventQueue openQueue();

  ObjectStore openObjects();

  /** Opens the primary-change topic. */
  ChangeTopicReader openTopic();

  /** Opens the registry that the topic's events are read with. */
  SchemaRegistry openRegistry();

  /** The outside systems that a configuration names. */
  record AwsSourcePorts(S3SourceConfig config) implements SourcePorts {
    /** A listing asks for its pages while objects are read. */
    private static final int LISTING = 1;

    @Override
    public EventQueue openQueue() {
      return new SqsEventQueue(
          AwsClients.sqs(config.sqs(), config.receiveWait()), config.queueUrl());
    }

    @Override
    public ObjectStore openObjects() {
      return new S3ObjectStore(
          AwsClients.s3(config.s3(), config.listing().concurrency() + LISTING),
          config.listing().attributes().contains(Attribute.TAGS));
    }

    @Override
    public ChangeTopicReader openTopic() {
      return KafkaChangeTopicReader.open(
          config.topic(),
          "indexview-preflight-" + config.source().name(),
          config.kafka().settings());
    }

    @Override
    public SchemaRegistry openRegistry() {
      return SchemaRegistries.create(config.originals());
    }
  }
}
