package io.indexview.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.server.TestServer;
import io.indexview.server.http.HttpFilters.AnyParameter;
import io.indexview.server.rows.RowResource;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.glassfish.jersey.server.model.Resource;
import org.glassfish.jersey.server.model.ResourceMethod;
import org.junit.jupiter.api.Test;

/** The document against the resources, both ways. */
class OpenApiTest {
  /** Stands for the parameters of any name that a method takes. */
  private static final String OPEN = "query fields";

  private final OpenApiDocument document = OpenApiDocument.load();

  @Test
  void describesEveryMethodOfEveryPathAndNoOther() {
    assertThat(described().keySet()).isEqualTo(implemented().keySet());
  }

  @Test
  void describesEveryParameterAndNoOther() {
    Map<String, Set<String>> implemented = new TreeMap<>();
    implemented().forEach((name, method) -> implemented.put(name, parameters(method)));

    assertThat(described()).isEqualTo(implemented);
  }

  @Test
  void describesTheBodiesThatAreRead() {
    Map<String, Set<String>> described = new TreeMap<>();
    document
        .operations()
        .forEach(
            operation -> {
              Set<String> types = new TreeSet<>();
              operation
                  .node()
                  .path("requestBody")
                  .path("content")
                  .fieldNames()
                  .forEachRemaining(types::add);
              described.put(operation.name(), types);
            });
    Map<String, Set<String>> implemented = new TreeMap<>();
    implemented()
        .forEach(
            (name, method) -> {
              Consumes consumes = method.getAnnotation(Consumes.class);
              implemented.put(
                  name, consumes == null ? Set.of() : new TreeSet<>(Set.of(consumes.value())));
            });

    assertThat(described).isEqualTo(implemented);
  }

  private Map<String, Set<String>> described() {
    Map<String, Set<String>> described = new TreeMap<>();
    for (OpenApiDocument.Operation operation : document.operations()) {
      Set<String> parameters = new TreeSet<>();
      for (JsonNode reference : operation.node().path("parameters")) {
        JsonNode parameter = document.resolve(reference);
        parameters.add(parameter.path("in").asText() + " " + parameter.path("name").asText());
      }
      described.put(operation.name(), parameters);
    }
    return described;
  }

  private static Map<String, Method> implemented() {
    Map<String, Method> methods = new TreeMap<>();
    for (Class<?> resource : TestServer.resources()) {
      Resource model = Resource.from(resource);
      collect(model, model.getPath(), methods);
    }
    return methods;
  }

  private static void collect(Resource resource, String path, Map<String, Method> methods) {
    for (ResourceMethod method : resource.getAllMethods()) {
      methods.put(method.getHttpMethod() + " " + path, method.getInvocable().getHandlingMethod());
    }
    resource.getChildResources().forEach(child -> collect(child, path + child.getPath(), methods));
  }

  private static Set<String> parameters(Method method) {
    Set<String> names = new TreeSet<>();
    for (Parameter parameter : method.getParameters()) {
      place(parameter).forEach(names::add);
      if (parameter.isAnnotationPresent(BeanParam.class)) {
        for (Field field : parameter.getType().getDeclaredFields()) {
          place(field).forEach(names::add);
        }
      }
    }
    if (method.isAnnotationPresent(AnyParameter.class)) {
      names.add(OPEN);
      RowResource.OPTIONS.forEach(option -> names.add("query " + option));
    }
    return names;
  }

  private static Stream<String> place(AnnotatedElement element) {
    if (element.isAnnotationPresent(QueryParam.class)) {
      return Stream.of("query " + element.getAnnotation(QueryParam.class).value());
    }
    if (element.isAnnotationPresent(PathParam.class)) {
      return Stream.of("path " + element.getAnnotation(PathParam.class).value());
    }
    return element.isAnnotationPresent(HeaderParam.class)
        ? Stream.of("header " + element.getAnnotation(HeaderParam.class).value())
        : Stream.empty();
  }
}
