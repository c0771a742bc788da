package io.indexview.connect.s3.listing;

import io.indexview.connect.common.source.Requests;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Which buckets are being published again, whichever task does so. A request is answered only after
 * every task has had the time to learn of it, and counts as under way for some time after the
 * answer: the app deletes what was not named only then, and until it did, what it holds may be
 * wrong. For one thread.
 */
public final class AdHocSnapshots {
  /** Time until all tasks know a request; they read requests every two seconds. */
  private static final Duration KNOWN_BY_ALL = Duration.ofSeconds(5);

  private static final Duration PURGED = Duration.ofMinutes(10);

  private final String source;
  private final String topic;
  private final Set<String> buckets;
  private final Requests requests;
  private final Supplier<Map<String, SourceState>> states;
  private final Time time;
  private final Timer untilKnown;
  private long toAnswer;
  private long newest;

  /**
   * @param buckets that tasks of the source list
   * @param states what source partitions say, by {@link SourceState#key}
   */
  public AdHocSnapshots(
      String source,
      String topic,
      Set<String> buckets,
      Requests requests,
      Supplier<Map<String, SourceState>> states,
      Time time) {
    this.source = source;
    this.topic = topic;
    this.buckets = Set.copyOf(buckets);
    this.requests = requests;
    this.states = states;
    this.time = time;
    this.untilKnown = new Timer(time);
  }

  /** Number of the newest request that is to be answered; 0: none. */
  public long toAnswer() {
    long known = requests.newest(topic);
    if (known != newest) {
      newest = known;
      untilKnown.reset(KNOWN_BY_ALL);
    }
    if (untilKnown.isExpired()) {
      toAnswer = newest;
    }
    return toAnswer;
  }

  /** Whether some task publishes a bucket again, or the app may not have done what follows. */
  public boolean isUnderWay(String bucket) {
    if (!buckets.contains(bucket)) {
      return false;
    }
    Optional<SourceState.Scan> last =
        Optional.ofNullable(states.get().get(SourceState.key(source, topic, bucket)))
            .flatMap(SourceState::lastAdHocSnapshot);
    Instant answeredAt =
        last.map(scan -> Instant.ofEpochMilli(scan.endedAtMs())).orElse(Instant.MIN);
    return requests.newest(topic) > last.map(SourceState.Scan::request).orElse(0L)
        || last.isPresent() && time.instant().isBefore(answeredAt.plus(PURGED));
  }
}
