package io.indexview.server.rows;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import io.indexview.client.read.RowPage;
import io.indexview.server.http.HttpFilters.AnyParameter;
import io.indexview.server.rows.RowReadParser.RowRead;
import io.indexview.views.encoding.PlainValues;
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
import java.util.Set;
import org.apache.avro.generic.GenericRecord;

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
   * A page of the rows of a view. What is null does not apply, and is left out.
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
     * @param record the primary record in its plain form, if it was fetched
     */
    @JsonSerialize(using = RowSerializer.class)
    public record Row(RowPage.Row row, Object record) {
      static Row of(RowPage.Row row) {
        return new Row(row, row.record().map(Row::plain).orElse(null));
      }

      /**
       * Makes a record plain before the answer begins, so that one that cannot be written is a
       * failure, and not half an answer.
       */
      private static Object plain(GenericRecord record) {
        return PlainValues.of(record.getSchema(), record);
      }
    }

    /** Writes rows straight from their values. */
    static final class RowSerializer extends JsonSerializer<Row> {
      private static final SerializableString KEY = new SerializedString("key");
      private static final SerializableString PRIMARY_KEY = new SerializedString("primaryKey");
      private static final SerializableString VALUES = new SerializedString("values");
      private static final SerializableString REVISION = new SerializedString("revision");
      private static final SerializableString RECORD = new SerializedString("record");

      @Override
      public void serialize(Row row, JsonGenerator json, SerializerProvider provider)
          throws IOException {
        RowPage.Row of = row.row();
        json.writeStartObject();
        json.writeFieldName(KEY);
        JsonValues.write(of.key(), json);
        json.writeFieldName(PRIMARY_KEY);
        json.writeString(of.primaryKey());
        if (!of.values().isEmpty()) {
          json.writeFieldName(VALUES);
          JsonValues.write(of.values(), json);
        }
        if (of.revision().isPresent()) {
          json.writeFieldName(REVISION);
          json.writeNumber(of.revision().getAsLong());
        }
        if (row.record() != null) {
          json.writeFieldName(RECORD);
          JsonValues.write(row.record(), json);
        }
        json.writeEndObject();
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
