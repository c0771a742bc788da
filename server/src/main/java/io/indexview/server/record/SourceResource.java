package io.indexview.server.record;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.indexview.client.admin.SourceCatalog;
import io.indexview.client.admin.SourceStatus;
import io.indexview.schemas.control.StoredValues;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.util.List;

/** {@code /sources}: who says that record sets are complete. */
@Singleton
@Path("/sources")
@Produces(MediaType.APPLICATION_JSON)
public final class SourceResource {
  private final SourceCatalog catalog;

  @Inject
  public SourceResource(SourceCatalog catalog) {
    this.catalog = catalog;
  }

  @GET
  public SourceAnswer.Sources list() {
    return new SourceAnswer.Sources(catalog.list().stream().map(SourceAnswer::of).toList());
  }

  @DELETE
  @Path("/{source}")
  public void retire(@PathParam("source") String source) {
    catalog.retire(source);
  }

  /**
   * A source in an answer.
   *
   * @param publishedUntil null: not known, or it has no queue
   * @param scannedAt null: not known
   * @param publishedAgainAt null: not known
   * @param problem what keeps its scans from being complete; null: nothing
   * @param valueFormat how the records are written in the KV store; null: not known, or not in one
   * @param changeFeedProblem why it does not follow the changes of its store now; null: it does, or
   *     is not to
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record SourceAnswer(
      String name,
      String topic,
      int sourcePartitions,
      int scanned,
      Instant heardAt,
      Instant publishedUntil,
      Instant scannedAt,
      Instant publishedAgainAt,
      String problem,
      String valueFormat,
      String changeFeedProblem) {

    /** All sources. */
    public record Sources(List<SourceAnswer> sources) {}

    static SourceAnswer of(SourceStatus status) {
      return new SourceAnswer(
          status.source(),
          status.topic(),
          status.sourcePartitions(),
          status.scanned(),
          status.heardAt(),
          status.publishedUntil().orElse(null),
          status.scannedAt().orElse(null),
          status.publishedAgainAt().orElse(null),
          status.problem().orElse(null),
          status.values().map(StoredValues::format).orElse(null),
          status.changeFeedProblem().orElse(null));
    }
  }
}
