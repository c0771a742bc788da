package io.indexview.server.verification;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.server.json.JsonBody;
import io.indexview.server.json.JsonBody.Form;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.Optional;
import java.util.Set;

/** {@code /views/{name}/verifications}: comparisons of a view's rows with what was derived. */
@Path("/views/{name}/verifications")
@Produces(MediaType.APPLICATION_JSON)
public final class VerificationResource {
  private static final String ROWS_PER_SECOND = "rowsPerSecond";
  private static final String REPAIR = "repair";
  private static final Form<Integer> POSITIVE =
      new Form<>(
          value -> value.isInt() && value.intValue() > 0,
          JsonNode::intValue,
          "use a whole number from 1");

  private final VerificationCatalog catalog;

  @Inject
  public VerificationResource(VerificationCatalog catalog) {
    this.catalog = catalog;
  }

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public Response request(@PathParam("name") String view, @Context UriInfo uri, String text) {
    Wanted wanted = wanted(text);
    ViewVerification asked = catalog.request(view, wanted.rowsPerSecond(), wanted.repair());
    return Response.accepted(VerificationAnswer.of(asked))
        .location(uri.getAbsolutePathBuilder().path(asked.id()).build())
        .build();
  }

  private record Wanted(int rowsPerSecond, boolean repair) {}

  /** Without a body there is no limit, and nothing is repaired. */
  private static Wanted wanted(String text) {
    if (text == null || text.isBlank()) {
      return new Wanted(0, false);
    }
    JsonBody body = JsonBody.parse(text, Set.of(ROWS_PER_SECOND, REPAIR));
    Optional<Integer> rows = body.get(ROWS_PER_SECOND, POSITIVE);
    Optional<Boolean> repair = body.get(REPAIR, Form.BOOLEAN);
    body.verify();
    return new Wanted(rows.orElse(0), repair.orElse(false));
  }

  @GET
  public VerificationAnswer.Verifications list(@PathParam("name") String view) {
    return new VerificationAnswer.Verifications(
        catalog.list(view).stream().map(VerificationAnswer::brief).toList());
  }

  @GET
  @Path("/{id}")
  public VerificationAnswer get(@PathParam("name") String view, @PathParam("id") String id) {
    return VerificationAnswer.of(known(view, id, catalog.get(view, id)));
  }

  @DELETE
  @Path("/{id}")
  public Response cancel(@PathParam("name") String view, @PathParam("id") String id) {
    return Response.accepted(VerificationAnswer.of(known(view, id, catalog.cancel(view, id))))
        .build();
  }

  private static ViewVerification known(
      String view, String id, Optional<ViewVerification> verification) {
    return verification.orElseThrow(
        () ->
            ProblemException.of(
                ProblemType.VERIFICATION_NOT_FOUND,
                "view \"%s\" has no verification \"%s\"; GET /views/%s/verifications lists them"
                    .formatted(view, id, view)));
  }
}
