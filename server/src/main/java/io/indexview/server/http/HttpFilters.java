package io.indexview.server.http;

import io.indexview.schemas.http.OriginRule;
import io.indexview.server.config.HttpSettings;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import jakarta.annotation.Priority;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.config.types.Password;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.server.ServerProperties;

/** What stands before and after every resource. */
public final class HttpFilters {
  /** What probes ask for; the answer is UP or DOWN, and nothing else. */
  private static final Set<String> HEALTH = Set.of("health/live", "health/ready");

  private HttpFilters() {}

  /** Adds the filters to an application. */
  public static void register(HttpSettings settings, ResourceConfig application) {
    application.register(new SafeHeaders());
    application.register(OriginCheck.of(settings.address()));
    settings.token().map(TokenCheck::new).ifPresent(application::register);
    application.register(Parameters.class);
    application.register(new TextBodyReader());
    application.register(new AnswerBuffer());
    // Jersey need not collect answers once more.
    application.property(ServerProperties.OUTBOUND_CONTENT_LENGTH_BUFFER, 0);
  }

  private static boolean asksForHealth(ContainerRequestContext request) {
    return HEALTH.contains(request.getUriInfo().getPath());
  }

  /**
   * Refuses query parameters that a route does not know, or that are there twice: a mistyped dryRun
   * must not be a run, nor one of two keys be passed over.
   */
  static final class Parameters implements ContainerRequestFilter {
    private static final Pattern ESCAPE = Pattern.compile("%([0-9a-fA-F]{2})");

    @Context private ResourceInfo resource;
    @Context private HttpServletRequest servlet;

    /**
     * Query parameters of each method of a resource, cached because to find them costs more than
     * many a request.
     */
    private final Map<Method, QueryParameters> parametersOf = new ConcurrentHashMap<>();

    @Override
    public void filter(ContainerRequestContext request) {
      requireText(servlet.getQueryString());
      QueryParameters parameters =
          parametersOf.computeIfAbsent(resource.getResourceMethod(), QueryParameters::of);
      if (parameters.open()) {
        return;
      }
      Set<String> known = parameters.names();
      List<ProblemDetails.Item> problems = new ArrayList<>();
      request
          .getUriInfo()
          .getQueryParameters()
          .forEach(
              (name, values) -> {
                if (!known.contains(name)) {
                  problems.add(
                      new ProblemDetails.Item(
                          name, "", "no parameter of this path; " + remedy(known)));
                } else if (values.size() > 1) {
                  problems.add(new ProblemDetails.Item(name, "", "is there twice; remove one"));
                }
              });
      if (!problems.isEmpty()) {
        throw ProblemException.badParameters(problems);
      }
    }

    /**
     * What a decoder puts in the place of bytes that are no characters must not name anything.
     *
     * @param query as it was sent, since Jersey's has been escaped anew; null: there is none
     */
    private static void requireText(String query) {
      // A server makes U+FFFD of bytes that are not even escaped.
      if (query != null
          && (query.indexOf('\uFFFD') >= 0 || query.indexOf('%') >= 0 && !isUtf8(query))) {
        throw ProblemException.of(
            ProblemType.BAD_REQUEST,
            "the query holds bytes that are no UTF-8; escape each byte of the UTF-8 form as in %C3%BC");
      }
    }

