package io.indexview.server.record;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** {@code /record-sets}: what views can be defined on. */
@Path("/record-sets")
@Produces(MediaType.APPLICATION_JSON)
public final class RecordSetResource {
  private final RecordSets recordSets;

  @Inject
  public RecordSetResource(RecordSets recordSets) {
    this.recordSets = recordSets;
  }

  @GET
  public RecordSetAnswer.RecordSets list() {
    return new RecordSetAnswer.RecordSets(recordSets.all());
  }
}
