package io.indexview.connect.s3;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RetryTimer;
import io.indexview.connect.common.source.SourceDeadLetters;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.S3NotificationParser;
import io.indexview.connect.s3.notification.S3NotificationParser.MalformedNotificationException;
import io.indexview.connect.s3.notification.S3NotificationParser.Notification;
import io.indexview.connect.s3.object.MetadataCache;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.connect.s3.queue.InFlightMessages;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.SnapshotReads;
import io.indexview.connect.s3.record.TrackedRecord;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.time.Time;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes records of messages, and tells what became of each. A message whose objects have to be read
 * waits for the answers; while the object store gives none it is asked again only now and then. For
 * one thread, but for what it has counted.
 */
final class QueueMessageReader {
  private static final Logger LOGGER = LoggerFactory.getLogger(QueueMessageReader.class);

  private static final int CACHED_READS = 10_000;

  private static final String NO_ORDER =
      "no sequencer: without one the event has no place in the order of its object's events; set %s, so that the object is read instead"
          .formatted(S3SourceConfig.INDEX_DIR_CONFIG);

  private static final String FOREIGN =
      "an event of bucket %s, which "
          + S3SourceConfig.BUCKETS_CONFIG
          + " does not name; add it there, or take its notifications from the queue";

  private final S3NotificationParser parser;
  private final FileEvents events;
  private final ObjectReads reads;
  private final Optional<SnapshotReads> snapshotReads;
  private final InFlightMessages inFlight;
  private final Position position;
  private final RetryTimer retry;
  private final Time time;
  private final Optional<SourceDeadLetters> deadLetters;
  private final PoisonMessages poison;
  private final Set<String> buckets;
  private final MetadataCache cache = new MetadataCache(CACHED_READS);
  private final List<SourceRecord> written = new ArrayList<>();
  private final SkippedTypes skipped = new SkippedTypes();

  /** Messages that wait for the object store, in the order in which they arrived. */
  private final Deque<Reading> waiting = new ArrayDeque<>();

  /**
   * @param snapshotReads empty: there is no index that they need
   * @param buckets whose events are taken; empty: those of any
   * @param deadLetterTopic of messages that can never be read; empty: they are left to the queue
   * @param position of everything that comes through the queue
   */
  QueueMessageReader(
      S3NotificationParser parser,
      FileEvents events,
      ObjectReads reads,
      Optional<SnapshotReads> snapshotReads,
      Set<String> buckets,
      Optional<String> deadLetterTopic,
      Position position,
      InFlightMessages inFlight,
      Backoff backoff,
      Time time) {
    this.parser = parser;
    this.events = events;
    this.reads = reads;
    this.snapshotReads = snapshotReads;
    this.buckets = Set.copyOf(buckets);
    this.deadLetters = deadLetterTopic.map(SourceDeadLetters::new);
    this.position = position;
    this.poison =
        new PoisonMessages(
            deadLetters.isPresent() ? "becomes a dead-letter record" : PoisonMessages.LEFT);
    this.inFlight = inFlight;
    this.retry = new RetryTimer(backoff, time);
    this.time = time;
  }

  /** One message, its events, and the read that each event needs; null: it needs none. */
  private static final class Reading {
    private final String messageId;
    private final Notification notification;
    private final List<CompletableFuture<Optional<ObjectInfo>>> reads = new ArrayList<>();
    private boolean isToRead = true;

    private Reading(String messageId, Notification notification) {
      this.messageId = messageId;
      this.notification = notification;
    }

    private boolean isAnswered() {
      return reads.stream().allMatch(read -> read == null || read.isDone());
    }
  }

  /** Takes a message; {@link #next} has its records as soon as they can be made. */
  void begin(QueueMessage message) {
    try {
      Notification notification = parser.parse(message.body());
      Optional<String> foreign = foreignBucket(notification);
      if (foreign.isPresent()) {
        left(message.id(), FOREIGN.formatted(foreign.get()));
      } else if (snapshotReads.isEmpty() && isUnordered(notification)) {
        left(message.id(), NO_ORDER);
      } else {
        waiting.addLast(new Reading(message.id(), notification));
      }
    } catch (MalformedNotificationException e) {
      unreadable(message, e);
    }
  }

