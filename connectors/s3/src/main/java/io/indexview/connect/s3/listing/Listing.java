package io.indexview.connect.s3.listing;

import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.schemas.control.SourceState.Scan;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.connect.source.SourceRecord;

/** A listing of what a task answers for. For one thread. */
public interface Listing {
  /** What is over sooner is worth no word to those who read the views. */
  Duration OUTAGE = Duration.ofMinutes(5);

  /**
   * The next records to send; none at the end, or while enough are on their way.
   *
   * @throws AwsRequestException.Permanent if the bucket cannot be listed
   */
  List<SourceRecord> next();

  /** What is reported of it once Kafka has every record of it. */
  Optional<Scan> completed();

  /** What keeps it from being complete, for people; empty if nothing does. */
  default Optional<String> problem() {
    return Optional.empty();
  }

  /** What it waits for, and has for minutes, for people; empty if nothing holds it up so long. */
  default Optional<String> outage() {
    return Optional.empty();
  }

  /** Whether it publishes everything again, because what others hold may be wrong. */
  default boolean isAdHoc() {
    return false;
  }

  /** Whether it is over without being complete. */
  default boolean isGivenUp() {
    return false;
  }

  /**
   * What a listing is for.
   *
   * @param number of the listing
   * @param isAdHoc every object is published, because what others hold may be wrong
   * @param request of an ad-hoc snapshot: what it answers; 0: nobody asked
   * @param grace how long a difference waits until it is read: a notification of it may be on its
   *     way; empty: not at all, since nothing that could not be read may be left out
   */
  record ListingMode(long number, boolean isAdHoc, long request, Optional<Duration> grace) {
    /** The first listing: of a bucket of which nothing is known. */
    public static ListingMode initial() {
      return new ListingMode(1, false, 0, Optional.empty());
    }

    /** An ad-hoc snapshot. */
    public static ListingMode adHoc(long number, long request) {
      return new ListingMode(number, true, request, Optional.empty());
    }

    /** A listing that finds what notifications missed. */
    public static ListingMode periodic(long number, Duration grace) {
      return new ListingMode(number, false, 0, Optional.of(grace));
    }

    boolean isInitial() {
      return !isAdHoc && grace.isEmpty();
    }

    boolean isPeriodic() {
      return grace.isPresent();
    }
  }
}
