package io.indexview.server.source;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.indexview.client.admin.SourceStatus;
import java.time.Instant;
import java.util.List;

/**
 * A source in an answer.
 *
 * @param lookedAt null: not known
 * @param publishedAgainAt null: not known
 * @param problem what keeps its looks from being complete; null: nothing
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SourceAnswer(
    String name,
    String topic,
    int slices,
    int looked,
    Instant heardAt,
    Instant lookedAt,
    Instant publishedAgainAt,
    String problem) {

  /** All sources. */
  public record Sources(List<SourceAnswer> sources) {}

  static SourceAnswer of(SourceStatus status) {
    return new SourceAnswer(
        status.source(),
        status.topic(),
        status.slices(),
        status.looked(),
        status.heardAt(),
        status.lookedAt().orElse(null),
        status.publishedAgainAt().orElse(null),
        status.problem().orElse(null));
  }
}
