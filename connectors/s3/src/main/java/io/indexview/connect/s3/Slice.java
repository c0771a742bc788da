package io.indexview.connect.s3;

import io.indexview.connect.common.source.Look;
import io.indexview.connect.s3.record.BucketListing;
import io.indexview.connect.s3.record.SliceReporter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.connect.source.SourceRecord;

/** One part of the source that this task answers for: a bucket, or the queue. For one thread. */
final class Slice {
  private final SliceReporter reporter;
  private BucketListing listing;

  /**
   * @param listing null when nothing is to be listed
   */
  Slice(SliceReporter reporter, BucketListing listing) {
    this.reporter = reporter;
    this.listing = listing;
  }

  /** The next records of the first listing; none when there is nothing to list now. */
  List<SourceRecord> list() {
    return listing == null ? List.of() : listing.next();
  }

  /**
   * What is to be said of the slice now.
   *
   * @param upToDate whether everything that the queue gave is on its way to Kafka
   */
  Optional<SourceRecord> report(Instant now, boolean upToDate) {
    Optional<Look> look = listing == null ? Optional.empty() : listing.completed();
    if (look.isPresent()) {
      listing = null;
      return Optional.of(reporter.completed(look.get(), now));
    }
    return upToDate ? reporter.heartbeat(now) : Optional.empty();
  }
}
