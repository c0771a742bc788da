package io.indexview.verification.live;

import io.indexview.client.admin.NotVerifiableException;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.SourceRequest.Kind;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.control.SourceState.ScanRequests;
import io.indexview.schemas.control.SourceState.SnapshotNeeded;
import io.indexview.schemas.control.TopicSources;
import io.indexview.schemas.control.ViewVerification.SourceScan;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Asks the sources of a primary-change topic to scan everything that they have, and waits until the
 * streams app has taken in what they found. A scan counts that began after some time by the clock
 * of its source, or that its source says is the answer to the request. For one thread; all methods
 * throw {@link org.apache.kafka.common.KafkaException} if the cluster does not answer.
 */
final class SourceScans implements AutoCloseable {
  private static final Duration SILENCE = Duration.ofMinutes(1);

  private final Pipeline pipeline;
  private final String topic;
  private final Clock clock;
  private long request;

  /** What it asks of a cluster. */
  interface Pipeline extends AutoCloseable {
    /** What all sources of all topics say. */
    Collection<SourceState> states();

    /** The request for a scan that stands. */
    Optional<SourceRequest> standing();

    void ask(SourceRequest asked);

    /** Where the primary-change topic ends. */
    Map<TopicPartition, Long> ends();

    /** Whether the streams app has taken what is before. */
    boolean hasTaken(Map<TopicPartition, Long> ends);

    @Override
    void close();
  }

  /**
   * @param pipeline closed with this
   * @param topic the primary-change topic
   */
  SourceScans(Pipeline pipeline, String topic, Clock clock) {
    this.pipeline = pipeline;
    this.topic = topic;
    this.clock = clock;
  }

  /**
   * Waits; one source after the other is named that is waited for.
   *
   * @param sinceMs scans that began before do not count, ms since the epoch
   * @param pause hears what is waited for, and returns when that is to be seen again; what it
   *     throws ends it
   * @return one for each source partition; of those that make none, why
   */
  List<SourceScan> await(long sinceMs, Consumer<String> pause) {
    List<SourceScan> scans = new ArrayList<>();
    String missing = missing(sinceMs, scans);
    while (!missing.isEmpty()) {
      pause.accept("waits for a complete scan of " + missing);
      missing = missing(sinceMs, scans);
    }
    Map<TopicPartition, Long> ends = pipeline.ends();
    while (!pipeline.hasTaken(ends)) {
      pause.accept("waits until the streams app has taken in topic %s".formatted(topic));
    }
    return scans;
  }

  /**
   * @param scans takes those that there are
   * @return what is waited for; empty: nothing
   */
  private String missing(long sinceMs, List<SourceScan> scans) {
    scans.clear();
    String missing = "";
    var sources = TopicSources.of(pipeline.states(), topic).bySource();
    for (Map.Entry<String, List<SourceState>> source : sources.entrySet()) {
      int all = source.getValue().get(0).sourcePartitions();
      if (source.getValue().size() < all) {
        missing =
            "source %s, of which %d of %d source partitions speak"
                .formatted(source.getKey(), source.getValue().size(), all);
      }
      for (SourceState state : source.getValue()) {
        String refused = state.scanRequests().map(ScanRequests::refused).orElse("");
        if (!refused.isEmpty()) {
          scans.add(SourceScan.refused(state.source(), state.sourcePartition(), refused));
        } else if (isAnswer(state, sinceMs)) {
          scans.add(scan(state, state.lastScan().orElseThrow()));
        } else {
          ask(state, sinceMs);
          missing = reason(state);
        }
      }
    }
    if (sources.isEmpty()) {
      scans.add(
          SourceScan.refused(
              "",
              "",
              "no source of topic %s says on source-states what it scans, as Debezium and other producers do not"
                  .formatted(topic)));
    }
    return missing;
  }

  /**
   * Makes sure that no source takes keys for records that begin with a component.
   *
   * @throws NotVerifiableException if one does, or does not tell
   */
  void requireNoRecordsUnder(String component) {
    for (SourceState state : pipeline.states()) {
      Optional<String> prefix =
          state.lastScan().or(state::lastAdHocSnapshot).flatMap(Scan::scope).map(KeyScope::prefix);
      boolean isUnknown = prefix.isEmpty() && state.values().isPresent();
      if (isUnknown || prefix.filter(keys -> begins(keys, component)).isPresent()) {
        throw new NotVerifiableException(
            "what is unexpected is not removed: source %s %s, and the rows lie under /%s, so it may be records; repair without it"
                .formatted(
                    state.source(),
                    isUnknown ? "does not tell which keys it reads" : "reads " + prefix.get(),
                    component));
      }
    }
  }

  private static boolean begins(String keys, String component) {
    return keys.equals("/" + component) || keys.startsWith("/" + component + "/");
  }

  private boolean isAnswer(SourceState state, long sinceMs) {
    boolean isUnhindered = state.problem().isEmpty() && state.snapshotNeeded().isEmpty();
    boolean isAnswered =
        request > 0 && state.scanRequests().filter(to -> to.answered() >= request).isPresent();
    return isUnhindered
        && state.lastScan().filter(scan -> isAnswered || scan.startedAtMs() >= sinceMs).isPresent();
  }

  private static SourceScan scan(SourceState state, Scan scan) {
    return new SourceScan(
        state.source(),
        state.sourcePartition(),
        scan.number(),
        scan.startedAtMs(),
        scan.endedAtMs(),
        scan.records(),
        "");
  }

  private void ask(SourceState state, long sinceMs) {
    if (request == 0 && state.scanRequests().isPresent()) {
      long standing = pipeline.standing().map(SourceRequest::number).orElse(0L);
      request = Math.max(clock.millis(), standing + 1);
      pipeline.ask(new SourceRequest(topic, request, sinceMs, Kind.SCAN));
    }
  }

  private String reason(SourceState state) {
    StringBuilder reason =
        new StringBuilder("source %s, %s".formatted(state.source(), state.sourcePartition()));
    if (state.scanRequests().isEmpty()) {
      reason.append(", which is of an earlier release and scans when it likes");
    }
    if (state.heartbeatAtMs() < clock.millis() - SILENCE.toMillis()) {
      reason
          .append(", not heard of since ")
          .append(Instant.ofEpochMilli(state.heartbeatAtMs()))
          .append(" (start its connector, or cancel this verification)");
    }
    state
        .problem()
        .or(() -> state.snapshotNeeded().map(SnapshotNeeded::reason))
        .ifPresent(problem -> reason.append(": ").append(problem));
    return reason.toString();
  }

  @Override
  public void close() {
    pipeline.close();
  }
}
