package io.indexview.server.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.admin.ViewCatalog;
import io.indexview.client.admin.ViewChange;
import io.indexview.client.admin.ViewNotFoundException;
import io.indexview.client.admin.ViewStatus;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.SpecLog.UnreadableSpec;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.server.json.Json;
import io.indexview.server.json.JsonBody;
import io.indexview.server.json.JsonBody.Form;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** {@code /views}: what is wanted of views, and what is. */
@Singleton
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
    catalog.drop(name, expectedOfExisting(name, conditions));
    return Response.accepted().build();
  }

  @POST
  @Path("/{name}/rebuild")
  @Consumes(MediaType.APPLICATION_JSON)
  public Response rebuild(
      @PathParam("name") String name, @BeanParam Preconditions conditions, String body) {
    BuildMode mode = RebuildRequest.of(body).mode();
    return spec(catalog.rebuild(name, mode, expectedOfExisting(name, conditions)));
  }

  @POST
  @Path("/{name}/rollback")
  public Response rollback(@PathParam("name") String name, @BeanParam Preconditions conditions) {
    return spec(catalog.rollback(name, expectedOfExisting(name, conditions)));
  }

  private static Response spec(ViewSpec spec) {
    return Response.accepted(SpecAnswer.of(spec)).tag(Preconditions.tag(spec.version())).build();
  }

  private OptionalLong expected(String name, Preconditions conditions) {
    return conditions.expected(() -> version(name, catalog.list()));
  }

  /**
   * Version that the request expects of an existing view. That a view does not exist is answered
   * before the request's conditions are looked at (RFC 9110, 13.2.1).
   */
  private OptionalLong expectedOfExisting(String name, Preconditions conditions) {
    return conditions.expected(
        () -> {
          List<ViewStatus> all = catalog.list();
          Optional<Long> version = version(name, all);
          if (version.isEmpty()) {
            throw new ViewNotFoundException(name, all.stream().map(ViewStatus::view).toList());
          }
          return version;
        });
  }

  /** Empty: there is none, or it is being deleted. */
  private static Optional<Long> version(String name, List<ViewStatus> all) {
    return all.stream()
        .filter(status -> status.view().equals(name))
        .findFirst()
        .flatMap(ViewResource::readableSpec)
        .map(ViewSpec::version);
  }

  /**
   * Returns the spec, or fails if it cannot be read: nobody knows then whether a condition holds.
   */
  private static Optional<ViewSpec> readableSpec(ViewStatus status) {
    if (status.isUnreadable()) {
      throw new UnreadableSpec(status.view(), status.unreadableSpec());
    }
    return status.spec();
  }

  /**
   * A query parameter that is on when it is there: {@code ?name} or {@code ?name=true}.
   *
   * @param set whether it is on
   */
  public record Flag(boolean set) {
    /** Called by JAX-RS. */
    public static Flag fromString(String text) {
      return switch (text) {
        case "", "true" -> new Flag(true);
        case "false" -> new Flag(false);
        default -> throw new IllegalArgumentException("use true or false");
      };
    }
  }

  /** The body of a rebuild. */
  private record RebuildRequest(BuildMode mode) {
    private static final String FROM = "from";

    /**
     * @param text empty: all by default
     */
    static RebuildRequest of(String text) {
      if (text == null || text.isBlank()) {
        return new RebuildRequest(BuildMode.STATE);
      }
      JsonBody body = JsonBody.parse(text, Set.of(FROM));
      Optional<BuildMode> mode =
          body.get(FROM, Form.text(BuildMode::of, "use state, changelog, snapshot or replay"));
      body.verify();
      return new RebuildRequest(mode.orElse(BuildMode.STATE));
    }
  }

  /**
   * The build that is wanted now.
   *
   * @param from what its rows are built from
   */
  public record SpecAnswer(String name, long version, long build, String from) {
    static SpecAnswer of(ViewSpec spec) {
      return new SpecAnswer(
          spec.view(), spec.version(), spec.build().number(), spec.build().mode().text());
    }
  }

  /**
   * What applying a definition changed, or would change.
   *
   * @param version that stands then; null: nothing was made
   * @param created whether there was no such view
   * @param cost what the change means, in words
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record ChangeAnswer(
      String name,
      Long version,
      boolean created,
      boolean dryRun,
      String effect,
      String cost,
      List<Field> fields) {

    /**
     * A property that differs.
     *
     * @param before null: not there
     * @param after null: not there
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Field(String name, JsonNode before, JsonNode after) {}

    static ChangeAnswer of(ViewChange change) {
      return new ChangeAnswer(
          change.view(),
          change.after().map(ViewSpec::version).orElse(null),
          change.isNew(),
          change.after().isEmpty(),
          change.effect().name().toLowerCase(Locale.ROOT).replace('_', '-'),
          change.cost(),
          change.fields().stream()
              .map(field -> new Field(field.name(), value(field.before()), value(field.after())))
              .toList());
    }

    private static JsonNode value(String json) {
      return json.isEmpty() ? null : Json.tree(json);
    }
  }

  /**
   * A definition as a request carries it.
   *
   * @param view that the request's path names
   * @param origin names the text in messages, and its language
   */
  private record DefinitionText(String view, String origin, String text) {
    static final String YAML = "application/yaml";

    /**
     * Takes a body.
     *
     * @param type null: the request names none, which stands for JSON
     * @throws ProblemException if it is not of its type
     */
    static DefinitionText of(String view, MediaType type, String text) {
      boolean yaml = type != null && type.isCompatible(MediaType.valueOf(YAML));
      if (!yaml && !text.stripLeading().startsWith("{")) {
        throw ProblemException.of(
            ProblemType.BAD_REQUEST, "the body is no JSON object; YAML has the type " + YAML);
      }
      return new DefinitionText(view, view + (yaml ? ".yaml" : ".json"), text);
    }

    /**
     * The change that the text makes.
     *
     * @throws ProblemException if it is of another view
     */
    ViewChange requireOwn(ViewChange change) {
      if (!change.view().equals(view)) {
        throw new ProblemException(
            ProblemDetails.of(ProblemType.INVALID_DEFINITION, "the definition is of another view")
                .with(
                    List.of(
                        new ProblemDetails.Item(
                            "name",
                            change.view(),
                            "the path names \"%s\"; use the same name in both".formatted(view)))));
      }
      return change;
    }
  }
}
