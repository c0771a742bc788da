package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.index.ChangeTopicReader;
import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException;
import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException.MissingTopicException;
import io.indexview.connect.common.index.FakeTopic;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.queue.EventQueue;
import io.indexview.connect.s3.queue.FakeEventQueue;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SourcePreflightTest {
  private static final String REGISTRY = "mock://s3-preflight";

  private final Map<String, String> config =
      new HashMap<>(
          Map.of(
              "source.name", "files",
              "s3.topic", "indexview.changes.files",
              "aws.region", "eu-central-1",
              "sqs.queue.url", "https://sqs.eu-central-1.amazonaws.com/1/events",
              "s3.buckets", "documents,images",
              "kafka.bootstrap.servers", "localhost:9092",
              "schema.registry.url", REGISTRY));
  private final Ports ports = new Ports();

  private ConfigProblems ask() {
    return new SourcePreflight(new S3SourceConfig(config), ports).ask();
  }

  private void askSuccessfully() {
    ask().throwIfAny();
  }

  @Test
  void takesWhatWorksAndHidesNoMessage() {
    ports.queue.send("id", "body");
    ports.objects.put("documents", "a", 1);

    askSuccessfully();

    assertThat(ports.queue.receive(Duration.ZERO, Duration.ofMinutes(1)).join()).hasSize(1);
    assertThat(ports.objects.heads()).as("records need no scans").isZero();
    assertThat(ports.queue.closed()).isTrue();
    assertThat(ports.objects.closed()).isTrue();
  }

  @Test
  void blamesEachSystemAtItsKeyAndAllAtOnce() {
    ports.queue.fail(new AwsRequestException.Permanent("no such queue", null));
    ports.objects.fail(new AwsRequestException.Permanent("bucket documents: denied", null));
    ports.topicError = new MissingTopicException("indexview.changes.files", null);
    ports.registryError = new IllegalStateException("not let in");

    assertThatThrownBy(this::askSuccessfully)
        .hasMessageContainingAll(
            "sqs.queue.url: no such queue; it must be a queue in the region eu-central-1",
            "sqs:DeleteMessage",
            "s3.buckets: bucket documents: denied; give the permission s3:ListBucket",
            "s3.topic: topic indexview.changes.files does not exist",
            "schema.registry.url: not let in");
  }

  @Test
  void blamesWhatDoesNotAnswerNow() {
    ports.queue.fail(new AwsRequestException.Unavailable("no route", null));
    ports.objects.fail(new AwsRequestException.Unavailable("slow down", null));
    ports.topicError = new ChangeTopicException("nobody answers", null);

    assertThatThrownBy(this::askSuccessfully)
        .hasMessageContainingAll(
            "sqs.queue.url: no route",
            "s3.buckets: slow down",
            "kafka.bootstrap.servers: nobody answers")
        .hasMessageNotContaining("sqs:DeleteMessage");
  }

  @Test
  void goesOnWhereTheQueueDoesNotTellItsAttributes() {
    ports.queue.failNext(new AwsRequestException.Permanent("GetQueueAttributes: denied", null));

    askSuccessfully();
  }

  @Test
  void goesOnWhereTheFirstObjectMayNotBeLookedAt() {
    config.put("s3.attributes", "tags");
    ports.objects.put("documents", "a", 1);
    ports.objects.refuse("a");

    askSuccessfully();

    assertThat(ports.objects.heads()).isEqualTo(1);
  }

  @Test
  @Timeout(30)
  void doesNotHangOnAQueueThatDoesNotAnswer() {
    config.put("preflight.timeout.ms", "300");
    ports.hanging = new CountDownLatch(1);

    assertThatThrownBy(this::askSuccessfully)
        .hasMessageContaining(
            "sqs.queue.url: no answer within 300 ms (preflight.timeout.ms): queue https://sqs.eu-central-1.amazonaws.com/1/events");
    ports.hanging.countDown();
  }

  @Test
  @Timeout(30)
  void namesTheRegistryThatDoesNotAnswerWithoutItsPassword() {
    config.put("preflight.timeout.ms", "300");
    config.put("schema.registry.url", "http://me:word@localhost:1");
    ports.hangingRegistry = new CountDownLatch(1);

    assertThatThrownBy(this::askSuccessfully)
        .hasMessageContaining("schema registry http://localhost:1")
        .hasMessageNotContaining("word");
    ports.hangingRegistry.countDown();
  }

  /** The SDK's futures hide errors, and no permission helps against them. */
  @Test
  void saysWhatHelpsWhereClassesAreMissing() {
    ports.queue.fail(
        AwsRequestException.of("queue", new NoClassDefFoundError("io/netty/Missing"), false));
    ports.objects.fail(AwsRequestException.of("bucket", new NoSuchMethodError("close"), false));

    assertThatThrownBy(this::askSuccessfully)
        .hasMessageContainingAll(
            "sqs.queue.url: queue https://sqs.eu-central-1.amazonaws.com/1/events: ",
            "java.lang.NoClassDefFoundError: io/netty/Missing",
            "s3.buckets: bucket documents: ",
            "java.lang.NoSuchMethodError: close",
            "runs on Kafka Connect from 3.9")
        .hasMessageNotContainingAny("sqs:DeleteMessage", "s3:ListBucket");
  }

  @Test
  void asksNobodyWhenItShallNot() {
    config.put("preflight.timeout.ms", "0");
    ports.queue.fail(new AwsRequestException.Permanent("no such queue", null));
    ports.topicError = new ChangeTopicException("nobody answers", null);

    askSuccessfully();
  }

  private static final class Ports implements SourcePorts {
    private final FakeEventQueue queue =
        new FakeEventQueue(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
    private final FakeObjectStore objects = new FakeObjectStore();
    private RuntimeException topicError;
    private RuntimeException registryError;
    private CountDownLatch hanging;
    private CountDownLatch hangingRegistry;

    @Override
    public EventQueue openQueue() {
      await(hanging);
      return queue;
    }

    @Override
    public ObjectStore openObjects() {
      return objects;
    }

    @Override
    public ChangeTopicReader openTopic() {
      if (topicError != null) {
        throw topicError;
      }
      return new FakeTopic(1, Time.SYSTEM).open();
    }

    private static void await(CountDownLatch latch) {
      if (latch != null) {
        try {
          latch.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    @Override
    public SchemaRegistry openRegistry() {
      await(hangingRegistry);
      if (registryError != null) {
        throw registryError;
      }
      return SchemaRegistries.create(Map.of("schema.registry.url", REGISTRY));
    }
  }
}