  private Optional<String> foreignBucket(Notification notification) {
    return notification.events().stream()
        .map(ObjectEvent::bucket)
        .filter(bucket -> !buckets.isEmpty() && !buckets.contains(bucket))
        .findFirst();
  }

  private static boolean isUnordered(Notification notification) {
    return notification.events().stream().anyMatch(event -> event.sequencer() == null);
  }

  /**
   * Leaves a message in the queue. It can be used once somebody changes something, so it never
   * becomes a dead letter.
   */
  private void left(String messageId, String reason) {
    poison.left(messageId, reason);
    inFlight.released(messageId);
  }

  /** Whether all answers are there that the message needs; asks for them. */
  private boolean isAnswered(Reading reading) {
    if (reading.isToRead) {
      boolean isWaiting = !retry.isDue();
      if (isWaiting && reading.notification.events().stream().anyMatch(this::needsRead)) {
        return false;
      }
      reading.isToRead = false;
      reading.reads.clear();
      for (ObjectEvent event : reading.notification.events()) {
        reading.reads.add(needsRead(event) ? read(event) : null);
      }
    }
    return reading.isAnswered();
  }

  private CompletableFuture<Optional<ObjectInfo>> read(ObjectEvent event) {
    Optional<ObjectInfo> cached = cache.find(event);
    return cached.isPresent()
        ? CompletableFuture.completedFuture(cached)
        : reads.head(event.bucket(), event.key());
  }

  private boolean needsRead(ObjectEvent event) {
    return event.sequencer() != null
        && switch (event.kind()) {
          case CREATED -> events.needReads();
          case REMOVED -> false;
          case VERSION_REMOVED, TOUCHED -> true;
        };
  }

  private void unreadable(QueueMessage message, MalformedNotificationException reason) {
    poison.add(message.id(), reason.getMessage());
    if (deadLetters.isEmpty()) {
      inFlight.released(message.id());
      return;
    }
    inFlight.dispatched(message.id(), 1);
    written.add(deadLetter(deadLetters.get(), message, reason));
  }

  /** The message itself, under its id. */
  private SourceRecord deadLetter(
      SourceDeadLetters deadLetters, QueueMessage message, Exception reason) {
    SourceRecord deadLetter =
        deadLetters.record(
            position.partition(),
            position.offset(),
            new SourceDeadLetters.Unreadable(
                null,
                events.topic(),
                message.id(),
                message.body().getBytes(StandardCharsets.UTF_8)),
            reason.getMessage(),
            reason,
            time.millis());
    return new TrackedRecord(
        position,
        deadLetter.topic(),
        message.id(),
        new SchemaAndValue(deadLetter.valueSchema(), deadLetter.value()),
        deadLetter.timestamp(),
        metadata -> inFlight.acknowledged(message.id()));
  }

  /** The records of every message whose answers have come; none of those that cannot be used. */
  List<SourceRecord> next() {
    List<SourceRecord> records = new ArrayList<>(written);
    written.clear();
    Iterator<Reading> each = waiting.iterator();
    while (each.hasNext()) {
      Reading reading = each.next();
      if (isAnswered(reading) && finish(reading, records)) {
        each.remove();
      }
    }
    return records;
  }

  /** Whether nothing is left to be done for the message. */
  private boolean finish(Reading reading, List<SourceRecord> records) {
    try {
      records.addAll(records(reading));
      reading.notification.unknownTypes().forEach(skipped::count);
      return true;
    } catch (AwsRequestException.Unavailable e) {
      reading.isToRead = true;
      pause(e);
      return false;
    } catch (AwsRequestException.Permanent e) {
      retry.succeeded();
      left(reading.messageId, e.getMessage());
      return true;
    }
  }

