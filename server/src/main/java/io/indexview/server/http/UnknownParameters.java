package io.indexview.server.http;

import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Refuses query parameters that a route does not know: a mistyped dryRun must not be a run. */
final class UnknownParameters implements ContainerRequestFilter {
  @Context private ResourceInfo resource;

  @Override
  public void filter(ContainerRequestContext request) {
    Method method = resource.getResourceMethod();
    if (Stream.of(method.getParameters()).anyMatch(p -> p.isAnnotationPresent(BeanParam.class))) {
      // It takes parameters of any name, and checks them itself.
      return;
    }
    Set<String> known =
        Stream.of(method.getParameters())
            .filter(parameter -> parameter.isAnnotationPresent(QueryParam.class))
            .map((Parameter parameter) -> parameter.getAnnotation(QueryParam.class).value())
            .collect(Collectors.toSet());
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
