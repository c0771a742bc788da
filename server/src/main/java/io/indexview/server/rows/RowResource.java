package io.indexview.server.rows;

import io.indexview.server.http.AnyParameter;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
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
}
