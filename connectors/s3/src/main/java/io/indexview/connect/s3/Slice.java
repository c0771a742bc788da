package io.indexview.connect.s3;

import io.indexview.connect.common.source.Look;
import io.indexview.connect.common.source.Looks;
import io.indexview.connect.s3.record.Listing;
import io.indexview.connect.s3.record.SliceReporter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.connect.source.SourceRecord;

/** One part of the source that this task answers for: a bucket, or the queue. For one thread. */
final class Slice {
  private final SliceReporter reporter;
  private final Resnapshots resnapshots;
  private Listing listing;

  /** Looks that somebody asks for. */
  interface Resnapshots {
    /**
     * A look that answers what is asked for now; nothing if nothing is.
     *
     * @param looks those that are complete
     */
    Optional<Listing> asked(Looks looks);
  }

  /**
   * @param first null when nothing is to be listed
   */
  Slice(SliceReporter reporter, Listing first, Resnapshots resnapshots) {
    this.reporter = reporter;
    this.listing = first;
    this.resnapshots = resnapshots;
  }

  /** The next records of a listing; none when there is nothing to list now. */
  List<SourceRecord> list() {
    if (listing == null) {
      listing = resnapshots.asked(reporter.looks()).orElse(null);
    }
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