    private static boolean isUtf8(String query) {
      try {
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(query)));
        return true;
      } catch (CharacterCodingException e) {
        return false;
      }
    }

    /** Bytes of a query, with each escape as the byte that it stands for. */
    private static byte[] bytes(String query) {
      // A character for each byte.
      String bytes =
          new String(query.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
      return ESCAPE
          .matcher(bytes)
          .replaceAll(
              escape -> {
                char unescaped = (char) Integer.parseInt(escape.group(1), 16);
                return Matcher.quoteReplacement(String.valueOf(unescaped));
              })
          .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String remedy(Set<String> known) {
      return known.isEmpty()
          ? "remove it"
          : "use " + String.join(", ", known.stream().sorted().toList());
    }

    /**
     * The query parameters that a method of a resource takes.
     *
     * @param open whether it takes others too, and checks them itself
     */
    private record QueryParameters(Set<String> names, boolean open) {
      static QueryParameters of(Method method) {
        Stream<AnnotatedElement> places =
            Stream.concat(
                Stream.of(method.getParameters()),
                Stream.of(method.getParameters())
                    .filter(parameter -> parameter.isAnnotationPresent(BeanParam.class))
                    .flatMap(bean -> Stream.of(bean.getType().getDeclaredFields())));
        return new QueryParameters(
            places
                .filter(parameter -> parameter.isAnnotationPresent(QueryParam.class))
                .map(parameter -> parameter.getAnnotation(QueryParam.class).value())
                .collect(Collectors.toUnmodifiableSet()),
            method.isAnnotationPresent(AnyParameter.class));
      }
    }
  }

  /** Lets only requests through that carry the token; and those that ask for health. */
  @PreMatching
  @Priority(Priorities.AUTHENTICATION)
  private static final class TokenCheck implements ContainerRequestFilter {
    private static final String SCHEME = "Bearer ";

    private final byte[] token;

    TokenCheck(Password token) {
      this.token = token.value().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void filter(ContainerRequestContext request) {
      if (!asksForHealth(request) && !isValid(request.getHeaderString(HttpHeaders.AUTHORIZATION))) {
        request.abortWith(
            Response.status(Response.Status.UNAUTHORIZED)
                .header(HttpHeaders.WWW_AUTHENTICATE, "Bearer realm=\"indexview\"")
                .type(ProblemDetails.MEDIA_TYPE)
                .entity(
                    ProblemDetails.of(
                        ProblemType.UNAUTHORIZED, "send the header Authorization: Bearer <token>"))
                .build());
      }
    }

    private boolean isValid(String authorization) {
      return authorization != null
          && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
          && MessageDigest.isEqual(
              token,
              authorization.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Headers of every answer: browsers shall neither guess what it is, nor run or keep it. */
  static final class SafeHeaders implements ContainerResponseFilter {
    static final Map<String, String> HEADERS =
        Map.of(
            "X-Content-Type-Options", "nosniff",
            "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'",
            "Cache-Control", "no-store");

    @Override
    public void filter(ContainerRequestContext request, ContainerResponseContext response) {
      HEADERS.forEach((name, value) -> response.getHeaders().putSingle(name, value));
    }
  }

  /**
   * Lets only requests through that {@link OriginRule} does; and those that ask for health, which
   * probes address to whatever they know the server by.
   */
  @PreMatching
  @Priority(Priorities.AUTHENTICATION - 1)
  static final class OriginCheck implements ContainerRequestFilter {
    private final OriginRule rule;

    /**
     * @param names that requests may be addressed to, in lower case; empty: any
     */
    OriginCheck(Set<String> names) {
      this.rule = new OriginRule(names, "http.names lists further names of it");
    }

    static OriginCheck of(HttpSettings.Address address) {
      Set<String> names = new HashSet<>();
      address.names().forEach(name -> names.add(inHeader(name)));
      if (isLoopback(address.host())) {
        names.addAll(OriginRule.LOOPBACK);
      }
      if (!names.isEmpty()) {
        names.add(inHeader(address.host()));
      }
      return new OriginCheck(names);
    }

    /** Name of a host as the header has it: an address of IPv6 in brackets. */
    private static String inHeader(String name) {
      return HttpSettings.Address.inUri(name).toLowerCase(Locale.ROOT);
    }

    private static boolean isLoopback(String host) {
      try {
        return InetAddress.getByName(host).isLoopbackAddress();
      } catch (UnknownHostException e) {
        return false;
      }
    }

    @Override
    public void filter(ContainerRequestContext request) {
      if (asksForHealth(request)) {
        return;
      }
      rule.refusal(
              request.getUriInfo().getBaseUri().getScheme(),
              request.getHeaderString(HttpHeaders.HOST),
              request.getHeaderString("Origin"),
              request.getHeaderString("Sec-Fetch-Site"))
          .ifPresent(
              reason -> {
                throw ProblemException.of(ProblemType.FORBIDDEN, reason);
              });
    }
  }

  /** A method of a resource that takes query parameters of any name, and checks them itself. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  public @interface AnyParameter {}
}
