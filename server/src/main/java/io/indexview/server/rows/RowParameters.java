package io.indexview.server.rows;

import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The query parameters of a read of rows as they were given; all others are names of fields. */
public final class RowParameters {
  private static final Set<String> OPTIONS =
      Arrays.stream(RowParameters.class.getDeclaredFields())
          .filter(field -> field.isAnnotationPresent(QueryParam.class))
          .map((Field field) -> field.getAnnotation(QueryParam.class).value())
          .collect(Collectors.toUnmodifiableSet());

  @Context UriInfo uri;

  @QueryParam("from")
  String from;

  @QueryParam("to")
  String to;

  @QueryParam("prefix")
  String prefix;

  @QueryParam("isNull")
  List<String> isNull;

  @QueryParam("desc")
  String desc;

  @QueryParam("limit")
  String limit;

  @QueryParam("page")
  String page;

  @QueryParam("index")
  String index;

  @QueryParam("fetch")
  String fetch;

  @QueryParam("atLeast")
  String atLeast;

  @QueryParam("maxStaleness")
  String maxStaleness;

  @QueryParam("policy")
  String policy;

  @QueryParam("timeout")
  String timeout;

  @QueryParam("consistency")
  String consistency;

  /** Names of parameters that are no fields. */
  static Set<String> options() {
    return OPTIONS;
  }
}
