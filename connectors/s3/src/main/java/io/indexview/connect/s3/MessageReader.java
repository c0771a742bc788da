package io.indexview.connect.s3;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.notification.MalformedNotificationException;
import io.indexview.connect.s3.notification.Notification;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.S3NotificationParser;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.object.ObjectStoreException;
import io.indexview.connect.s3.queue.DeliveryLedger;
import io.indexview.connect.s3.queue.QueueMessage;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.TrackedRecord;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes records of messages, and tells the ledger what became of each. While the object store does
 * not answer it is asked again only now and then. For one thread.
 */
final class MessageReader {
  private static final Logger LOGGER = LoggerFactory.getLogger(MessageReader.class);

  private final S3NotificationParser parser = new S3NotificationParser();
  private final FileEvents events;
  private final ObjectStore objects;
  private final DeliveryLedger ledger;
  private final Position position;
  private final Backoff backoff;
  private final Clock clock;
  private final PoisonMessages poison = new PoisonMessages();
  private final Map<String, Long> unknownTypes = new HashMap<>();
  private Instant quietUntil = Instant.MIN;

  /**
   * @param position of everything that comes through the queue
   */
  MessageReader(
      FileEvents events,
      ObjectStore objects,
      DeliveryLedger ledger,
      Position position,
      Backoff backoff,
      Clock clock) {
    this.events = events;
    this.objects = objects;
    this.ledger = ledger;
    this.position = position;
    this.backoff = backoff;
    this.clock = clock;
  }

  /**
   * The records of a message; none of one that cannot be used. Empty if the object store has to be
   * asked and cannot be: the ledger keeps the message, which is to be read again once {@link
   * #mayLook}.
   */
  Optional<List<TrackedRecord>> read(QueueMessage message) {
    Optional<List<TrackedRecord>> records;
    try {
      Notification notification = parser.parse(message.body());
      records = records(notification, message);
      if (records.isPresent()) {
        notification.unknownTypes().forEach(this::countUnknown);
      }
    } catch (MalformedNotificationException | ObjectStoreException.Permanent e) {
      poison.add(message.id(), e);
      ledger.released(message.id());
      return Optional.of(List.of());
    }
    records.ifPresent(made -> ledger.dispatched(message.id(), made.size()));
    return records;
  }

  private Optional<List<TrackedRecord>> records(Notification notification, QueueMessage message) {
    Consumer<RecordMetadata> acknowledged = metadata -> ledger.acknowledged(message.id());
    List<TrackedRecord> records = new ArrayList<>(notification.events().size());
    for (ObjectEvent event : notification.events()) {
      if (event.kind() == ObjectEvent.Kind.VERSION_REMOVED) {
        if (!mayLook()) {
          return Optional.empty();
        }
        Optional<ObjectInfo> now;
        try {
          now = objects.head(event.bucket(), event.key());
        } catch (ObjectStoreException.Unavailable e) {
          waitBeforeNext(e);
          return Optional.empty();
        }
        backoff.reset();
        records.add(events.toldVersionRemoved(event, now, position, acknowledged));
      } else {
        records.add(events.told(event, position, acknowledged));
      }
    }
    return Optional.of(records);
  }

  /** Whether the object store may be asked now, because it answered or some time has passed. */
  boolean mayLook() {
    return !clock.instant().isBefore(quietUntil);
  }

  private void waitBeforeNext(ObjectStoreException.Unavailable cause) {
    if (backoff.failures() == 0) {
      LOGGER.warn(
          "Removals of versions wait until one can look what is left: {}", cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
    quietUntil = clock.instant().plus(backoff.next());
  }

  private void countUnknown(String type) {
    if (unknownTypes.merge(type, 1L, Long::sum) == 1) {
      LOGGER.info("Events of type {} are no creation or removal of an object: skipped", type);
    }
  }

  /** Receipts of messages that could not be used so far. */
  long poisonReceipts() {
    return poison.receipts();
  }

  /** Events skipped so far, by type. */
  Map<String, Long> unknownTypes() {
    return Map.copyOf(unknownTypes);
  }
}
