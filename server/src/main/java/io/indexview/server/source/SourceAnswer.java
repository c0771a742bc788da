package io.indexview.server.source;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.indexview.client.admin.SourceStatus;
import java.time.Instant;
import java.util.List;

/**
 * A source in an answer.
 *
 * @param scannedAt null: not known
 * @param publishedAgainAt null: not known
 * @param problem what keeps its scans from being complete; null: nothing
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SourceAnswer(
    String name,
    String topic,
    int sourcePartitions,
    int scanned,
    Instant heardAt,
    Instant scannedAt,
    Instant publishedAgainAt,
    String problem) {

  /** All sources. */
  public record Sources(List<SourceAnswer> sources) {}

  static SourceAnswer of(SourceStatus status) {
    return new SourceAnswer(
        status.source(),
        status.topic(),
        status.sourcePartitions(),
        status.scanned(),
        status.heardAt(),
        status.scannedAt().orElse(null),
        status.publishedAgainAt().orElse(null),
        status.problem().orElse(null));
  }
}
