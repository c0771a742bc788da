package io.indexview.server.source;

import jakarta.inject.Inject;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** {@code /sources}: who says that record sets are complete. */
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
}
