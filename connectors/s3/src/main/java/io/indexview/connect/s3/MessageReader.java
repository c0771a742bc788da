package io.indexview.connect.s3;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.notification.MalformedNotificationException;
import io.indexview.connect.s3.notification.Notification;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.S3NotificationParser;
import io.indexview.connect.s3.object.LookCache;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.object.ObjectStoreException;
import io.indexview.connect.s3.queue.DeliveryLedger;
import io.indexview.connect.s3.queue.QueueMessage;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.MessageLetters;
import io.indexview.connect.s3.record.Observations;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes records of messages, and tells the ledger what became of each. A message whose objects have
 * to be looked at waits for the answers; while the object store gives none it is asked again only
 * now and then. For one thread, but for what it has counted.
 */
final class MessageReader {
  private static final Logger LOGGER = LoggerFactory.getLogger(MessageReader.class);

  private static final int CACHED_LOOKS = 10_000;

  private static final String NO_ORDER =
      "no sequencer: without one the event has no place in the order of its object's events; set %s, so that the object is looked at instead"
          .formatted(S3SourceConfig.INDEX_DIR_CONFIG);

  private final S3NotificationParser parser;
  private final FileEvents events;
  private final ObjectReads looks;
  private final Optional<Observations> observations;
  private final DeliveryLedger ledger;
  private final Position position;
  private final Backoff backoff;
  private final Clock clock;
  private final Optional<MessageLetters> letters;
  private final PoisonMessages poison;
  private final LookCache cache = new LookCache(CACHED_LOOKS);
  private final List<SourceRecord> written = new ArrayList<>();
  private final SkippedTypes skipped = new SkippedTypes();

  /** Messages that wait for the object store, in the order in which they arrived. */
  private final Deque<Reading> waiting = new ArrayDeque<>();

  private Instant quietUntil = Instant.MIN;

  /**
   * What a reader works with.
   *
   * @param observations empty: there is no index that they need
   * @param letters empty: messages that can never be read are left to the queue
   * @param position of everything that comes through the queue
   */
  record Parts(
      S3NotificationParser parser,
      FileEvents events,
      ObjectReads looks,
      Optional<Observations> observations,
      Optional<MessageLetters> letters,
      Position position) {}

  MessageReader(Parts parts, DeliveryLedger ledger, Backoff backoff, Clock clock) {
    this.parser = parts.parser();
    this.events = parts.events();
    this.looks = parts.looks();
    this.observations = parts.observations();
    this.letters = parts.letters();
    this.position = parts.position();
    this.poison =
        new PoisonMessages(letters.isPresent() ? "becomes a dead letter" : PoisonMessages.LEFT);
    this.ledger = ledger;
    this.backoff = backoff;
    this.clock = clock;
  }

  /** One message, its events, and the look that each event needs; null: it needs none. */
  private static final class Reading {
    private final String messageId;
    private final Notification notification;
    private final List<CompletableFuture<Optional<ObjectInfo>>> looks = new ArrayList<>();
    private boolean isToLook = true;

    private Reading(String messageId, Notification notification) {
      this.messageId = messageId;
      this.notification = notification;
    }

    private boolean isAnswered() {
      return looks.stream().allMatch(look -> look == null || look.isDone());
    }
  }

  /** Takes a message; {@link #next} has its records as soon as they can be made. */
  void begin(QueueMessage message) {
    try {
      Notification notification = parser.parse(message.body());
      if (observations.isEmpty() && isUnordered(notification)) {
        left(message.id(), NO_ORDER);
      } else {
        waiting.addLast(new Reading(message.id(), notification));
      }
    } catch (MalformedNotificationException e) {
      unreadable(message, e);
    }
  }

  private static boolean isUnordered(Notification notification) {
    return notification.events().stream().anyMatch(event -> event.sequencer() == null);
  }

  /** It can be used once somebody changes something: so it never becomes a dead letter. */
  private void left(String messageId, String reason) {
    poison.left(messageId, reason);
    ledger.released(messageId);
  }

