package io.indexview.server.view;

import io.indexview.client.admin.ViewCatalog;
import io.indexview.schemas.control.SpecLog;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.core.EntityTag;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The conditions of a request on the version of a definition. */
public final class Preconditions {
  private static final String IF_MATCH = "If-Match";
  private static final String IF_NONE_MATCH = "If-None-Match";
  private static final String ANY = "*";
  private static final Pattern TAGS =
      Pattern.compile("(?:W/)?\"[^\"]*\"(?:\\s*,\\s*(?:W/)?\"[^\"]*\")*+");
  private static final Pattern STRONG = Pattern.compile("(?<!W/)\"([^\"]*)\"");

  @HeaderParam(IF_MATCH)
  private String ifMatch;

  @HeaderParam(IF_NONE_MATCH)
  private String ifNoneMatch;

  /** Called by JAX-RS, which fills in the headers. */
  public Preconditions() {}

  Preconditions(String ifMatch, String ifNoneMatch) {
    this.ifMatch = ifMatch;
    this.ifNoneMatch = ifNoneMatch;
  }

  static EntityTag tag(long version) {
    return new EntityTag(Long.toString(version));
  }

  /**
   * The version that a change is made for, see {@link ViewCatalog}; empty: any.
   *
   * @param current the version that stands, if there is one; asked for only when it counts
   * @throws ProblemException if a condition cannot be read, before the version is asked for; or
   *     does not hold
   */
  OptionalLong expected(Supplier<Optional<Long>> current) {
    if (ifMatch == null && ifNoneMatch == null) {
      return OptionalLong.empty();
    }
    requireTags(IF_MATCH, ifMatch);
    requireTags(IF_NONE_MATCH, ifNoneMatch);
    Optional<Long> version = current.get();
    boolean holds =
        (ifMatch == null || matches(ifMatch, version))
            && (ifNoneMatch == null || !matches(ifNoneMatch, version));
    if (!holds) {
      throw mismatch(version);
    }
    return OptionalLong.of(version.orElse(SpecLog.ABSENT));
  }

  /**
   * @param value null: the request has no such header
   */
  private static void requireTags(String header, String value) {
    if (value != null && !value.strip().equals(ANY) && !TAGS.matcher(value.strip()).matches()) {
      throw ProblemException.badParameters(
          List.of(
              new ProblemDetails.Item(
                  header, value, "use * or the ETag of an answer, in double quotes")));
    }
  }

  private static boolean matches(String value, Optional<Long> version) {
    return version.isPresent()
        && (value.strip().equals(ANY)
            || STRONG
                .matcher(value.strip())
                .results()
                .anyMatch(tag -> tag.group(1).equals(version.get().toString())));
  }

  private static ProblemException mismatch(Optional<Long> version) {
    ProblemDetails details =
        ProblemDetails.of(
            ProblemType.VERSION_MISMATCH,
            version
                .map("the view is at version \"%d\""::formatted)
                .orElse("there is no such view"));
    return new ProblemException(
        version.map(number -> details.with("version", number)).orElse(details));
  }
}
