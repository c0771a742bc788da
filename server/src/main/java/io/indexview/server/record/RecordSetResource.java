package io.indexview.server.record;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.admin.SourceCatalog;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.server.json.Json;
import io.indexview.server.json.JsonBody;
import io.indexview.server.json.JsonBody.Form;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** {@code /record-sets}: what views can be defined on. */
@Singleton
@Path("/record-sets")
@Produces(MediaType.APPLICATION_JSON)
public final class RecordSetResource {
  private static final String SINCE = "since";

  private final RecordSets recordSets;
  private final SourceCatalog sources;

  @Inject
  public RecordSetResource(RecordSets recordSets, SourceCatalog sources) {
    this.recordSets = recordSets;
    this.sources = sources;
  }

  @GET
  public RecordSetAnswer.RecordSets list() {
    return new RecordSetAnswer.RecordSets(recordSets.all());
  }

  @POST
  @Path("/{set}/published-again")
  @Consumes(MediaType.APPLICATION_JSON)
  public Response publishedAgain(@PathParam("set") String set, String text) {
    JsonBody body = JsonBody.parse(text, Set.of(SINCE));
    Instant since =
        body.require(SINCE, Form.text(RecordSetResource::time, "use a time in ISO 8601"))
            .orElse(Instant.EPOCH);
    body.verify();
    String topic = recordSets.topic(set);
    try {
      sources.publishedAgain(topic, since);
    } catch (IllegalArgumentException e) {
      throw ProblemException.of(ProblemType.BAD_REQUEST, e.getMessage());
    }
    return Response.accepted().build();
  }

  private static Instant time(String text) {
    try {
      return Instant.ofEpochMilli(Instant.parse(text).toEpochMilli());
    } catch (DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException("use a time in ISO 8601, 2026-01-02T03:04:05Z", e);
    }
  }

  /**
   * A record set in an answer.
   *
   * @param writable whether this server writes and reads its records
   * @param valueFormat how they are written in the KV store; null: not known, or not in one
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record RecordSetAnswer(
      String name,
      String topic,
      int partitions,
      String format,
      List<String> uniqueFields,
      boolean writable,
      String valueFormat,
      Instant changedAt,
      JsonNode schema) {

    /** All record sets. */
    public record RecordSets(List<RecordSetAnswer> recordSets) {}

    static RecordSetAnswer of(RecordSetInfo info, boolean kept, Optional<ValueFormat> values) {
      return new RecordSetAnswer(
          info.name(),
          info.topic(),
          info.partitions(),
          info.format(),
          info.uniqueFields(),
          kept && values.isPresent(),
          values.map(ValueFormat::toString).orElse(null),
          Instant.ofEpochMilli(info.changedAtMs()),
          Json.tree(info.schema()));
    }
  }
}
