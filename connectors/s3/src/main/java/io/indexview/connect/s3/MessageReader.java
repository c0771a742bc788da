package io.indexview.connect.s3;

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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes records of messages, and tells the ledger what became of each. For one thread. */
final class MessageReader {
  private static final Logger LOGGER = LoggerFactory.getLogger(MessageReader.class);

  private final S3NotificationParser parser = new S3NotificationParser();
  private final FileEvents events;
  private final ObjectStore objects;
  private final DeliveryLedger ledger;
  private final Position position;
  private final PoisonMessages poison = new PoisonMessages();
  private final Map<String, Long> unknownTypes = new HashMap<>();

  /**
   * @param position of everything that comes through the queue
   */
  MessageReader(FileEvents events, ObjectStore objects, DeliveryLedger ledger, Position position) {
    this.events = events;
    this.objects = objects;
    this.ledger = ledger;
    this.position = position;
  }

  /** The records of a message; none of one that cannot be used. */
  List<TrackedRecord> read(QueueMessage message) {
    List<TrackedRecord> records;
    try {
      records = records(message);
    } catch (MalformedNotificationException | ObjectStoreException e) {
      poison.add(message.id(), e);
      ledger.released(message.id());
      return List.of();
    }
    ledger.dispatched(message.id(), records.size());
    return records;
  }

  private List<TrackedRecord> records(QueueMessage message) throws MalformedNotificationException {
    Notification notification = parser.parse(message.body());
    notification.unknownTypes().forEach(this::countUnknown);
    Consumer<RecordMetadata> acknowledged = metadata -> ledger.acknowledged(message.id());
    List<TrackedRecord> records = new ArrayList<>(notification.events().size());
    for (ObjectEvent event : notification.events()) {
      if (event.kind() == ObjectEvent.Kind.VERSION_REMOVED) {
        Optional<ObjectInfo> now = objects.head(event.bucket(), event.key());
        records.add(events.toldVersionRemoved(event, now, position, acknowledged));
      } else {
        records.add(events.told(event, position, acknowledged));
      }
    }
    return records;
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
