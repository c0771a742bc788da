package io.indexview.demo.load;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

/**
 * What a bucket whose objects change tells a queue until it is closed: one to three changes in a
 * message, messages in no order, some twice.
 */
final class ObjectNotifications implements AutoCloseable {
  static final String BUCKET = "documents";

  private static final int BEAT_MS = 25;
  private static final int BATCH = 10;
  private static final int OBJECTS = 60;
  private static final int HELD_BACK = 50;
  private static final int MAX_RECORDS = 3;
  private static final int DELETES_ONE_IN = 4;
  private static final int TWICE_ONE_IN = 20;

  private final SqsClient sqs;
  private final String queueUrl;
  private final SplittableRandom random;
  private final List<String> heldBack = new ArrayList<>();
  private final Set<Change> notified = new HashSet<>();
  private final Map<String, Change> newest = new HashMap<>();
  private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private long changes;

  /** One change of one object. */
  record Change(String key, String sequencer, boolean isRemoval) {}

  private ObjectNotifications(SqsClient sqs, String queueUrl, long seed) {
    this.sqs = sqs;
    this.queueUrl = queueUrl;
    this.random = new SplittableRandom(seed);
  }

  static ObjectNotifications start(SqsClient sqs, String queueUrl, long seed) {
    ObjectNotifications started = new ObjectNotifications(sqs, queueUrl, seed);
    started.timer.scheduleWithFixedDelay(started::beat, 0, BEAT_MS, TimeUnit.MILLISECONDS);
    return started;
  }

  private void beat() {
    try {
      while (heldBack.size() < HELD_BACK) {
        heldBack.add(message());
      }
      send(BATCH);
    } catch (RuntimeException e) {
      failure.set(e);
      throw e;
    }
  }

  private void send(int count) {
    List<SendMessageBatchRequestEntry> batch = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int which = random.nextInt(heldBack.size());
      boolean again = random.nextInt(TWICE_ONE_IN) == 0;
      String body = again ? heldBack.get(which) : heldBack.remove(which);
      batch.add(
          SendMessageBatchRequestEntry.builder().id(Integer.toString(i)).messageBody(body).build());
    }
    sqs.sendMessageBatch(r -> r.queueUrl(queueUrl).entries(batch));
  }

  private String message() {
    List<String> records = new ArrayList<>();
    int count = random.nextInt(1, MAX_RECORDS + 1);
    for (int i = 0; i < count; i++) {
      changes++;
      Change change =
          new Change(
              "key-" + random.nextInt(OBJECTS),
              "%010X".formatted(changes),
              random.nextInt(DELETES_ONE_IN) == 0);
      notified.add(change);
      newest.put(change.key(), change);
      records.add(record(change));
    }
    return "{\"Records\":[" + String.join(",", records) + "]}";
  }

  private static String record(Change change) {
    return """
    {"eventTime":"2017-08-20T23:59:59.999Z","eventName":"%s","s3":{
     "bucket":{"name":"%s"},"object":{"key":"%s","size":7,"sequencer":"%s"}}}
    """
        .formatted(
            change.isRemoval() ? "ObjectRemoved:Delete" : "ObjectCreated:Put",
            BUCKET,
            change.key(),
            change.sequencer());
  }

  /** Everything that the queue was told; once this is closed. */
  Set<Change> notified() {
    return notified;
  }

  /** The last change of each object; once this is closed. */
  Map<String, Change> newest() {
    return newest;
  }

  /** Tells what is left, and no more. */
  @Override
  public void close() throws InterruptedException {
    timer.shutdown();
    if (!timer.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("the queue does not take messages");
    }
    if (failure.get() != null) {
      throw failure.get();
    }
    while (!heldBack.isEmpty()) {
      send(Math.min(BATCH, heldBack.size()));
    }
  }
}