  private List<SourceRecord> records(Reading reading) {
    String id = reading.messageId;
    Consumer<RecordMetadata> acknowledged = metadata -> inFlight.acknowledged(id);
    List<SourceRecord> records = new ArrayList<>();
    List<ObjectEvent> observed = new ArrayList<>(0);
    List<ObjectEvent> notified = reading.notification.events();
    for (int i = 0; i < notified.size(); i++) {
      ObjectEvent event = notified.get(i);
      if (event.sequencer() == null) {
        observed.add(event);
      } else {
        records.add(record(event, reading.reads.get(i), acknowledged));
      }
    }
    inFlight.dispatched(id, records.size() + observed.size());
    observed.forEach(event -> snapshotReads.orElseThrow().observe(event, outcome(id)));
    return records;
  }

  private SourceRecord record(
      ObjectEvent event,
      CompletableFuture<Optional<ObjectInfo>> read,
      Consumer<RecordMetadata> acknowledged) {
    if (read == null) {
      return events.changeEvent(event, position, acknowledged);
    }
    Optional<ObjectInfo> now = ObjectReads.answer(read);
    retry.succeeded();
    now.ifPresent(object -> cache.add(event, object));
    return events.notifiedAndRead(event, now, position, acknowledged);
  }

  private SnapshotReads.Outcome outcome(String messageId) {
    return new SnapshotReads.Outcome() {
      @Override
      public void done() {
        inFlight.acknowledged(messageId);
      }

      @Override
      public void failed(AwsRequestException.Permanent cause) {
        poison.left(messageId, cause.getMessage());
        inFlight.failed(messageId);
      }
    };
  }

  private void pause(AwsRequestException.Unavailable cause) {
    if (retry.failed()) {
      LOGGER.warn("Messages wait until their objects can be read: {}", cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
  }

  /** Whether the object store answers, as far as it was asked: no message waits until it does. */
  boolean isAnswered() {
    return waiting.isEmpty() || retry.failures() == 0;
  }

  /** Receipts of messages that could not be used so far. */
  long poisonReceipts() {
    return poison.receipts();
  }

  /** Events skipped so far, by type. */
  Map<String, Long> skippedTypes() {
    return skipped.counts();
  }

  /**
   * Counts events that are skipped, by their types, and names each type in the log once. Types come
   * from outside: those beyond {@value #MAX_TYPES} are counted as one. One thread counts, any may
   * ask.
   */
  static final class SkippedTypes {
    private static final Logger LOGGER = LoggerFactory.getLogger(SkippedTypes.class);
    static final int MAX_TYPES = 100;
    static final String OTHERS = "others";

    private final Map<String, Long> counts = new ConcurrentHashMap<>();

    void count(String type) {
      boolean isNamed = counts.size() < MAX_TYPES || counts.containsKey(type);
      String name = isNamed ? type : OTHERS;
      if (counts.merge(name, 1L, Long::sum) == 1) {
        LOGGER.info("Events of type {} are no creation or removal of an object: skipped", name);
      }
    }

    /** Events so far, by type. */
    Map<String, Long> counts() {
      return Map.copyOf(counts);
    }
  }

  /**
   * Messages that cannot be read: each is named in the log once, however often it comes back while
   * it is among the last {@value #REMEMBERED}. For one thread, but for the count.
   */
  static final class PoisonMessages {
    static final String LEFT = "is left to the queue's redrive policy";
    static final int REMEMBERED = 10_000;

    private final Map<String, Boolean> named =
        new LinkedHashMap<>() {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED;
          }
        };
    private final String fate;
    private final AtomicLong receipts = new AtomicLong();

    /**
     * @param fate what becomes of a message that can never be read
     */
    PoisonMessages(String fate) {
      this.fate = fate;
    }

    /** A message that can never be read. */
    void add(String messageId, String reason) {
      add(messageId, reason, fate);
    }

    /** A message that could be read, and cannot be used until somebody changes something. */
    void left(String messageId, String reason) {
      add(messageId, reason, LEFT);
    }

    private void add(String messageId, String reason, String what) {
      receipts.incrementAndGet();
      if (named.put(messageId, Boolean.TRUE) == null) {
        LOGGER.warn("Message {} cannot be used and {}: {}", messageId, what, reason);
      }
    }

    /** Receipts of such messages so far. */
    long receipts() {
      return receipts.get();
    }
  }
}
