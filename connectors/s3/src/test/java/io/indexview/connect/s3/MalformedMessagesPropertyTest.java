package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.source.SourceDeadLetters;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.notification.S3NotificationParser;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.connect.s3.queue.InFlightMessages;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.TrackedRecord;
import io.indexview.schemas.fixtures.Bounded;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.fixtures.Mutator;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Whatever is put into the queue: it makes change events that Kafka takes, or a dead letter, or is
 * left to the queue.
 */
class MalformedMessagesPropertyTest {
  private static final String TOPIC = "indexview.changes.files";
  private static final String DEAD_LETTERS = "indexview.dead-letters";
  private static final long MAX_BYTES = 64L << 20;

  private static final String CREATED = Notifications.created("ann_cv.pdf", "0055AED6DCD90281E5");
  private static final String TWO =
      Notifications.message(
          Notifications.record("ObjectCreated:Put", "a%2Fb+c", "\"size\":1,", "0A"),
          Notifications.record("ObjectRemoved:Delete", "ann", "\"versionId\":\"v1\",", "0B"));
  private static final String CEPH =
      """
      {"Records":[{"eventVersion":"2.2","eventSource":"ceph:s3","eventTime":"2017-08-20T23:59:59.999Z",
       "eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"documents"},
       "object":{"key":"ann","size":"7","eTag":"abc","versionId":"","sequencer":"F7E6D75DC742D108"}}}]}
      """;
  private static final String EVENT_BRIDGE =
      """
      {"version":"0","detail-type":"Object Deleted","source":"aws.s3","time":"2017-08-20T23:59:59Z",
       "detail":{"bucket":{"name":"documents"},"object":{"key":"ann","size":5,"etag":"abc",
       "version-id":"v1","sequencer":"00617F08299329D189"},"deletion-type":"Delete Marker Created"}}
      """;
  private static final String SNS =
      "{\"Type\":\"Notification\",\"MessageId\":\"1\",\"Message\":\"%s\",\"Subject\":\"S3\"}"
          .formatted(CREATED.replace("\n", "").replace("\"", "\\\""));

  private final ManualClock clock = new ManualClock();
  private final InFlightMessages inFlight =
      new InFlightMessages(Duration.ofMinutes(1), () -> {}, clock);
  private final AvroConverter converter = new AvroConverter();
  private final QueueMessageReader reader =
      new QueueMessageReader(
          new S3NotificationParser(true, List.of("ObjectRestore:")),
          new FileEvents(
              TOPIC, new ObjectKeyFields(ObjectKeyFields.DEFAULT_PATTERN), Set.of(), "s3", clock),
          new ObjectReads(new FakeObjectStore(), Runnable::run, () -> {}),
          Optional.empty(),
          Set.of(),
          Optional.of(DEAD_LETTERS),
          new TrackedRecord.Position(Map.of("queue", "q"), Map.of("at", 1)),
          inFlight,
          new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10)),
          clock);

  MalformedMessagesPropertyTest() {
    converter.configure(Map.of("schema.registry.url", "mock://malformed-messages"), false);
  }

  @Property(tries = 1_000)
  void malformedMessageBecomesEventsOrADeadLetterOrIsLeft(@ForAll(supplier = Seeds.class) long seed)
      throws Exception {
    Mutator mutator = new Mutator(new Random(seed));
    String body =
        new String(mutator.utf8(CREATED, TWO, CEPH, EVENT_BRIDGE, SNS), StandardCharsets.UTF_8);

    List<SourceRecord> records = Bounded.read(MAX_BYTES, () -> records(body));

    for (SourceRecord record : records) {
      assertThat(record.topic()).isIn(TOPIC, DEAD_LETTERS);
      assertThat(converter.fromConnectData(record.topic(), record.valueSchema(), record.value()))
          .hasSizeLessThan(
              record.topic().equals(TOPIC) ? 64 << 10 : SourceDeadLetters.MAX_VALUE_BYTES);
      ((TrackedRecord) record).acknowledged(null);
    }
    assertThat(inFlight.unread()).isZero();
    inFlight.released("m");
  }

  private List<SourceRecord> records(String body) {
    QueueMessage message = new QueueMessage("m", "receipt", body, clock.instant());
    inFlight.received(List.of(message));
    reader.begin(message);
    return reader.next();
  }
}
