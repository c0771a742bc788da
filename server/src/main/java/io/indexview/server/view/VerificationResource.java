package io.indexview.server.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.server.json.JsonBody;
import io.indexview.server.json.JsonBody.Form;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import io.indexview.verification.live.VerificationCatalog;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
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
@Singleton
@Path("/views/{name}/verifications")
@Produces(MediaType.APPLICATION_JSON)
public final class VerificationResource {
  private static final String ROWS_PER_SECOND = "rowsPerSecond";
  private static final String BYTES_PER_SECOND = "bytesPerSecond";
  private static final String READ_UNITS_PER_SECOND = "readUnitsPerSecond";
  private static final String SAMPLE_PERCENT = "samplePercent";
  private static final String WITH_SOURCE = "withSource";
  private static final String REPAIR = "repair";
  private static final String REMOVE_UNEXPECTED = "removeUnexpected";
  private static final Form<Integer> POSITIVE =
      new Form<>(
          value -> value.isInt() && value.intValue() > 0,
          JsonNode::intValue,
          "use a whole number from 1 to 2147483647");
  private static final Form<Long> POSITIVE_LONG =
      new Form<>(
          value -> value.canConvertToLong() && value.isIntegralNumber() && value.longValue() > 0,
          JsonNode::longValue,
          "use a whole number from 1");
  private static final Form<Double> PERCENT =
      new Form<>(
          value ->
              value.isNumber()
                  && value.doubleValue() > 0
                  && value.doubleValue() <= VerificationOptions.ALL,
          JsonNode::doubleValue,
          "use a number above 0, at most 100");

  private final VerificationCatalog catalog;

  @Inject
  public VerificationResource(VerificationCatalog catalog) {
    this.catalog = catalog;
  }

  @POST
  @Consumes(MediaType.APPLICATION_JSON)
  public Response request(@PathParam("name") String view, @Context UriInfo uri, String text) {
    ViewVerification asked = catalog.request(view, options(text));
    return Response.accepted(VerificationAnswer.of(asked))
        .location(uri.getAbsolutePathBuilder().path(asked.id()).build())
        .build();
  }

  /** Options of a request; without a body there is no limit, and nothing is repaired. */
  private static VerificationOptions options(String text) {
    if (text == null || text.isBlank()) {
      return VerificationOptions.DEFAULT;
    }
    JsonBody body =
        JsonBody.parse(
            text,
            Set.of(
                ROWS_PER_SECOND,
                BYTES_PER_SECOND,
                READ_UNITS_PER_SECOND,
                SAMPLE_PERCENT,
                WITH_SOURCE,
                REPAIR,
                REMOVE_UNEXPECTED));
    Optional<Integer> rows = body.get(ROWS_PER_SECOND, POSITIVE);
    Optional<Long> bytes = body.get(BYTES_PER_SECOND, POSITIVE_LONG);
    Optional<Integer> readUnits = body.get(READ_UNITS_PER_SECOND, POSITIVE);
    double percent = body.get(SAMPLE_PERCENT, PERCENT).orElse(VerificationOptions.ALL);
    boolean withSource = body.get(WITH_SOURCE, Form.BOOLEAN).orElse(false);
    boolean repair = body.get(REPAIR, Form.BOOLEAN).orElse(false);
    if (repair && percent < VerificationOptions.ALL) {
      body.wrong(SAMPLE_PERCENT, "a repair compares all rows: leave one of the two out");
    }
    boolean removeUnexpected = body.get(REMOVE_UNEXPECTED, Form.BOOLEAN).orElse(false);
    if (removeUnexpected && !repair) {
      body.wrong(REMOVE_UNEXPECTED, "only a repair removes anything: add \"repair\": true");
    }
    body.verify();
    return new VerificationOptions(
        new Limits(rows.orElse(0), bytes.orElse(0L), readUnits.orElse(0)),
        percent,
        withSource,
        repair,
        removeUnexpected);
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
