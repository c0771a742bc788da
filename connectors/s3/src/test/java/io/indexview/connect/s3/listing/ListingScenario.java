package io.indexview.connect.s3.listing;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.FakeChangeTopic;
import io.indexview.connect.s3.listing.Listing.ListingMode;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.FileEvents.Attribute;
import io.indexview.connect.s3.record.TrackedRecord;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.fixtures.ManualClock;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.source.SourceRecord;

/** A bucket that is listed by somebody who knows nothing of it. */
abstract class ListingScenario {
  final ManualClock clock = new ManualClock();
  final FakeObjectStore store = new FakeObjectStore();
  final FakeChangeTopic topic = new FakeChangeTopic(clock);

  private final ListingMode mode;
  private final Position position;
  private final Backoff backoff;

  ListingScenario(ListingMode mode, Position position, Backoff backoff) {
    this.mode = mode;
    this.position = position;
    this.backoff = backoff;
  }

  /** A listing that needs nothing but the pages. */
  final BucketListing listing() {
    return listing(store, Set.of());
  }

  /** A listing that reads each object. */
  final BucketListing reading(FakeObjectStore listed) {
    return listing(listed, Set.of(Attribute.CONTENT_TYPE));
  }

  private BucketListing listing(FakeObjectStore listed, Set<Attribute> attributes) {
    return new BucketListing(
        "documents",
        mode,
        position,
        listed,
        new ObjectReads(listed, Runnable::run, () -> {}),
        topic,
        Optional.empty(),
        new FileEvents(
            "files", new ObjectKeyFields(ObjectKeyFields.DEFAULT_PATTERN), attributes, "s3", clock),
        backoff,
        clock);
  }

  /** Kafka has the record. */
  static void acknowledge(SourceRecord record, long offset) {
    ((TrackedRecord) record)
        .acknowledged(new RecordMetadata(new TopicPartition("files", 0), offset, 0, 0, 0, 0));
  }
}
