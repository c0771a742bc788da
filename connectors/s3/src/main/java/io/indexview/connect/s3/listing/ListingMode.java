package io.indexview.connect.s3.listing;

import java.time.Duration;
import java.util.Optional;

/**
 * What a listing is for.
 *
 * @param number of the listing
 * @param isForced every object is published, because what others hold may be wrong
 * @param request by force: what it answers; 0: nobody asked
 * @param grace how long a difference waits until it is read: a notification of it may be on its
 *     way; empty: not at all, since nothing that could not be read may be left out
 */
public record ListingMode(long number, boolean isForced, long request, Optional<Duration> grace) {
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
    return !isForced && grace.isEmpty();
  }

  boolean isPeriodic() {
    return grace.isPresent();
  }
}