  /** Whether all answers are there that the message needs; asks for them. */
  private boolean isAnswered(Reading reading) {
    if (reading.isToLook) {
      boolean isQuiet = clock.instant().isBefore(quietUntil);
      if (isQuiet && reading.notification.events().stream().anyMatch(this::needsLook)) {
        return false;
      }
      reading.isToLook = false;
      reading.looks.clear();
      for (ObjectEvent event : reading.notification.events()) {
        reading.looks.add(needsLook(event) ? look(event) : null);
      }
    }
    return reading.isAnswered();
  }

  private CompletableFuture<Optional<ObjectInfo>> look(ObjectEvent event) {
    Optional<ObjectInfo> cached = cache.find(event);
    return cached.isPresent()
        ? CompletableFuture.completedFuture(cached)
        : looks.head(event.bucket(), event.key());
  }

  private boolean needsLook(ObjectEvent event) {
    return event.sequencer() != null
        && switch (event.kind()) {
          case CREATED -> events.needReads();
          case REMOVED -> false;
          case VERSION_REMOVED, TOUCHED -> true;
        };
  }

  private void unreadable(QueueMessage message, MalformedNotificationException reason) {
    poison.add(message.id(), reason.getMessage());
    if (letters.isEmpty()) {
      ledger.released(message.id());
      return;
    }
    ledger.dispatched(message.id(), 1);
    written.add(
        letters
            .get()
            .letter(message, reason, position, metadata -> ledger.acknowledged(message.id())));
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
    } catch (ObjectStoreException.Unavailable e) {
      reading.isToLook = true;
      pause(e);
      return false;
    } catch (ObjectStoreException.Permanent e) {
      left(reading.messageId, e.getMessage());
      return true;
    }
  }

  private List<SourceRecord> records(Reading reading) {
    String id = reading.messageId;
    Consumer<RecordMetadata> acknowledged = metadata -> ledger.acknowledged(id);
    List<SourceRecord> records = new ArrayList<>();
    List<ObjectEvent> observed = new ArrayList<>(0);
    List<ObjectEvent> told = reading.notification.events();
    for (int i = 0; i < told.size(); i++) {
      ObjectEvent event = told.get(i);
      if (event.sequencer() == null) {
        observed.add(event);
      } else {
        records.add(record(event, reading.looks.get(i), acknowledged));
      }
    }
    ledger.dispatched(id, records.size() + observed.size());
    observed.forEach(event -> observations.orElseThrow().observe(event, outcome(id)));
    return records;
  }

  private SourceRecord record(
      ObjectEvent event,
      CompletableFuture<Optional<ObjectInfo>> look,
      Consumer<RecordMetadata> acknowledged) {
    if (look == null) {
      return events.told(event, position, acknowledged);
    }
    Optional<ObjectInfo> now = answer(look);
    now.ifPresent(object -> cache.add(event, object));
    return events.toldAndRead(event, now, position, acknowledged);
  }

  private Observations.Outcome outcome(String messageId) {
    return new Observations.Outcome() {
      @Override
      public void done() {
        ledger.acknowledged(messageId);
      }

      @Override
      public void failed(ObjectStoreException.Permanent cause) {
        poison.left(messageId, cause.getMessage());
        ledger.failed(messageId);
      }
    };
  }

  private Optional<ObjectInfo> answer(CompletableFuture<Optional<ObjectInfo>> look) {
    try {
      Optional<ObjectInfo> found = look.join();
      backoff.reset();
      return found;
    } catch (CompletionException e) {
      throw e.getCause() instanceof ObjectStoreException known
          ? known
          : new ObjectStoreException.Permanent("a look failed: " + e.getCause(), e.getCause());
    }
  }

  private void pause(ObjectStoreException.Unavailable cause) {
    Instant now = clock.instant();
    if (now.isBefore(quietUntil)) {
      return;
    }
    if (backoff.failures() == 0) {
      LOGGER.warn("Messages wait until one can look at their objects: {}", cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
    quietUntil = now.plus(backoff.next());
  }

  /** Messages that wait for the object store. */
  int waiting() {
    return waiting.size();
  }

  /** Receipts of messages that could not be used so far. */
  long poisonReceipts() {
    return poison.receipts();
  }

  /** Events skipped so far, by type. */
  Map<String, Long> skippedTypes() {
    return skipped.counts();
  }
}
