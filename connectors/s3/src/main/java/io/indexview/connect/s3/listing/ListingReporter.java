package io.indexview.connect.s3.listing;

import io.indexview.connect.common.source.ScanAnswers;
import io.indexview.connect.common.source.SourcePartition;
import io.indexview.connect.common.source.SourceStates;
import io.indexview.connect.common.source.SourceStates.Report;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Tells on source-states how complete one source partition is, and that it is alive. For one
 * thread.
 */
public final class ListingReporter {
  private final SourceStates states;
  private final SourcePartition sourcePartition;
  private final Map<String, Object> partition;
  private final Duration interval;
  private final ScanAnswers answers;
  private final Timer pause;

  private ListingOffset offset;

  /**
   * @param partition the name of the source partition in Connect's offsets
   * @param offset with the listings that are complete
   * @param interval between two heartbeats
   * @param answers requests for a listing
   */
  public ListingReporter(
      SourceStates states,
      SourcePartition sourcePartition,
      Map<String, Object> partition,
      ListingOffset offset,
      Duration interval,
      ScanAnswers answers,
      Time time) {
    this.states = states;
    this.sourcePartition = sourcePartition;
    this.partition = partition;
    this.offset = offset;
    this.interval = interval;
    this.answers = answers;
    this.pause = new Timer(time);
  }

  /**
   * A listing is complete: reported at once.
   *
   * @param topicId of the topic that has what it found
   * @param publishedUntil see {@link #heartbeat}
   */
  public SourceRecord completed(
      String topicId, Scan scan, Instant now, Supplier<Optional<Instant>> publishedUntil) {
    offset = offset.and(topicId, scan);
    answers.completed();
    return report(now, publishedUntil.get(), Optional.empty());
  }

  /** The change topic. */
  public String topic() {
    return sourcePartition.topic();
  }

  /** Name for messages. */
  public String name() {
    return sourcePartition.key();
  }

  /** The listings that are complete, for which topic, and what keeps further ones from it. */
  public ListingOffset offset() {
    return offset;
  }

  /**
   * A heartbeat, if one is due.
   *
   * @param publishedUntil all that was sent to the queue before is in Kafka; empty: not known now
   * @param problem what keeps the listing that runs, or ran last, from being complete; the next
   *     task goes on to say so until one is
   * @param outage what keeps every listing from it; said if there is no problem, and by nobody once
   *     it is over
   */
  public Optional<SourceRecord> heartbeat(
      Instant now,
      Supplier<Optional<Instant>> publishedUntil,
      Optional<String> problem,
      Optional<String> outage) {
    if (!pause.isExpired()) {
      return Optional.empty();
    }
    offset = offset.hindered(problem.orElse(null));
    return Optional.of(report(now, publishedUntil.get(), outage));
  }

  private SourceRecord report(
      Instant now, Optional<Instant> publishedUntil, Optional<String> outage) {
    pause.reset(interval);
    offset =
        offset.published(publishedUntil.map(Instant::toEpochMilli).orElse(0L), now.toEpochMilli());
    return states.record(
        partition,
        offset.toMap(),
        new Report(sourcePartition, offset.scans(), now.toEpochMilli())
            .topicId(Optional.ofNullable(offset.topicId()))
            .publishedUntil(offset.publishedUntil())
            .problem(Optional.ofNullable(offset.problem()).or(() -> outage))
            .answeredScanRequest(answers.answered()));
  }
}
