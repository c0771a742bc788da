package io.indexview.server.http;

import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import java.util.List;
import java.util.Set;

/** Refuses query parameters that a route does not know: a mistyped dryRun must not be a run. */
final class UnknownParameters implements ContainerRequestFilter {
  @Context private ResourceInfo resource;

  @Override
  public void filter(ContainerRequestContext request) {
    QueryParameters parameters = QueryParameters.of(resource.getResourceMethod());
    if (parameters.open()) {
      return;
    }
    Set<String> known = parameters.names();
    List<ProblemDetails.Item> unknown =
        request.getUriInfo().getQueryParameters().keySet().stream()
            .filter(name -> !known.contains(name))
            .map(
                name ->
                    new ProblemDetails.Item(
                        name, "", "no parameter of this path; " + remedy(known)))
            .toList();
    if (!unknown.isEmpty()) {
      throw ProblemException.badParameters(unknown);
    }
  }

  private static String remedy(Set<String> known) {
    return known.isEmpty()
        ? "remove it"
        : "use " + String.join(", ", known.stream().sorted().toList());
  }
}
