package io.indexview.server.http;

import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.UriInfo;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The query parameters that a method of a resource takes.
 *
 * @param open whether it takes others too, and checks them itself: it asks for the whole URI
 */
record QueryParameters(Set<String> names, boolean open) {
  static QueryParameters of(Method method) {
    List<Class<?>> beans =
        Stream.of(method.getParameters())
            .filter(parameter -> parameter.isAnnotationPresent(BeanParam.class))
            .<Class<?>>map(Parameter::getType)
            .toList();
    Stream<AnnotatedElement> places =
        Stream.concat(
            Stream.of(method.getParameters()),
            beans.stream().flatMap(bean -> Arrays.stream(bean.getDeclaredFields())));
    return new QueryParameters(
        places
            .filter(place -> place.isAnnotationPresent(QueryParam.class))
            .map(place -> place.getAnnotation(QueryParam.class).value())
            .collect(Collectors.toUnmodifiableSet()),
        beans.stream()
            .flatMap(bean -> Arrays.stream(bean.getDeclaredFields()))
            .anyMatch(field -> field.getType() == UriInfo.class));
  }
}
