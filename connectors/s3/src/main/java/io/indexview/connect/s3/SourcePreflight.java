package io.indexview.connect.s3;

import io.indexview.aws.AwsErrors;
import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.config.KafkaFragment;
import io.indexview.connect.common.preflight.Preflight;
import io.indexview.connect.common.preflight.TopicQuestions;
import io.indexview.connect.common.worker.PluginFaults;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.queue.EventQueue;
import io.indexview.connect.s3.queue.EventQueue.Receipt;
import io.indexview.schemas.registry.RegistryConfig;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries out whether the queue, the buckets, the topic and the registry of a configuration can be
 * used. Receives no message, since that would hide it from the source for a while.
 */
final class SourcePreflight {
  private static final Logger LOGGER = LoggerFactory.getLogger(SourcePreflight.class);

  /** Workers restart and services fail: a message that is good may need some tries. */
  private static final int FEW_RECEIVES = 10;

  /** What no message is known by. */
  private static final List<Receipt> NOBODYS =
      List.of(new Receipt("indexview-preflight", "indexview-preflight"));

  private final S3SourceConfig config;
  private final SourcePorts ports;

  SourcePreflight(S3SourceConfig config, SourcePorts ports) {
    this.config = config;
    this.ports = ports;
  }

  /** What is wrong, each problem on its key; nothing if nobody is to be asked. */
  ConfigProblems ask() {
    if (!config.preflight().isWanted()) {
      return new ConfigProblems();
    }
    try (ObjectStore objects = ports.openObjects()) {
      Preflight preflight =
          new Preflight(config.preflight().timeout())
              .with(S3SourceConfig.QUEUE_URL_CONFIG, "queue " + config.queueUrl(), this::askQueue)
              .with(
                  KafkaFragment.BOOTSTRAP_CONFIG,
                  TopicQuestions.brokers(config.kafka()),
                  this::askBrokers)
              .with(
                  RegistryConfig.URL_CONFIG,
                  TopicQuestions.registry(config),
                  problems -> TopicQuestions.askRegistry(config.topic(), ports::openRegistry));
      for (String bucket : config.buckets()) {
        preflight.with(
            S3SourceConfig.BUCKETS_CONFIG,
            "bucket " + bucket,
            problems -> askBucket(objects, bucket, problems));
      }
      return preflight.ask();
    }
  }

  private void askBrokers(ConfigProblems problems) {
    TopicQuestions.askBrokers(S3SourceConfig.TOPIC_CONFIG, ports::openTopic, problems);
  }

  /** Tries to hide and to delete a message that does not exist: a missing right shows even so. */
  private void askQueue(ConfigProblems problems) throws InterruptedException {
    try (EventQueue queue = ports.openQueue()) {
      adviseOnRedrive(queue);
      answer(queue.extendVisibility(NOBODYS, config.visibility()));
      answer(queue.deleteBatch(NOBODYS));
    } catch (AwsRequestException.Permanent e) {
      PluginFaults.throwErrorBehind(e);
      problems.add(
          S3SourceConfig.QUEUE_URL_CONFIG,
          "%s; it must be a queue in the region %s that the credentials give sqs:ReceiveMessage, sqs:DeleteMessage and sqs:ChangeMessageVisibility for"
              .formatted(e.getMessage(), config.sqs().region()));
    }
  }

  private void adviseOnRedrive(EventQueue queue) throws InterruptedException {
    try {
      OptionalInt maxReceives = answer(queue.maxReceives());
      if (maxReceives.isEmpty()) {
        LOGGER.warn(
            "Queue {} has no redrive policy: a message that cannot be used is handed out until its"
                + " retention is over; give it a dead-letter queue",
            config.queueUrl());
      } else if (maxReceives.getAsInt() < FEW_RECEIVES) {
        LOGGER.warn(
            "Queue {} gives a message up after {} receipts: a worker that restarts, or S3 when it"
                + " does not answer, can use those up; allow {} or more",
            config.queueUrl(),
            maxReceives.getAsInt(),
            FEW_RECEIVES);
      }
    } catch (AwsRequestException.Permanent e) {
      PluginFaults.throwErrorBehind(e);
      LOGGER.warn(
          "The redrive policy of the queue is not checked; allow sqs:GetQueueAttributes for that:"
              + " {}",
          e.getMessage());
    }
  }

  private void askBucket(ObjectStore objects, String bucket, ConfigProblems problems) {
    try {
      List<ObjectInfo> first = objects.listAfter(bucket, null).objects();
      if (config.listing().readsObjects() && !first.isEmpty()) {
        readFirst(objects, bucket, first.get(0).key());
      }
    } catch (AwsRequestException.Permanent e) {
      PluginFaults.throwErrorBehind(e);
      problems.add(S3SourceConfig.BUCKETS_CONFIG, S3SourceConfig.notListed(e));
    }
  }

  /**
   * Reads the first object of a bucket. A refusal may have reasons of that object's own, so it is
   * no error.
   */
  private static void readFirst(ObjectStore objects, String bucket, String key) {
    try {
      objects.head(bucket, key);
    } catch (AwsRequestException.Permanent e) {
      PluginFaults.throwErrorBehind(e);
      LOGGER.warn(
          "The metadata of the first object of bucket {} may not be read; allow s3:GetObject, and"
              + " s3:GetObjectTagging for tags: {}",
          bucket,
          e.getMessage());
    }
  }

  private static <T> T answer(CompletableFuture<T> asked) throws InterruptedException {
    try {
      return asked.get();
    } catch (ExecutionException e) {
      Throwable cause = AwsErrors.unwrap(e);
      throw cause instanceof AwsRequestException known
          ? known
          : new AwsRequestException.Permanent(AwsErrors.words(cause), cause);
    }
  }
}
