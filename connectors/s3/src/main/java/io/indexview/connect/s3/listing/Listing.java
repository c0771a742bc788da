package io.indexview.connect.s3.listing;

import io.indexview.connect.common.source.Scan;
import io.indexview.connect.s3.client.AwsRequestException;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.connect.source.SourceRecord;

/** One listing of what a task answers for. For one thread. */
public interface Listing {
  /**
   * The next records to send; none at the end, or while enough are on their way.
   *
   * @throws AwsRequestException.Permanent if the bucket cannot be listed
   */
  List<SourceRecord> next();

  /** What is told of it once Kafka has every record of it. */
  Optional<Scan> completed();

  /** What keeps it from being complete, for people; empty if nothing does. */
  default Optional<String> problem() {
    return Optional.empty();
  }

  /** Whether it publishes everything again, because what others hold may be wrong. */
  default boolean isForced() {
    return false;
  }

  /** Whether it is over without being complete. */
  default boolean isGivenUp() {
    return false;
  }
}
