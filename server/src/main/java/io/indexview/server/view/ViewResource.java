package io.indexview.server.view;

import io.indexview.client.admin.ViewChange;
import io.indexview.client.admin.ViewStatus;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.ViewSpec;
import jakarta.inject.Inject;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.OptionalLong;

/** {@code /views}: what is wanted of views, and what is. */
@Path("/views")
@Produces(MediaType.APPLICATION_JSON)
public final class ViewResource {
  private final ViewCatalog catalog;

  @Inject
  public ViewResource(ViewCatalog catalog) {
    this.catalog = catalog;
  }

  @GET
  public ViewAnswer.Views list() {
    return new ViewAnswer.Views(catalog.list().stream().map(ViewAnswer::of).toList());
  }

  @GET
  @Path("/{name}")
  public Response get(@PathParam("name") String name) {
    ViewAnswer view = ViewAnswer.of(catalog.get(name));
    Response.ResponseBuilder answer = Response.ok(view);
    return (view.version() == null ? answer : answer.tag(Preconditions.tag(view.version())))
        .build();
  }

  @PUT
  @Path("/{name}")
  @Consumes({MediaType.APPLICATION_JSON, DefinitionText.YAML})
  public Response apply(
      @PathParam("name") String name,
      @QueryParam("dryRun") @DefaultValue("false") Flag dryRun,
      @BeanParam Preconditions conditions,
      @Context HttpHeaders headers,
      String text) {
    DefinitionText definition = DefinitionText.of(name, headers.getMediaType(), text);
    OptionalLong expected = expected(name, conditions);
    ViewChange planned = definition.requireOwn(catalog.diff(definition.origin(), text));
    ChangeAnswer change =
        ChangeAnswer.of(
            dryRun.set() ? planned : catalog.apply(definition.origin(), text, expected));
    int status = change.created() && !change.dryRun() ? 201 : 200;
    Response.ResponseBuilder answer = Response.status(status).entity(change);
    return (change.version() == null ? answer : answer.tag(Preconditions.tag(change.version())))
        .build();
  }

  @DELETE
  @Path("/{name}")
  public Response drop(@PathParam("name") String name, @BeanParam Preconditions conditions) {
    catalog.drop(name, expected(name, conditions));
    return Response.accepted().build();
  }

  @POST
  @Path("/{name}/rebuild")
  @Consumes(MediaType.APPLICATION_JSON)
  public Response rebuild(
      @PathParam("name") String name, @BeanParam Preconditions conditions, String body) {
    BuildMode mode = RebuildRequest.of(body).mode();
    return spec(catalog.rebuild(name, mode, expected(name, conditions)));
  }

  @POST
  @Path("/{name}/rollback")
  public Response rollback(@PathParam("name") String name, @BeanParam Preconditions conditions) {
    return spec(catalog.rollback(name, expected(name, conditions)));
  }

  private static Response spec(ViewSpec spec) {
    return Response.accepted(SpecAnswer.of(spec)).tag(Preconditions.tag(spec.version())).build();
  }

  private OptionalLong expected(String name, Preconditions conditions) {
    return conditions.expected(
        () ->
            catalog.list().stream()
                .filter(status -> status.view().equals(name))
                .findFirst()
                .flatMap(ViewStatus::spec)
                .map(ViewSpec::version));
  }
}
