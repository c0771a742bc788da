package io.indexview.server.rows;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.indexview.client.read.RowPage;
import io.indexview.server.http.HttpFilters.AnyParameter;
import io.indexview.server.json.Json;
import io.indexview.server.rows.RowReadParser.RowRead;
import io.indexview.views.layout.JsonValues;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** {@code /views/{name}/rows}: what a view holds. */
@Singleton
@Path("/views/{name}/rows")
@Produces(MediaType.APPLICATION_JSON)
public final class RowResource {
  /** Query parameters that say how to read; all others are names of fields. */
  public static final Set<String> OPTIONS =
      Set.of(
          "from",
          "to",
          "prefix",
          "isNull",
          "desc",
          "limit",
          "page",
          "index",
          "fetch",
          "atLeast",
          "maxStaleness",
          "policy",
          "timeout",
          "consistency");

  private final Rows rows;

  @Inject
  public RowResource(Rows rows) {
    this.rows = rows;
  }

  @GET
  @AnyParameter
  public RowsAnswer read(@PathParam("name") String name, @Context UriInfo uri) {
    return rows.read(name, uri.getQueryParameters());
  }

  /**
   * Some rows of a view. What is null does not apply, and is left out.
   *
   * @param visibleBefore every change that was made before is in the rows
   * @param next page token of the next page; null after the last one
   * @param leftOut how many rows were left out, by what became of their primary records; null if
   *     none was fetched
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record RowsAnswer(
      String view,
      int generation,
      String state,
      String reason,
      Instant asOf,
      Instant visibleBefore,
      List<Row> rows,
      RowPage.LeftOut leftOut,
      String next) {

    /**
     * One row.
     *
     * @param key fields, in the order of the key
     * @param values included fields
     * @param record the primary record, if it was fetched
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Row(
        @JsonSerialize(using = PlainSerializer.class) Map<String, Object> key,
        String primaryKey,
        @JsonSerialize(using = PlainSerializer.class) Map<String, Object> values,
        Long revision,
        JsonNode record) {
      static Row of(RowPage.Row row) {
        return new Row(
            row.key(),
            row.primaryKey(),
            row.values().isEmpty() ? null : row.values(),
            row.revision().isPresent() ? row.revision().getAsLong() : null,
            row.record().map(Json::of).orElse(null));
      }
    }

    /** Fields of rows, straight from their values. */
    static final class PlainSerializer extends JsonSerializer<Map<String, Object>> {
      @Override
      public void serialize(
          Map<String, Object> fields, JsonGenerator json, SerializerProvider provider)
          throws IOException {
        JsonValues.write(fields, json);
      }
    }

    static RowsAnswer of(RowRead read, RowPage page) {
      return new RowsAnswer(
          read.query().view(),
          page.generation(),
          page.state().name(),
          page.reason().isEmpty() ? null : page.reason(),
          page.asOf(),
          page.visibleBefore().orElse(null),
          page.rows().stream().map(Row::of).toList(),
          read.options().fetch() ? page.leftOut() : null,
          page.next());
    }
  }
}
