package io.indexview.server.rows;

import jakarta.inject.Inject;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** {@code /views/{name}/rows}: what a view holds. */
@Path("/views/{name}/rows")
@Produces(MediaType.APPLICATION_JSON)
public final class RowResource {
  private final Rows rows;

  @Inject
  public RowResource(Rows rows) {
    this.rows = rows;
  }

  @GET
  public RowsAnswer read(@PathParam("name") String name, @BeanParam RowParameters parameters) {
    return rows.read(name, parameters);
  }
}
